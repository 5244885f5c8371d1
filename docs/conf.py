"""The documentation site: these pages, the README and its like, the notebooks, and the docstrings (``make docs``).

Pages are written for readers of the repository, so links in them go from file to file. Here each is turned to the page
of the site that shows the file, or to the repository, where the site has none.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import shutil
import sys
import tomllib
import types
from pathlib import Path
from typing import Any

import numpy.typing
from sphinx.util import logging

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
os.environ["NUMBA_DISABLE_JIT"] = "1"  # so that compiled functions have their signatures and docstrings
sys.path[:0] = [str(ROOT), str(ROOT / "agents")]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Homepage"]
PICTURES = f"{REPOSITORY.replace('github.com', 'raw.githubusercontent.com')}/main/docs/"
"""Where the README's pictures lie for whoever reads it elsewhere."""

PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Files of the repository's root, and the pages that show them."""

project = "card_envs"
author = PROJECT["authors"][0]["name"]
project_copyright = f"2026 {author}"
version = release = PROJECT["version"]

extensions = ["sphinx.ext.autodoc", "myst_nb"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"card_envs {version}"
html_theme_options = {
    "source_repository": REPOSITORY,
    "source_branch": "main",
    "source_directory": "docs/",
}
html_copy_source = False
html_show_sourcelink = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "off"

autodoc_default_options = {"members": True, "undoc-members": True, "member-order": "bysource"}
autodoc_mock_imports = ["sb3_contrib", "stable_baselines3", "tensorboard", "torch", "tqdm"]
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 140
nitpick_ignore_regex = [
    (r"py:.*", r"(?!card_envs|card_agents).*"),  # what other libraries and the standard library have
    (r"py:class", r"card_envs\.(jit\.Function|public\.Reader)"),  # type variables
]

shutil.copytree(ROOT / "notebooks", HERE / "_notebooks", dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))

LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)")
"""Where a link or a picture in Markdown leads, up to its anchor, unless it is to another site or on the same page."""


def on_the_site(text: str, folder: Path) -> str:
    """Text of a page that stands in ``folder`` of the repository, with its links turned to what the site has."""

    def turned(link: re.Match[str]) -> str:
        path = (folder / link[1]).resolve()
        if not path.is_relative_to(ROOT) or not path.exists():
            return link[1]  # Sphinx says that it leads nowhere
        place = path.relative_to(ROOT)
        if place.as_posix() in PAGES:
            return f"/{PAGES[place.as_posix()]}"
        if place.parts[0] == "docs":
            return f"/{place.relative_to('docs').as_posix()}"
        if place.parts[0] == "notebooks" and path.suffix == ".ipynb":
            return f"/_notebooks/{path.name}"
        return f"{REPOSITORY}/{'tree' if path.is_dir() else 'blob'}/main/{place.as_posix()}"

    return LINK.sub(turned, text.replace(f"]({PICTURES}", "](/"))


ITEM = re.compile(r"(\s*)([a-z_]\w*(?:, [a-z_]\w*)*): (?=\S)")
"""How a docstring begins what it says of an argument or an attribute."""


def as_list(lines: list[str]) -> list[str]:
    """A docstring whose sentences about arguments ("seats: for each row, ...") are the items of a list."""
    written: list[str] = []
    indent: str | None = None  # of the list that is being written
    for number, line in enumerate(lines):
        item = ITEM.match(line)
        new_paragraph = number == 0 or not lines[number - 1].strip()
        if item and (indent == item[1] or (new_paragraph and number > 0) or lines[number - 1].endswith("Attributes:")):
            if indent is None and written and written[-1].strip():
                written.append("")
            indent = item[1]
            written.append(f"{indent}* ``{item[2]}``: {line[item.end() :]}")
        elif indent is not None and line.strip():
            written.append(f"{indent}  {line.strip()}")
        else:
            indent = None
            written.append(line)
    return [*written, ""]


class NDArray:
    """Stands for numpy's, which would be written out as what it is made of."""

    def __class_getitem__(cls, kind: Any) -> Any:
        return types.GenericAlias(cls, kind)


NDArray.__module__ = "numpy.typing"
numpy.typing.NDArray = NDArray


def public_names() -> set[str]:
    """All that the packages, and the packages in them, say they export."""
    names: set[str] = set()
    for top in ("card_envs", "card_agents"):
        package = importlib.import_module(top)
        rooms = [room.name for room in pkgutil.walk_packages(package.__path__, f"{top}.") if room.ispkg]
        for room in (top, *rooms):
            names |= {f"{room}.{name}" for name in getattr(importlib.import_module(room), "__all__", ())}
    return names


def setup(app: Any) -> None:
    """Hook in what is above."""

    def read(_: Any, docname: str, content: list[str]) -> None:
        folder = ROOT / "notebooks" if docname.startswith("_notebooks/") else (HERE / docname).parent
        content[0] = on_the_site(content[0], folder)

    def include(_: Any, path: Path, docname: str, content: list[str]) -> None:
        content[0] = on_the_site(content[0], (HERE / path).resolve().parent)

    def document(_: Any, kind: str, name: str, what: Any, options: Any, lines: list[str]) -> None:
        lines[:] = as_list(lines)

    def shorten(_: Any, kind: str, name: str, what: Any, options: Any, signature: str, returns: str) -> tuple[str, ...]:
        return signature and signature.replace("<factory>", "..."), returns  # what no parser would take

    def check(_: Any, env: Any) -> None:
        missing = public_names() - set(env.get_domain("py").objects)
        if missing:
            logging.getLogger(__name__).warning("no page of docs/api documents %s", ", ".join(sorted(missing)))

    app.connect("source-read", read)
    app.connect("include-read", include)
    app.connect("autodoc-process-docstring", document)
    app.connect("autodoc-process-signature", shorten)
    app.connect("env-check-consistency", check)
