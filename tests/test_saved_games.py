"""Games that evaluations and tournaments write down: those that were played, whatever played them and how."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent
from card_agents.cli import tournament as tournaments
from card_agents.cli.evaluate import main as evaluate
from card_agents.evaluation.arena import deal_seeds, meet
from card_agents.evaluation.evaluating import evaluate as evaluation_of
from card_agents.names import make_agent
from card_envs import GameRecord, read_records
from tests.bots import program
from tests.commands import SMALL
from tests.variants import DEFAULTS, FEW, every

pytest.importorskip("rich")


def pair(game):
    return RandomAgent(game), GreedyAgent(game)


@every(FEW)
def test_the_games_written_down_are_those_whose_points_are_counted(game):
    deals, seats = 4, game.num_players
    meeting = meet(game, ("a", "b"), pair(game), deal_seeds(3, deals), save_games=deals)
    assert len(meeting.games) == deals * seats
    for number, record in enumerate(meeting.games):
        deal, seat = divmod(number, seats)
        assert record.tags == {"deal": str(deal)}
        assert [player == "a" for player in record.players] == [other == seat for other in range(seats)]
        assert record.start == game.new_state(seed=int(deal_seeds(3, deals)[deal]))
        assert GameRecord.from_line(record.to_line()) == record
    own = [record.results["returns"][number % seats] for number, record in enumerate(meeting.games)]
    assert np.mean(own) == pytest.approx(meeting.points_a.mean)


@every(DEFAULTS)
def test_they_do_not_depend_on_the_width_of_a_batch_and_change_no_result(game):
    seeds = deal_seeds(3, 7)
    wide, narrow = (meet(game, ("a", "b"), pair(game), seeds, batch, save_games=5) for batch in (4096, 2))
    assert wide.games == narrow.games
    assert len(wide.games) == 5 * game.num_players
    none = meet(game, ("a", "b"), pair(game), seeds)
    assert none.games == ()
    assert none.to_dict() == wide.to_dict()


def test_a_game_that_a_bot_forfeits_is_written_down_to_its_end(tmp_path):
    game = card_envs.make_game(SMALL[0], suits=2, ranks=4, honours=2, hand_size=2)
    bot = make_agent(program(tmp_path, "crashes"), game)
    meeting = meet(game, ("bot", "random"), (bot, RandomAgent(game)), deal_seeds(0, 6), save_games=6)
    lost = [record for record in meeting.games if record.forfeited is not None]
    assert len(lost) == sum(one.times for one in meeting.forfeits) > 0
    assert {record.players[record.forfeited] for record in lost} == {"bot"}
    assert all(GameRecord.from_line(record.to_line()) == record for record in meeting.games)


def test_an_evaluation_writes_the_games_of_all_pairs(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = [*SMALL, "--agents", "random", "greedy", "A=random", "--deals", "6", "--seed", "4"]
    assert evaluate([*arguments, "--save-games", "2", "--games", "games.jsonl"]) == 0
    assert "12 games are in games.jsonl" in capsys.readouterr().out
    records = list(read_records("games.jsonl"))
    assert [record.players for record in records[::4]] == [("random", "greedy"), ("random", "A"), ("greedy", "A")]
    game = records[0].game
    agents = [("random", RandomAgent(game)), ("greedy", GreedyAgent(game)), ("A", RandomAgent(game))]
    assert records == evaluation_of(game, agents, deals=6, seed=4, save_games=2).games
    assert evaluate([*arguments, "--save-games", "1"]) == 0
    (path,) = (tmp_path / "runs").iterdir()
    assert f"6 games are in runs/{path.name}" in capsys.readouterr().out
    assert list(read_records(path)) == [record for number, record in enumerate(records) if number % 4 < 2]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--games", "games.jsonl"], "--games names the file for the games of --save-games N: give both."),
        (["--save-games", "3", "--games", "nowhere/games.jsonl"], "cannot be written"),
        (["--save-games", "-1"], "-1 is out of range"),
    ],
)
def test_games_that_cannot_be_written_are_refused_before_any_is_played(given, sentence, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        evaluate([*SMALL, "--agents", "random", "greedy", "--deals", "4", *given])
    assert stop.value.code == 2
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


CUP = [*SMALL, "--agents", "random", "greedy", "--deals", "9", "--chunk", "3", "--save-games", "5", "--out"]


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    """The folder of a tournament whose first five deals are written down."""
    folder = tmp_path_factory.mktemp("cup") / "cup"
    assert tournaments.main([*CUP, str(folder)]) == 0
    return folder


def test_a_tournament_writes_the_same_games_however_it_is_played(cup, tmp_path):
    games = (cup / tournaments.GAMES).read_bytes()
    records = list(read_records(cup / tournaments.GAMES))
    assert [record.tags["deal"] for record in records] == [str(deal) for deal in range(5) for _ in range(2)]
    assert tournaments.main([*CUP, str(tmp_path / "two"), "--workers", "2"]) == 0
    assert (tmp_path / "two" / tournaments.GAMES).read_bytes() == games
    shutil.copytree(cup, tmp_path / "broken")
    (tmp_path / "broken" / "chunks" / "0000-000001.json").unlink()
    (tmp_path / "broken" / tournaments.GAMES).unlink()
    assert tournaments.main([*CUP, str(tmp_path / "broken")]) == 0
    assert (tmp_path / "broken" / tournaments.GAMES).read_bytes() == games


def test_a_tournament_resumes_only_with_the_same_number_of_games(cup, capsys):
    with pytest.raises(SystemExit):
        tournaments.main([*CUP, str(cup), "--save-games", "6"])
    assert "differs in save_games" in capsys.readouterr().err


def test_a_test_that_is_decided_writes_only_games_of_the_deals_it_needed(tmp_path):
    given = [*SMALL, "--sprt", "greedy", "random", "--better", "1", "--deals", "400", "--chunk", "50"]
    for workers in ("1", "2"):
        folder = tmp_path / workers
        assert tournaments.main([*given, "--save-games", "400", "--workers", workers, "--out", str(folder)]) == 0
        needed = json.loads((folder / tournaments.VERDICT).read_text())["deals_needed"]
        records = list(read_records(folder / tournaments.GAMES))
        assert len(records) == 2 * needed
        assert records[-1].tags["deal"] == str(needed - 1)
    assert needed < 400
    one, two = ((tmp_path / workers / tournaments.GAMES).read_bytes() for workers in ("1", "2"))
    assert one == two
