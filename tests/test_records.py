"""Game records: what is written is read back, position by position; what is no record is refused with a sentence."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from card_envs import GameRecord, IllegalAction, read_records, write_records
from card_envs.record_lines import DEAL, ENTRIES
from card_envs.records import RESULTS
from tests.record_files import broken_line, played, random_record
from tests.variants import ANY, MANY, MATCHES, VARIANTS, every

SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "record.schema.json").read_text(encoding="utf-8"))


def changed(record: GameRecord, /, **entries) -> str:
    """The line of a record with other values for these entries."""
    return json.dumps(json.loads(record.to_line()) | entries)


@pytest.fixture
def record() -> GameRecord:
    return played(ANY.make(), seed=3)


@every(MANY)
def test_what_is_written_is_read_back_position_by_position(game):
    dice = random.Random(game.describe())
    for _ in range(4):
        wrote = random_record(game, dice)
        read = GameRecord.from_line(wrote.to_line())
        assert read == wrote
        assert read.plays == wrote.plays
        assert [state.record.tobytes() for state in read.states()] == [s.record.tobytes() for s in wrote.states()]
        assert read.position == wrote.position
        assert (read.results, read.tags, read.players) == (wrote.results, wrote.tags, wrote.players)


@every(VARIANTS)
def test_every_line_is_as_the_schema_says(game):
    dice = random.Random(1)
    for _ in range(3):
        line = json.loads(random_record(game, dice).to_line())
        Draft202012Validator(SCHEMA).validate(line)
        assert list(line) == list(ENTRIES) == list(SCHEMA["properties"]) == SCHEMA["required"]
        assert list(line["deals"][0]) == list(DEAL) == SCHEMA["properties"]["deals"]["items"]["required"]
        if line["results"] is not None:
            assert list(line["results"]) == list(RESULTS)


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


@every(VARIANTS)
def test_a_record_holds_the_game_as_it_was_played(game):
    state = game.new_state(seed=5)
    record = GameRecord(state)
    for number in range(2 * game.max_plays):
        if state.is_over:
            break
        assert record.at(number) == state
        action = state.greedy_action()
        seat, name = state.to_play, game.action_name(action)
        record.play(name)
        state.play(action)
        assert (record.plays[-1].seat, record.plays[-1].name) == (seat, name)
        assert record.position == state
        assert record.is_over == state.is_over
    if state.is_over:
        assert record.results["points"] == state.points().tolist()
        assert record.results["returns"] == state.returns().tolist()


@every(MATCHES)
def test_the_deals_of_a_match_are_told_apart(game):
    record = GameRecord(game.new_state(seed=8))
    while not record.is_over and len(record) < 5 * game.max_plays:
        record.play(record.position.greedy_action())
    deals = record.deals()
    assert [number for deal in deals for number in deal] == list(range(len(record)))
    for deal in deals:
        assert record.at(deal.start).history == []
        if deal:  # of the last one nothing may have been played
            played_before = [(play.seat, play.name) for play in record.plays[deal.start : deal.stop - 1]]
            assert record.at(deal.stop - 1).history == played_before
    packs = [deal["pack"] for deal in json.loads(record.to_line())["deals"]]
    assert len(set(packs)) == len(deals)


@every(VARIANTS)
def test_a_branch_goes_on_otherwise_and_leaves_the_record_as_it_was(game):
    record = played(game, seed=2)
    before = record.to_line()
    for plays in (0, len(record) // 2, len(record)):
        branch = record.branch(plays)
        assert branch.position == record.at(plays)
        assert branch.plays == record.plays[:plays]
        while not branch.is_over and len(branch) < plays + 4:
            branch.play(branch.position.legal_actions()[-1])
        assert GameRecord.from_line(branch.to_line()) == branch
    assert record.to_line() == before


@every(VARIANTS)
def test_a_forfeited_episode_pays_as_the_game_says_and_can_be_played_on_from_before(game):
    record = GameRecord(game.new_state(seed=1))
    record.play(record.position.legal_actions()[0])
    before = record.position
    record.forfeit()
    row = before.record.copy()
    game.forfeit(row, None)
    assert record.position.record.tobytes() == row.tobytes()
    assert record.forfeited == before.to_play
    assert record.results["returns"] == game.returns(row)[0].tolist()
    with pytest.raises(IllegalAction, match="over"):
        record.play(0)
    with pytest.raises(ValueError, match="over already"):
        record.forfeit()
    assert GameRecord.from_line(record.to_line()) == record
    again = record.branch(1)
    assert again.position == before
    assert not again.is_over


def test_an_illegal_play_changes_nothing(record):
    branch = record.branch(3)
    before = branch.to_line()
    legal = set(branch.position.legal_actions().tolist())
    illegal = next(action for action in range(branch.game.num_actions) if action not in legal)
    for play, note in ((illegal, ""), ("Zz", ""), (None, ""), (1.5, ""), (min(legal), 7), (min(legal), "\ud800")):
        with pytest.raises(ValueError, match=r"cannot play|Zz|is no action|note is"):
            branch.play(play, note)
    assert branch.to_line() == before


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({"record": 2}, "of version 2, but version 1 is read"),
        ({"record": True}, "of version True"),
        ({"game": "whist"}, "of the game 'whist'"),
        ({"game": None}, "of the game None"),
        ({"rules": []}, "must be an object"),
        ({"rules": {"name": 1, "self": 2}}, "does not have: \\['name', 'self'\\]"),
        ({"start": 5}, "not a position"),
        ({"players": ["one"]}, "one for each seat, or none"),
        ({"players": "me"}, "one for each seat, or none"),
        ({"players": [1, 2]}, "players\\[0\\] is 1"),
        ({"deals": {}}, "list of objects"),
        ({"deals": [{"plays": ""}]}, "must have the entries"),
        ({"deals": []}, "results"),
        ({"forfeit": 1}, "over already"),
        ({"results": None}, "says results None"),
        ({"notes": {"99999": "?"}}, "a note about play '99999'"),
        ({"notes": {"x": "?"}}, "a note about play 'x'"),
        ({"notes": {"0": 5}}, "notes\\['0'\\] is 5"),
        ({"tags": 5}, "tags=5"),
        ({"more": 5}, "'more'"),
    ],
)
def test_a_line_that_contradicts_itself_is_refused(record, entries, sentence):
    with pytest.raises(ValueError, match=sentence):
        GameRecord.from_line(changed(record, **entries))


def test_packs_points_and_dealers_that_the_plays_do_not_lead_to_are_refused(record):
    for name, value in (("dealer", 7), ("pack", "Kh"), ("points", [40, 0]), ("points", None)):
        deals = json.loads(record.to_line())["deals"]
        deals[0][name] = value
        with pytest.raises(ValueError, match=f"Deal 1 of the record has {name}"):
            GameRecord.from_line(changed(record, deals=deals))
    deals = json.loads(record.to_line())["deals"]
    with pytest.raises(ValueError, match="has 2 deals, but its plays make 1"):
        GameRecord.from_line(changed(record, deals=[*deals, deals[0] | {"plays": ""}]))


def test_an_illegal_play_of_a_line_is_named(record):
    deals = json.loads(record.to_line())["deals"]
    plays = deals[0]["plays"].split()
    plays[4] = plays[0]
    deals[0]["plays"] = " ".join(plays)
    with pytest.raises(ValueError, match=f"Play 5 of the record cannot be made. Seat . cannot play {plays[0]}"):
        GameRecord.from_line(changed(record, deals=deals))


def test_a_record_begins_with_a_full_position_in_play(record):
    with pytest.raises(ValueError, match="hidden cards are blank"):
        GameRecord(record.start.view())
    with pytest.raises(ValueError, match="is over"):
        GameRecord(record.position)


def test_a_file_is_read_line_by_line_and_replaced_as_a_whole(tmp_path):
    path = tmp_path / "games.jsonl"
    records = [played(variant.make(), seed=4) for variant in VARIANTS[:5]]
    write_records(path, records)
    assert list(read_records(path)) == records
    path.write_text("\n\n" + path.read_text(encoding="utf-8").replace("\n", "\r\n\n"), encoding="utf-8-sig")
    assert list(read_records(path)) == records
    write_records(path, records[:1])
    assert list(read_records(str(path))) == records[:1]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_torn_last_line_is_told_after_the_records_before_it_were_given(tmp_path):
    path = tmp_path / "games.jsonl"
    records = [played(ANY.make(), seed=seed) for seed in range(3)]
    write_records(path, records)
    path.write_bytes(path.read_bytes()[:-40])
    reading = read_records(path)
    assert [next(reading), next(reading)] == records[:2]
    with pytest.raises(ValueError, match=r"games.jsonl, line 3: .* may be missing. There are 2 records before it."):
        next(reading)


def test_any_broken_line_is_refused_with_a_sentence_or_read(tmp_path):
    """A hundred thousand bytes here; ``python -m tests.record_files`` reads a million."""
    dice = random.Random(11)
    lines = [random_record(variant.make(), dice).to_line() for variant in VARIANTS if not variant.rules.get("match")]
    path, size, refused = tmp_path / "broken.jsonl", 0, []
    while size < 100_000:
        content = broken_line(dice.choice(lines), dice)
        size += len(content)
        path.write_bytes(content)
        try:
            records = list(read_records(path))
        except ValueError as fault:
            refused.append(str(fault))
        else:
            assert [GameRecord.from_line(record.to_line()) for record in records] == records
    assert len(refused) > 20
    assert all(said.startswith(f"{path}, line ") and said.endswith(".") for said in refused)
