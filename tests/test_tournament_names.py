"""Whatever agents are called: no two look alike, and nothing in a name is taken for anything but itself."""

from __future__ import annotations

import io
import json

import matplotlib.text
import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console

import card_envs
from card_agents.evaluation.tournament.pictures import LONGEST, draw, names
from card_agents.evaluation.tournament.plan import Chunk, Plan, round_robin
from card_agents.evaluation.tournament.results import results_of, to_json
from card_agents.evaluation.tournament.tables import markdown, notes, tables
from card_agents.labels import labels_of, printable
from card_agents.players.external import Limits
from tests.test_tournament import SMALL, tournament

ODD = [
    "m[seed=1]",
    "m[seed=2]",
    "ppo:x[/old]/model.npz",
    "[bold]loud[/bold]",
    "a$x^2$",
    r"a$\frac$",
    r"\$5 and \$6$",
    "$",
    "_hidden_",
    "100 %",
    r"{\bad",
    "`code` *and* <b>|",
    "b\udce9t",
    "name\nof two lines",
    "\x1b[31mred",
    "零一",
    "cmd:" + "very " * 50 + "long",
    "cmd:" + "quite " * 50 + "very " * 10 + "long",
]


def results(agents, given=(), reason="crashed"):
    """The results of a tournament that was never played."""
    game = card_envs.make_game("elfern")
    pairs = round_robin(game, len(agents))
    plan = Plan(game, tuple(agents), pairs, 4, 0, 4, True, Limits(), None, tuple(given))
    won = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    lost = [(0, 0, 0, 0, reason)]
    return results_of(plan, {job: Chunk(6 * won - 3, won, 0 * won, [1, 1], [0.1, 0.1], lost) for job in plan.jobs})


def screen(found):
    """What is shown of results on a screen without colours."""
    console = Console(file=io.StringIO(), width=2000, color_system=None)
    for table in tables(found):
        console.print(table)
    for note in notes(found):
        console.print(note, markup=False, highlight=False)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("agents", "given", "labels"),
    [
        (["X", "Y"], [None, None], ["X", "Y"]),
        (["X", "X", "X"], [None] * 3, ["X", "X (2)", "X (3)"]),
        (["X", "X", "X (2)"], [None] * 3, ["X", "X (3)", "X (2)"]),
        (["X (2)", "X", "X"], [None] * 3, ["X (2)", "X", "X (3)"]),
        (["X", "Y", "Z"], ["a", "a", None], ["a", "a (2)", "Z"]),
        (["X", "Y", "a"], ["a", None, None], ["a", "Y", "a (2)"]),
        (["X  Y", "X Y", "X\tY"], [None] * 3, ["X Y", "X Y (2)", "X Y (3)"]),
        (["\udce9", "\\udce9"], [None] * 2, ["\\udce9", "\\udce9 (2)"]),
    ],
)
def test_labels_are_told_apart(agents, given, labels):
    assert list(labels_of(agents, given)) == labels


def test_no_two_labels_are_alike_whatever_they_are():
    generator = np.random.default_rng(0)
    parts = ["X", " (2)", " (3)", " ", "\n"]
    for _ in range(500):
        agents = ["X" + "".join(generator.choice(parts, 3)) for _ in range(6)]
        for made in (labels_of(agents, [None] * 6), names(labels_of(agents, [None] * 6))):
            assert len(set(made)) == 6, agents
            assert all(label == printable(label) for label in made)


def test_names_in_pictures_are_short_and_told_apart():
    shown = names([f"ppo:{'deep/' * 20}model.npz", f"ppo:other/{'deep/' * 20}model.npz", "greedy"])
    assert len(set(shown)) == 3
    assert shown[0].startswith("…")
    assert all(len(name) <= LONGEST + 4 for name in shown)
    assert shown[2] == "greedy"


def test_brackets_are_no_markup_and_every_name_is_shown_whole():
    found = results(ODD, reason="raised KeyError: [/nothing] \udce9\x1b[2J")
    said = screen(found)
    for label in found.plan.labels:
        assert label in said
    assert "it raised KeyError: [/nothing] \\udce9\\x1b[2J." in said
    assert "\x1b" not in said
    text = markdown(found).encode().decode()
    assert r"m\[seed=1\]" in text
    assert r"a\$x^2\$" in text
    assert r"\`code\` \*and\* \<b\>\|" in text
    assert json.loads(to_json(found.to_dict()).encode())["agents"] == ODD


def test_pictures_show_names_as_they_are(tmp_path, monkeypatch):
    shown = []
    save = Figure.savefig

    def saved(figure, *args, **options):
        save(figure, *args, **options)
        texts = [one for one in figure.findobj(matplotlib.text.Text) if one.get_text()]
        assert not any(one.get_parse_math() or one.get_usetex() for one in texts)
        shown.append({one.get_text() for one in texts})

    monkeypatch.setattr(Figure, "savefig", saved)
    agents = [name for name in ODD if len(name) <= LONGEST]
    found = results(agents)
    with matplotlib.rc_context({"axes.formatter.use_mathtext": True}):
        draw(found, tmp_path)
    assert len(shown) == 2
    for texts in shown:
        assert set(found.plan.labels) <= texts
    assert sorted(path.name for path in tmp_path.iterdir()) == ["payoff.png", "ratings.png"]


def test_agents_can_be_given_names(tmp_path, capsys):
    arguments = ["--agents", "mine=greedy", "random", "new one=random", "--deals", "4", *SMALL]
    told = tournament(tmp_path / "t", *arguments)
    assert told["agents"] == ["greedy", "random", "random"]
    assert told["labels"] == told["payoff"]["agents"] == ["mine", "random", "new one"]
    assert {row["agent"] for row in told["table"]} == {"mine", "random", "new one"}
    said = capsys.readouterr().out
    assert "mine" in said
    assert "greedy" not in said
    assert "new one" in (tmp_path / "t" / "report.md").read_text()
    # what they are called decides nothing
    again = tournament(tmp_path / "t", "--agents", "yours=greedy", "random", "random", "--deals", "4", *SMALL)
    assert again["labels"] == ["yours", "random", "random (2)"]
    assert "played again" not in capsys.readouterr().out
    assert again["meetings"][0]["points_a"] == told["meetings"][0]["points_a"]
