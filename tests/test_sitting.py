"""Games between people and players: turns, late plays, plays taken back, games that go on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from card_agents.table.sitting import LatePlay, Sitting
from card_envs import Game, IllegalAction
from card_envs.cards import NAMES
from card_envs.records import GameRecord
from card_envs.render.plays import said
from tests.bots import program
from tests.test_tournament_bots import none_left
from tests.variants import ANY, DEFAULTS, FEW, MATCHES, SEVERAL, every


def begun(game: Game, player: str = "random", seat: int = 0, seed: int = 5) -> Sitting:
    """One person at a table of players."""
    return Sitting.begin(game, [None if s == seat else player for s in range(game.num_players)], seed=seed)


def play_on(sitting: Sitting) -> None:
    """Let the players play until a person is on turn, or it is over."""
    while sitting.to_play >= 0 and not sitting.waits_for_person:
        sitting.put(sitting.think(), sitting.plays)


def play_once(sitting: Sitting) -> None:
    """Play for the person on turn, and let the players answer."""
    sitting.play(sitting.to_play, int(sitting.record.position.legal_actions()[-1]))
    play_on(sitting)


def content(sitting: Sitting) -> tuple[Any, ...]:
    return sitting.record.to_line(), sitting.plays, sitting.to_play


@every(FEW)
def test_people_and_players_play_to_the_end(game: Game) -> None:
    for seat in range(min(game.num_players, 3)):
        sitting = begun(game, seat=seat)
        play_on(sitting)
        while not sitting.record.is_over:
            assert sitting.waits_for_person
            assert sitting.to_play == seat
            play_once(sitting)
        assert sitting.to_play == -1
        assert not sitting.waits_for_person
        assert GameRecord.from_line(sitting.record.to_line()) == sitting.record


@every(FEW)
def test_a_game_that_was_broken_off_goes_on_as_it_would_have(game: Game) -> None:
    sitting = begun(game)
    play_on(sitting)
    lines = [sitting.record.to_line()]
    while not sitting.record.is_over and len(lines) < 40:
        play_once(sitting)
        lines.append(sitting.record.to_line())
    for begin in range(0, len(lines) - 1, 7):
        again = Sitting.resume(GameRecord.from_line(lines[begin]))
        for line in lines[begin + 1 :]:
            play_once(again)
            assert again.record.to_line() == line


def test_everything_comes_from_the_seed() -> None:
    lines = []
    for seed in (5, 5, 6):
        sitting = begun(ANY.make(), seed=seed)
        play_on(sitting)
        while not sitting.record.is_over:
            play_once(sitting)
        lines.append(sitting.record.to_line())
    assert lines[0] == lines[1] != lines[2]
    assert Sitting.begin(ANY.make(), [None, None]).record != Sitting.begin(ANY.make(), [None, None]).record


@every(DEFAULTS)
def test_a_late_or_doubled_play_changes_nothing(game: Game) -> None:
    sitting = begun(game)
    play_on(sitting)
    seen, action = sitting.plays, int(sitting.record.position.legal_actions()[0])
    sitting.play(0, action, seen)
    before = content(sitting)
    with pytest.raises(LatePlay, match=f"you have seen {seen} plays, and there are {seen + 1}"):
        sitting.play(0, action, seen)
    with pytest.raises(LatePlay):
        sitting.undo(0, seen)
    with pytest.raises(LatePlay):
        sitting.put(0, seen)
    assert content(sitting) == before


@every(DEFAULTS)
def test_only_the_person_on_turn_plays_and_only_what_is_legal(game: Game) -> None:
    sitting = next(one for one in (begun(game, seed=seed) for seed in range(100)) if not one.waits_for_person)
    before = content(sitting)
    with pytest.raises(ValueError, match=f"not the turn of seat 0: seat {sitting.to_play} is to play"):
        sitting.play(0, 0)
    for nobody in (sitting.to_play, -1, game.num_players, "0"):
        with pytest.raises(ValueError, match="is not a person's"):
            sitting.play(nobody, 0)  # type: ignore[arg-type]
    assert content(sitting) == before
    play_on(sitting)
    before = content(sitting)
    illegal = next(a for a in range(game.num_actions) if a not in sitting.record.position.legal_actions())
    with pytest.raises(IllegalAction, match="cannot play"):
        sitting.play(0, illegal)
    with pytest.raises(ValueError, match="No player is on turn"):
        sitting.think()
    assert content(sitting) == before


@every(DEFAULTS)
def test_plays_are_taken_by_name_in_every_language(game: Game) -> None:
    for names in NAMES:
        sitting = Sitting.begin(game, [None] * game.num_players, seed=8)
        while not sitting.record.is_over:
            action = game.action_name(int(sitting.record.position.legal_actions()[0]))
            sitting.play(sitting.to_play, said(action, names))
            assert sitting.record.plays[-1].name == action


@every(FEW)
def test_a_play_is_taken_back_with_the_answers_to_it(game: Game) -> None:
    sitting = begun(game)
    play_on(sitting)
    while not sitting.record.is_over:
        seen, position, deals = sitting.plays, sitting.record.position, len(sitting.record.deals())
        play_once(sitting)
        if sitting.record.is_over or len(sitting.record.deals()) > deals:
            assert not sitting.can_undo(0)
            with pytest.raises(ValueError, match=r"It is over|has not played in this deal yet"):
                sitting.undo(0)
            continue
        whole = content(sitting)
        assert sitting.can_undo(0)
        assert sitting.undo(0, sitting.plays) == seen == sitting.plays
        assert sitting.record.position == position
        play_once(sitting)
        assert content(sitting) == whole
        if sitting.plays > 60:
            return


def test_a_play_cannot_be_taken_back_after_another_persons() -> None:
    game = SEVERAL.make()
    sitting = Sitting.begin(game, [None, None, *["greedy"] * (game.num_players - 2)], seed=3)
    for seat in (0, 1):
        assert not sitting.can_undo(seat)
    while len({play.seat for play in sitting.record.plays} & {0, 1}) < 2:
        play_on(sitting)
        first = sitting.to_play
        play_once(sitting)
    assert sitting.can_undo(first)
    with pytest.raises(ValueError, match=f"Seat {first}, another person, has played since then"):
        sitting.undo(1 - first)
    with pytest.raises(ValueError, match="Seat 2 is not a person's"):
        sitting.undo(2)


@every(DEFAULTS)
def test_the_next_deal_has_the_same_seats_and_the_next_pack(game: Game) -> None:
    sitting = begun(game)
    with pytest.raises(ValueError, match="not over yet"):
        sitting.next_deal()
    play_on(sitting)
    while not sitting.record.is_over:
        play_once(sitting)
    final = sitting.record.position
    following = sitting.next_deal()
    dealer = (final.dealer + 1) % game.num_players
    assert following.record.start == game.new_state(5, deal=int(final.record["deal"][0]) + 1, dealer=dealer)
    assert following.record.start.dealer == dealer
    assert following.seats == sitting.seats
    assert following.record.players == sitting.record.players
    assert following.record.tags["words"] != sitting.record.tags["words"]
    play_on(following)
    play_once(Sitting.resume(GameRecord.from_line(following.record.to_line())))


@every(MATCHES)
def test_no_play_of_an_earlier_deal_of_a_match_is_taken_back(game: Game) -> None:
    sitting = begun(game)
    play_on(sitting)
    while not sitting.record.is_over and len(sitting.record.deals()) < 2:
        play_once(sitting)
    assert not sitting.can_undo(0)


@every(FEW)
def test_a_hint_is_what_a_player_knows_of_the_view_of_the_seat(game: Game) -> None:
    sitting = begun(game)
    play_on(sitting)
    before = content(sitting)
    position = sitting.record.position
    hint = sitting.hint(0, "greedy")
    assert hint.chosen == position.greedy_action()
    assert hint.actions.tolist() == position.legal_actions().tolist()
    assert [str(sitting.hint(0, "pimc:2")) for _ in range(2)] == 2 * [str(sitting.hint(0, "pimc:2"))]
    with pytest.raises(ValueError, match="is not a person's"):
        sitting.hint(1, "greedy")
    with pytest.raises(ValueError, match="There is no player 'clever'"):
        sitting.hint(0, "clever")
    assert content(sitting) == before
    sitting.play(0, hint.chosen)
    if sitting.to_play != 0:
        with pytest.raises(ValueError, match="for whoever is on turn"):
            sitting.hint(0, "greedy")


def test_what_cannot_be_seated_is_refused() -> None:
    game = ANY.make()
    for seats in (["greedy"], [None, None, None], "ab", [None, 3], 7):
        with pytest.raises(ValueError, match=f"who plays in each of {game.num_players} seats"):
            Sitting.begin(game, seats)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="There is no player 'clever'"):
        Sitting.begin(game, [None, "clever"])


def test_a_record_of_something_else_does_not_go_on() -> None:
    state = ANY.make().new_state(seed=1)
    for tags in ({}, {"seats": "["}, {"seats": "[null]"}, {"seats": '"ab"'}, {"seats": "[" * 5000}):
        with pytest.raises(ValueError, match="does not say who plays in which seat"):
            Sitting.resume(GameRecord(state, tags=tags))
    sitting = Sitting.resume(GameRecord(state), [None, "greedy"])
    assert sitting.seats == (None, "greedy")
    assert sitting.record.players == ("person", "greedy")


def test_a_record_starts_no_program() -> None:
    state = ANY.make().new_state(seed=1)
    for name in ("cmd:./bot", "os:system", "exact+cmd:./bot"):
        with pytest.raises(ValueError, match="a program that a record cannot start: name it again"):
            Sitting.resume(GameRecord(state, tags={"seats": json.dumps([None, name])}))


def test_a_program_is_begun_anew_when_a_play_is_taken_back_and_ends_with_the_sitting(tmp_path: Any) -> None:
    sitting = begun(ANY.make(), player=program(tmp_path, "good"))
    play_on(sitting)
    play_once(sitting)
    started = len((tmp_path / "pids").read_text().split())
    sitting.undo(0)
    play_once(sitting)
    assert len((tmp_path / "pids").read_text().split()) == started + 1
    while not sitting.record.is_over:
        play_once(sitting)
    following = sitting.next_deal()
    sitting.close()
    play_on(following)
    play_once(following)
    following.close()
    assert none_left(tmp_path)[1]


def test_a_program_that_fails_is_told_and_nothing_is_played(tmp_path: Any) -> None:
    sitting = begun(ANY.make(), player=program(tmp_path, "crashes at the start"))
    if sitting.waits_for_person:
        sitting.play(0, int(sitting.record.position.legal_actions()[0]))
    before = content(sitting)
    with pytest.raises(ValueError, match="gave no play: it could not be started"):
        sitting.think()
    assert content(sitting) == before
    sitting.close()
