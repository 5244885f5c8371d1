"""Play in the terminal: what is shown, what can be typed, what is kept, and that no hidden card is told."""

from __future__ import annotations

import builtins
import contextlib
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from card_agents.table.game_file import GameFile
from card_agents.table.plays import listed_plays, told_play, typed_play
from card_agents.table.sitting import Sitting
from card_agents.table.terminal import Quit, Terminal, in_columns, totals
from card_envs import Game
from card_envs.cards import NAMES, SYMBOLS
from card_envs.records import GameRecord, read_records
from card_envs.render.plays import said
from tests.bots import program
from tests.variants import ANY, DEFAULTS, FEW, MATCHES, SEVERAL, every

pytest.importorskip("rich")

PROMPT = "1 to "


class Screen:
    """A terminal whose screen is a text, and the keyboard of which is a function of what has been printed since."""

    def __init__(
        self,
        sitting: Sitting,
        file: Path | GameFile,
        typed: Callable[[str], str],
        monkeypatch: pytest.MonkeyPatch,
        **how: Any,
    ) -> None:
        from rich.console import Console

        self.printed = io.StringIO()
        self.begin = 0
        self.typed = typed
        console = Console(file=self.printed, width=100, markup=False, highlight=False, emoji=False)
        how = {"hints": "greedy", "rules": "Nowhere.", **how}
        file = file if isinstance(file, GameFile) else GameFile(file)
        self.terminal = Terminal(console, sitting, file, **how)
        monkeypatch.setattr(builtins, "input", self.input)

    def input(self, prompt: str) -> str:
        self.printed.write(prompt)
        return self.typed(self.since())

    def since(self) -> str:
        """What has been printed since it was last looked at."""
        text = self.text()[self.begin :]
        self.begin = len(self.text())
        return text

    def text(self) -> str:
        return self.printed.getvalue()


def answers(*texts: str) -> Callable[[str], str]:
    """These answers, then the first play again and again; Enter where nothing is to be played."""
    left: Iterator[str] = iter(texts)
    return lambda printed: next(left, "1" if PROMPT in printed.splitlines()[-1] else "")


def one_person(game: Game, seed: int = 5) -> Sitting:
    return Sitting.begin(game, [None, *["random"] * (game.num_players - 1)], seed=seed)


def cards(text: str) -> set[str]:
    """The cards in a text for people, by name."""
    letters = {symbol: suit for suit, symbol in SYMBOLS.items()}
    return {rank.replace("10", "T") + letters[suit] for rank, suit in re.findall(r"(10|[A-Z2-9])([♣♦♥♠])", text)}


def named(data: Any) -> set[str]:
    """The cards in data for JSON."""
    if isinstance(data, str):
        return {data} if re.fullmatch(r"[A-Z2-9][cdhs]", data) else {data[:2]} if "x" in data else set()
    if isinstance(data, dict):
        data = [*data.values()]
    return set().union(*map(named, data)) if isinstance(data, list) else set()


# What is shown


@every(FEW)
def test_a_whole_game_is_played_and_kept(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(one_person(game), tmp_path / "games", answers("?", "hint", ""), monkeypatch)
    screen.terminal.play(1)
    (record,) = read_records(tmp_path / "games")
    assert record == screen.terminal.sitting.record
    assert record.is_over
    for number, play in enumerate(record.plays):
        who = "You play" if play.seat == 0 else f"Seat {play.seat}, {record.players[play.seat]}, plays"
        assert f"{who} {told_play(record, number)}." in screen.text()
    assert record.results is not None
    told = record.results["scores" if game.rules.match else "points"]
    assert f"you {told[0]}, random {told[1]}" in screen.text()
    assert game.describe() in screen.text()
    assert "greedy, seat 0 to play" in screen.text()


@every([*DEFAULTS, SEVERAL])
def test_no_card_is_told_before_its_seat_can_know_it(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def typed(printed: str) -> str:
        record = screen.terminal.sitting.record
        known = set().union(*(named(state.public(0)) for state in record.states()))
        assert cards(printed) <= known
        looked.append(len(cards(printed)))
        return "hint" if "hint" not in printed and len(looked) % 4 == 0 and PROMPT in printed else "1"

    looked: list[int] = []
    for seed in range(3):
        screen = Screen(one_person(game, seed), tmp_path / f"{seed}", typed, monkeypatch)
        screen.terminal.play(1)
    assert len(looked) > 20
    assert max(looked) > 8


@every(FEW)
def test_what_is_shown_is_the_same_whatever_the_hidden_cards_are(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same view, other worlds: the page, the plays, a hint, and what is said of a wrong play."""
    state = game.new_state(seed=11)
    compared = 0
    typed = ("?", "hint", "", "nothing", "quit")
    while not state.is_over:
        seats = [None if seat == state.to_play else "random" for seat in range(game.num_players)]
        worlds = game.sample_worlds(state.view(), 3, 1)
        shown = set()
        for world in [state, *(game.state(worlds, row) for row in range(3))]:
            sitting = Sitting(GameRecord(world, tags={"words": "1"}), seats)
            screen = Screen(sitting, tmp_path / "games", answers(*typed), monkeypatch, hints="pimc:2")
            with pytest.raises(Quit):
                screen.terminal.play(1)
            shown.add(screen.text())
        assert len(shown) == 1
        compared += 1
        for _ in range(1 + game.max_plays // 6):
            if not state.is_over:
                state.play(state.sample_action())
    assert compared > 2


def test_several_people_see_their_own_cards_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = ANY.make()

    def typed(printed: str) -> str:
        record = screen.terminal.sitting.record
        if "press Enter when you alone see the screen" in printed:
            asked.append(int(re.findall(r"Seat (\d+), (?:Ada|Bob): press", printed)[-1]))
            assert cards(printed) <= named([record.at(len(record)).public(seat)["history"] for seat in (0, 1)])
        elif PROMPT in printed:
            assert record.position.to_play == asked[-1]
            assert cards(printed) <= named(record.position.public(asked[-1]))
        return "1" if PROMPT in printed else ""

    asked: list[int] = []
    sitting = Sitting.begin(game, [None, None], seed=3, labels=["Ada", "Bob"])
    screen = Screen(sitting, tmp_path / "games", typed, monkeypatch)
    screen.terminal.play(1)
    assert set(asked) == {0, 1}
    assert asked == [play.seat for play in sitting.record.plays]
    assert "Points of this deal: Ada" in screen.text()


@pytest.mark.parametrize("names", NAMES)
def test_cards_are_named_in_the_language_chosen(names: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(one_person(ANY.make()), tmp_path / "games", answers(), monkeypatch, names=names)
    screen.terminal.play(1)
    queens = {"en": "Q♠", "ru": "Д♠", "de": "D♠"}
    for language, queen in queens.items():
        assert (queen in screen.text()) == (language == names)
    assert re.search("T[♣♦♥♠]", screen.text()) is None or names == "ru"


def test_a_deal_of_a_match_is_told_and_matches_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = MATCHES[0].make()
    screen = Screen(one_person(game), tmp_path / "games", answers(), monkeypatch)
    screen.terminal.play(2)
    first, second = read_records(tmp_path / "games")
    deals = len(first.deals()) + len(second.deals())
    assert len(re.findall(r"Deal \d+ of the match: you \d+, random \d+", screen.text())) == deals - 2
    assert screen.text().count("The match ends at") == 2
    won = totals([first, second])
    assert sum(won) == 2
    assert f"After 2 matches: won you {won[0]}, random {won[1]}." in screen.text()


# What can be typed


@every(FEW)
def test_a_play_is_its_number_its_name_or_enough_of_it(game: Game) -> None:
    state = game.new_state(seed=2)
    while not state.is_over:
        view = state.view()
        legal = view.legal_actions().tolist()
        for number, action in enumerate(legal, 1):
            name = game.action_name(action)
            assert typed_play(str(number), view) == action
            for text in (name, name.lower(), *(said(name, names) for names in NAMES)):
                assert typed_play(text, view) == action, text
            alone = [other for other in legal if game.action_name(other)[:2] == name[:2]] == [action]
            if alone:
                assert typed_play(name[:2], view) == action
        for nothing in ("0", str(len(legal) + 20), "zz", "+1", "１", "9" * 5000):
            with pytest.raises(ValueError, match=r"is none of your plays|may be"):
                typed_play(nothing, view)
        state.play(state.sample_action())


def test_a_beginning_that_several_plays_have_is_asked_about() -> None:
    game = ANY.make()
    held = (game.new_state(seed=seed).view() for seed in range(100))
    view = next(one for one in held if len([a for a in one.legal_actions() if game.action_name(int(a))[0] == "A"]) > 1)
    with pytest.raises(ValueError, match=r"'a' may be A., A."):
        typed_play("a", view)


def test_a_letter_that_may_be_a_card_does_not_quit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = ANY.make()
    for seed in range(30):
        sitting = Sitting.begin(game, [None, None], seed=seed)
        holds = any(game.action_name(int(a))[0] == "Q" for a in sitting.record.position.legal_actions())
        screen = Screen(sitting, tmp_path / "games", answers("", "q", "quit"), monkeypatch)
        with pytest.raises(Quit):
            screen.terminal.play(1)
        assert ("q may be a card" in screen.text()) == holds
        assert sitting.plays == 0
        assert not (tmp_path / "games").exists()


@every(DEFAULTS)
def test_a_play_is_taken_back_and_a_mistake_gets_a_sentence(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = answers("undo", "1", "u", "what", "1", "quit")
    screen = Screen(one_person(game), tmp_path / "games", typed, monkeypatch)
    with pytest.raises(Quit):
        screen.terminal.play(1)
    assert "has not played in this deal yet" in screen.text()
    assert "Taken back." in screen.text()
    assert "'what' is none of your plays: give its number, 1 to " in screen.text()
    assert [play.seat for play in screen.terminal.sitting.record.plays].count(0) == 1


def test_columns_fit_the_width() -> None:
    assert in_columns(["1 a", "2 bb", "3 c"], 15) == ["1 a    2 bb", "3 c"]
    assert in_columns(["1 long", "2 long"], 3) == ["1 long", "2 long"]
    lines = [len(line) for line in in_columns(listed_plays(SEVERAL.make().new_state(seed=1).view()), 60)]
    assert max(lines) <= 60


# What is kept


@every(DEFAULTS)
def test_it_is_kept_after_every_play_and_goes_on(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games"
    whole = Screen(one_person(game), tmp_path / "whole", answers(), monkeypatch)
    whole.terminal.play(2)
    sitting, file, times = one_person(game), GameFile(path), 0
    while True:
        once = iter(["1"])
        screen = Screen(
            sitting, file, lambda text, left=once: next(left, "quit") if PROMPT in text else "", monkeypatch
        )
        if len(screen.terminal.finished) == 2:
            break
        with contextlib.suppress(Quit):
            screen.terminal.play(1)
        file = GameFile(path)
        sitting = Sitting.resume(file.take_last())
        times += 1
    assert times > 20
    assert path.read_text() == (tmp_path / "whole").read_text()


def test_a_file_of_records_is_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games"
    for seed in (5, 6):
        screen = Screen(one_person(ANY.make(), seed), path, answers(), monkeypatch)
        assert screen.terminal.finished == []
        screen.terminal.play(2)
    records = list(read_records(path))
    assert [int(record.start.record["seed"][0]) for record in records] == [5, 5, 6, 6]
    file = GameFile(path)
    assert file.of_this_sitting(file.take_last()) == records[2:]


def test_somebody_elses_writing_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.jsonl"
    theirs = Screen(one_person(ANY.make(), 1), path, answers(), monkeypatch)
    ours = Screen(one_person(ANY.make(), 2), path, answers(), monkeypatch)
    monkeypatch.setattr(builtins, "input", theirs.input)
    theirs.terminal.play(1)
    monkeypatch.setattr(builtins, "input", ours.input)
    ours.terminal.play(1)
    assert [record.start.record["seed"][0] for record in read_records(path)] == [1]
    assert [record.start.record["seed"][0] for record in read_records(tmp_path / "games-2.jsonl")] == [2]
    assert f"Somebody else has written into {path}" in " ".join(ours.text().split())


def test_a_file_that_is_full_is_told_of_and_play_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from card_agents.table import game_file

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    screen = Screen(one_person(ANY.make()), tmp_path / "games", answers(), monkeypatch)
    monkeypatch.setattr(game_file, "write_whole", full)
    screen.terminal.play(1)
    assert "This play could not be saved: No space left on device." in screen.text()
    assert screen.terminal.sitting.record.is_over


@pytest.mark.parametrize("content", ["what?\n", "{}\n", '{"record": 2}\n'])
def test_a_file_of_something_else_is_left_alone(content: str, tmp_path: Path) -> None:
    path = tmp_path / "games"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"games, line 1: "):
        GameFile(path)
    assert path.read_text() == content
    with pytest.raises(ValueError, match="holds no game"):
        GameFile(tmp_path / "none").take_last()


def test_a_player_that_fails_loses_and_the_next_deal_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = Sitting.begin(ANY.make(), [None, program(tmp_path, "crashes at the start")], seed=5, labels=["Ada", "it"])
    screen = Screen(sitting, tmp_path / "games", answers(), monkeypatch)
    screen.terminal.play(2)
    screen.terminal.sitting.close()
    assert [record.forfeited for record in read_records(tmp_path / "games")] == [1, 1]
    assert screen.text().count("So seat 1 loses this game.") == 2
