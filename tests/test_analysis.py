"""Analysis: what is said of positions comes from the view alone, and what a play gave away is what it is said to be."""

from __future__ import annotations

import json

import numpy as np
import pytest

from card_agents import make_agent
from card_agents.cli import analyse
from card_agents.cli.analyse import main
from card_agents.cli.command_line import REFUSED
from card_agents.evaluation.analysis import BASES, analyse_position, analyse_record, open_cards
from card_agents.evaluation.intervals import estimate
from card_envs import GAMES, GameRecord, make_game, write_records
from card_envs.players import word_of
from tests.bots import program
from tests.test_leaks import shuffled
from tests.variants import ANY, FEW, every, scattered


def in_play(game, count):
    states = scattered(game, count)
    return [state for i in range(count) if not (state := game.state(states, i)).is_over]


def played(game, seed=3, most=200):
    """A record of random play."""
    record, dice = GameRecord(game.new_state(seed=seed)), np.random.default_rng(seed)
    while not record.is_over and len(record) < most:
        record.play(int(dice.choice(record.position.legal_actions())))
    return record


@every(FEW)
def test_a_position_is_judged_by_open_cards_and_by_each_player(game):
    players = [(name, make_agent(name, game)) for name in ("greedy", "pimc:3")]
    for state in in_play(game, 8):
        found = analyse_position(state, players, worlds=3, seed=5)
        assert found.names == [game.action_name(action) for action in state.legal_actions()]
        assert [one.player for one in found.judgements] == ["greedy", "pimc:3"]
        known = found.open_cards
        assert known.mean.shape == known.spread.shape == found.actions.shape
        assert not np.isnan(known.mean).any()
        assert known.worlds == (1 if known.settled else 3)
        json.dumps(found.to_dict(), allow_nan=False)


@every(FEW)
def test_nothing_that_is_hidden_changes_an_analysis(game):
    dice = np.random.default_rng(3)
    players = [("pimc:3", make_agent("pimc:3", game))]
    for state in in_play(game, 8):
        other = game.state(shuffled(game, state.record.copy(), state.to_play, dice)[0], 0)
        told = [analyse_position(one, players, worlds=3).to_dict() for one in (state, other, state.view())]
        assert told[0] == told[1] == told[2]


@every(FEW)
def test_open_cards_are_means_over_the_worlds_sampled(game):
    seen = 0
    for state in in_play(game, 24):
        known = open_cards(state, 4, seed=9)
        if not known.exact:
            continue
        sampled = game.sample_worlds(state.view(), known.worlds, 9)
        legal = state.legal_actions()
        values = [game.open_worth(sampled, game.open_values(sampled)[:, action]) for action in legal]
        assert known.mean == pytest.approx([each.mean() for each in values])
        if known.worlds > 1:
            assert known.spread == pytest.approx([each.std(ddof=1) / 2 for each in values])
        seen += 1
    assert seen or not game.is_exact(scattered(game, 24)).any()


@every(FEW)
def test_a_play_gave_away_what_the_best_one_is_worth_more(game):
    record = played(game)
    judge = make_agent("pimc:2", game)
    found = analyse_record(record, ("pimc:2", judge), seed=4)
    assert [play.number for play in found.plays] == list(range(len(record)))
    for play, before, made in zip(found.plays, record.states(), record.plays, strict=False):
        assert (play.seat, play.action) == (made.seat, made.name)
        assert play.basis in BASES
        assert (play.basis == "forced") == (len(before.legal_actions()) == 1)
        assert play.low <= play.regret <= play.high
        if play.basis == "exact":
            true = game.open_values(before.record)[0]
            lost = game.open_worth(before.record, [np.nanmax(true)]) - game.open_worth(
                before.record, [true[game.action_id(made.name)]]
            )
            assert play.regret == play.low == play.high == pytest.approx(lost[0])
        elif play.basis == "judge":
            told = {row["action"]: row["value"] for row in judge.evaluate(before, seed=4).rows()}
            assert play.regret == pytest.approx(max(told.values()) - told[made.name])
            assert told[play.best] == max(told.values())
    json.dumps(found.to_dict(), allow_nan=False)


@every(FEW)
def test_an_interval_is_from_the_differences_in_the_same_worlds(game):
    record = played(game)
    judge, plain = make_agent("pimc:3", game), make_agent("exact+pimc:3", game)
    found, wider = (analyse_record(record, ("judge", one), seed=4).plays for one in (judge, plain))
    judged = [play.number for play in found if play.basis == "judge"]
    for number in judged:
        before, play = record.at(number), found[number]
        legal = before.legal_actions().tolist()
        worlds = judge.world_values(before.view().record.copy(), np.array([word_of(4)], np.uint64))[:, 0]
        made = game.action_id(play.action)
        others = [estimate(worlds[:, action] - worlds[:, made]) for action in legal if action != made]
        assert play.low == pytest.approx(max(0.0, *(one.low for one in others)))
        assert play.high == pytest.approx(max(0.0, *(one.high for one in others)))
        assert wider[number].regret == pytest.approx(play.regret)  # the same values, of which only the spreads are told
        assert wider[number].high >= wider[number].regret
    visits = analyse_record(record, ("tree", make_agent("ismcts:20", game))).plays
    assert all(np.isnan(visits[number].high) for number in judged)


@every(FEW)
def test_a_seat_is_told_the_sum_of_what_it_gave_away_and_its_worst_plays(game):
    found = analyse_record(played(game), ("pimc:2", make_agent("pimc:2", game)))
    summaries = found.summaries()
    assert [one.seat for one in summaries] == list(range(game.num_players))
    assert sum(one.decisions for one in summaries) == sum(play.basis != "forced" for play in found.plays)
    assert sum(one.total for one in summaries) == pytest.approx(sum(play.regret for play in found.plays))
    for one in summaries:
        own = [play.regret for play in found.plays if play.seat == one.seat and play.regret > 0]
        assert [play.regret for play in one.worst] == sorted(own, reverse=True)[:3]


@every(FEW)
def test_exact_play_gives_nothing_away_where_all_is_settled(game):
    record, exact = GameRecord(game.new_state(seed=5)), make_agent("exact+random", game)
    while not record.is_over and len(record) < 200:
        record.play(record.position.ask(exact, seed=len(record)))
    found = analyse_record(record, ("pimc:1", make_agent("pimc:1", game)))
    assert all(play.regret == 0 for play in found.plays if play.basis == "exact")


def test_a_judge_that_tells_no_values_is_refused():
    game = ANY.make()
    with pytest.raises(ValueError, match=r"greedy tells no values of plays, so it cannot judge play 1: name a player"):
        analyse_record(played(game), ("greedy", make_agent("greedy", game)))


# The command


@pytest.mark.parametrize("name", GAMES)
def test_the_command_analyses_the_position_of_a_line(name, tmp_path, capsys):
    pytest.importorskip("rich")
    state = make_game(name).new_state(seed=11)
    state.play(state.legal_actions()[0])
    path = tmp_path / "kept.json"
    arguments = [name, "--position", state.game.state_to_text(state), "--agents", "greedy", "mine=pimc:2"]
    assert main([*arguments, "--worlds", "4", "--seed", "2", "--names", "de", "--json", str(path)]) == 0
    players = [("greedy", make_agent("greedy", state.game)), ("mine", make_agent("pimc:2", state.game))]
    assert json.loads(path.read_text()) == analyse_position(state, players, worlds=4, seed=2).to_dict()
    printed = capsys.readouterr().out
    assert "mine, seat" in printed
    assert "Open cards" in printed


def test_programs_are_asked_too_and_ended(tmp_path, monkeypatch, capsys):
    pytest.importorskip("rich")
    bot = make_agent(program(tmp_path, "good"), ANY.make())
    running = []

    def analysed(*given, **how):
        found = analyse_position(*given, **how)
        running.append(len(bot._programs))
        return found

    monkeypatch.setattr(analyse, "make_agent", lambda name, game: bot)
    monkeypatch.setattr(analyse, "analyse_position", analysed)
    assert main([ANY.game, "--agents", "mine=cmd:program", "--worlds", "2"]) == 0
    assert "mine, seat" in capsys.readouterr().out
    assert running == [1]
    assert not bot._programs


def test_the_command_analyses_a_record_of_a_file(tmp_path, capsys):
    pytest.importorskip("rich")
    records = [played(ANY.make(), seed) for seed in (1, 2)]
    games, path = tmp_path / "games.jsonl", tmp_path / "kept.json"
    write_records(games, records)
    arguments = [str(games), "--number", "2", "--agents", "pimc:2", "ismcts:20", "--json", str(path)]
    assert main(arguments) == 0
    told = json.loads(path.read_text())["analyses"]
    assert [one["judge"] for one in told] == ["pimc:2", "ismcts:20"]
    judge = "pimc:2", make_agent("pimc:2", records[1].game)
    assert told[0] == analyse_record(records[1], judge).to_dict()
    assert "What each seat gave away" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("nowhere.jsonl", "There is no game and no file nowhere.jsonl: the games are"),
        (f"{ANY.game} --position nonsense", "is not a position"),
        (f"{ANY.game} --agents clever", "There is no player 'clever'"),
        (f"{ANY.game} --json /", "is a folder"),
    ],
)
def test_the_command_refuses_with_one_sentence(arguments, sentence, tmp_path, monkeypatch, capsys):
    pytest.importorskip("rich")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(arguments.split())
    assert stop.value.code == REFUSED
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
