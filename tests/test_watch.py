"""``card-envs watch``: a record step by step, as pictures, as a page and as a film."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from card_agents import replay
from card_agents.cli.watch import KEYS, main
from card_envs import GameRecord, write_records
from tests.commands import run, said
from tests.page import browsing, needs_browser
from tests.record_files import played
from tests.terminals import Terminal
from tests.test_leaks import shuffled
from tests.variants import ANY, FEW, SEVERAL, every


@pytest.fixture
def file(tmp_path):
    """Three records; the last one was forfeited and is annotated."""
    records = [played(ANY.make(), seed=1), played(SEVERAL.make(), seed=2)]
    last = GameRecord(ANY.make().new_state(seed=3), ["Ada </script>", "CONTENT TITLE \x1b[1m"])
    last.play(last.position.legal_actions()[0], note="<b>Why?</b> </script> <!--<script>")
    last.forfeit()
    write_records(tmp_path / "games.jsonl", [*records, last])
    return tmp_path / "games.jsonl"


def test_without_a_terminal_every_position_is_told(file, capsys):
    assert main([str(file)]) == 0
    told = capsys.readouterr().out
    record = played(ANY.make(), seed=1)
    for plays in range(len(record) + 1):
        assert replay.caption(record, plays) in told
        assert replay.text(record, plays) in told


def test_a_seat_is_shown_what_it_saw_and_nothing_else(file, capsys):
    assert main([str(file), "--seat", "1", "--names", "de"]) == 0
    told = capsys.readouterr().out
    record = played(ANY.make(), seed=1)
    assert record.at(3).text(1, names="de") in told
    assert str(record.at(3)) not in told


@every(FEW)
def test_what_a_seat_is_shown_does_not_depend_on_hidden_cards(game):
    dice, start = np.random.default_rng(1), game.new_state(seed=5)
    other = game.state(shuffled(game, start.record.copy(), 0, dice)[0], 0)
    for show in (replay.text, replay.picture):
        assert show(GameRecord(start), 0, 0) == show(GameRecord(game.state_from_text(game.state_to_text(other))), 0, 0)


def test_captions_tell_who_played_what_and_the_forfeit(file):
    record = GameRecord(ANY.make().new_state(seed=3), ["Ada", "Bob\x1b[1m"])
    first = record.position.to_play
    record.play(record.position.legal_actions()[0], note="Why?")
    record.forfeit()
    assert "dealt" in replay.caption(record, 0)
    told = replay.caption(record, 1)
    assert told.startswith(f"Play 1 of 1: seat {first} (")
    assert "forfeited. Why?" in told
    assert "\x1b" not in told


def test_pictures_are_written_one_for_each_position(file, tmp_path):
    assert main([str(file), "--number", "2", "--svg", str(tmp_path / "new" / "drawn")]) == 0
    record = played(SEVERAL.make(), seed=2)
    drawn = sorted((tmp_path / "new" / "drawn").iterdir())
    assert len(drawn) == len(record) + 1
    assert drawn[4].read_text(encoding="utf-8") == record.at(4).to_svg("all")


def test_a_page_holds_the_pictures_and_asks_for_nothing_else(file, tmp_path):
    page = tmp_path / "game.html"
    assert main([str(file), "--number", "3", "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=|url\(|https?://(?!www\.w3\.org/2000/svg)|import """, text)
    assert text.count("</script>") == 2  # nothing of the record ends an element
    assert "Ada &lt;/script>, CONTENT TITLE" in text
    record = played(ANY.make(), seed=1)
    whole = sum(len(replay.picture(record, plays)) for plays in range(len(record) + 1))
    assert len(replay.html(record)) < whole / 3


def test_a_browser_shows_the_first_position_of_a_page(file, tmp_path):
    needs_browser()
    page = tmp_path / "game.html"
    assert main([str(file), "--number", "3", "--html", str(page)]) == 0
    with browsing() as browser:
        window = browser.new_page()
        window.goto(page.as_uri())
        seen = window.content()
    assert re.search(r'<p id="caption"[^>]*>The beginning: seat . \(', seen)
    (drawn,) = re.findall(r'<div id="picture">(<svg.*?</svg>)</div>', seen, re.DOTALL)
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn.count('class="card"') == replay.picture(GameRecord(ANY.make().new_state(seed=3)), 0).count(
        'class="card"'
    )


def test_a_film_has_a_frame_for_each_position(file, tmp_path):
    pillow = pytest.importorskip("PIL.Image")
    assert main([str(file), "--number", "3", "--gif", str(tmp_path / "game.gif"), "--width", "300"]) == 0
    with pillow.open(tmp_path / "game.gif") as film:
        assert film.n_frames == 2
        assert film.width == 300


def test_without_what_draws_a_film_is_refused_before_anything_is_written(file, tmp_path):
    done = run("watch", file, "--gif", tmp_path / "game.gif", "--html", tmp_path / "game.html", blocked=["resvg_py"])
    assert done.returncode == 1
    assert "resvg_py" in said(done)
    assert not (tmp_path / "game.html").exists()


def test_at_a_terminal_it_goes_as_told(file):
    terminal = Terminal("watch", [str(file)], file.parent)
    for key in ("", "l", "b", "what?", "3", "f", "q"):
        terminal.wait_for(f"[{KEYS}]")
        terminal.type(f"{key}\n")
    assert terminal.end() == 0
    shown = re.findall(r"Play (\d+) of|(The beginning)", terminal.printed)
    last = len(played(ANY.make(), seed=1))
    assert [number or "0" for number, _ in shown] == ["0", "1", str(last), str(last - 1), str(last - 1), "3", "0"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--number", "9"], "has 3 records, so there is no record 9"),
        (["--seat", "7"], "this record has 2 seats"),
        (["--seat", "x"], "whole number"),
        (["--names", "fr"], "invalid choice"),
        (["--html", "/nowhere/there/game.html"], "nowhere"),
    ],
)
def test_bad_arguments_get_a_sentence(file, arguments, sentence):
    done = run("watch", file, *arguments)
    assert done.returncode in (1, 2)
    assert sentence in said(done)


def test_a_file_that_is_none_gets_a_sentence(tmp_path):
    (tmp_path / "games.jsonl").write_text("{}\n")
    assert "line 1" in said(run("watch", tmp_path / "games.jsonl"))
    assert "No such file" in said(run("watch", tmp_path / "none.jsonl"))
