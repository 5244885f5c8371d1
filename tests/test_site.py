"""The pages hold together without being built: links lead somewhere, what they tell readers to import is documented.

``make docs`` builds them, and fails where a docstring cannot be read or a name that a package exports is on no page.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    path
    for folder, pattern in (("", "*.md"), ("docs", "**/*.md"), ("examples", "**/*.md"), ("tests", "**/*.md"))
    for path in (ROOT / folder).glob(pattern)
)
FENCED = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
SOURCE = "https://raw.githubusercontent.com/card-envs/card_envs/main/"
"""Where the README's pictures lie for those who read it elsewhere."""


def prose(path):
    """A page without its blocks and spans of code."""
    return re.sub(r"`[^`\n]*`", "", FENCED.sub("", path.read_text(encoding="utf-8")))


def anchors(path):
    """The anchors of a page's headings, as forges make them."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    titles = (title.strip().lower() for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE))
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)).replace(" ", "-") for title in titles
    }


def broken(path):
    """What is wrong with the links of a page, one sentence each."""
    for link in LINK.findall(prose(path)):
        target, _, anchor = link.removeprefix(SOURCE).partition("#")
        if re.match(r"[a-z]+:", target):
            continue  # another site
        found = (ROOT if link.startswith(SOURCE) else path.parent) / target if target else path
        if not found.exists():
            yield f"{link} leads nowhere"
        elif anchor and anchor not in anchors(found):
            yield f"{link}: there is no such heading"


def test_the_pages_are_found():
    names = {path.relative_to(ROOT).as_posix() for path in PAGES}
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/rules.md", "docs/architecture.md"} <= names
    assert "docs/api/games.md" in names
    assert any(name.startswith("examples/") for name in names)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_and_pictures_lead_somewhere(path):
    assert not list(broken(path))


def test_a_link_that_leads_nowhere_is_seen(tmp_path):
    (tmp_path / "there.md").write_text("# One heading, `two` words\n```\n# none\n```\n")
    page = tmp_path / "page.md"
    good = "[a](there.md) [b](there.md#one-heading-two-words) [c](#self) `[d](nowhere.md)`\n\n# Self\n"
    page.write_text(good)
    assert not list(broken(page))
    page.write_text(f"{good} ![e](none.png) [f](there.md#none) [g](#nothing) [h]({SOURCE}docs/none.png)")
    assert len(list(broken(page))) == 4


def test_pictures_of_the_readme_are_shown_elsewhere_too():
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert pictures
    assert all(picture.startswith(SOURCE) for picture in pictures)


def test_every_page_of_the_site_is_in_its_contents():
    listed = set()
    for path in (ROOT / "docs").rglob("*.md"):
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            listed |= {line for line in block.splitlines() if line and not line.startswith(":")}
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - {"index"} == listed - {"_notebooks/*"}


# The reference


def sources():
    """Name and Python source of all that shows readers what to import."""
    for path in PAGES:
        for number, block in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)):
            yield f"{path.name}-{number}", block
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            if cell["cell_type"] == "code":
                yield f"{path.name}-{number}", "".join(cell["source"])
    for path in sorted((ROOT / "examples").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def shown():
    """Modules and names of the packages that readers are shown how to import."""
    for where, source in sources():
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue  # an excerpt that begins in the middle of a function
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and re.match(r"card_(envs|agents)\b", node.module or ""):
                yield from ((where, node.module, alias.name) for alias in node.names)


def exported(module):
    """The names that a package says it exports."""
    for home in (ROOT, ROOT / "agents"):
        path = home.joinpath(*module.split("."), "__init__.py")
        if path.exists():
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
                    return set(ast.literal_eval(node.value))
    return set()


def test_what_pages_tell_readers_to_import_is_in_the_reference():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    documented = set(re.findall(r"^\.\. auto\w+:: (\S+)$", text, re.MULTILINE))
    found = list(shown())
    assert len(found) > 30
    for where, module, name in found:
        known = {module, f"{module}.{name}"} & documented or name in exported(module)
        assert known, f"{where} imports {module}.{name}, which no page of docs/api documents"


def home_of(name):
    """The source that a dotted name is defined in, and the rest of the name: "" if it is a module's."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        for home in (ROOT, ROOT / "agents"):
            path = home.joinpath(*parts[:end])
            for file in (path / "__init__.py", path.with_suffix(".py")):
                if file.is_file():
                    return file, ".".join(parts[end:])
    raise AssertionError(f"{name} is in neither package")


def test_the_reference_documents_what_there_is():
    """A rename is seen here, before ``make docs`` stumbles over it."""
    for path in (ROOT / "docs" / "api").glob("*.md"):
        for kind, name in re.findall(r"^\.\. auto(\w+):: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            file, rest = home_of(name)
            if kind == "module":
                assert not rest, f"{path.name}: there is no module {name}"
            else:
                defined = {getattr(node, "name", "") for node in ast.parse(file.read_text(encoding="utf-8")).body}
                assert rest in defined | exported(name.removesuffix(f".{rest}")), f"{path.name}: there is no {name}"
