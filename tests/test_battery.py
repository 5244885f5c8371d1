"""What holds in every game under every rule: one battery, run on all variants."""

from __future__ import annotations

import copy
import pickle
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import card_envs
from card_envs.batches import copy as copy_states
from card_envs.cards import SUITS, SYMBOLS, Pack, split
from card_envs.game import REWARDS
from tests.variants import SINGLE_DEALS, VARIANTS, every, positions, scattered

SEEDS = st.integers(0, 2**64 - 1)
VARIANT = st.sampled_from(VARIANTS)
SOME = 60  # tables in the tests that look at each position by hand


def walk(game, seed, plays, **more):
    """A state after up to so many random plays (of its first episode)."""
    state = game.new_state(seed=seed, **more)
    for _ in range(plays):
        if state.is_over:
            break
        row = state.record
        action = int(game.sample_actions(row)[0])
        state.play(action)
    return state


def same(left, right):
    return left.tobytes() == right.tobytes()


# Legal actions


@every()
def test_legal_actions_masks_and_play_agree_everywhere(game):
    states = scattered(game, SOME)
    masks = game.masks(states)
    for i, mask in enumerate(masks):
        state = game.state(states, i)
        assert state.action_mask().tobytes() == mask.tobytes()
        legal = state.legal_actions()
        assert np.array_equal(legal, np.flatnonzero(mask))
        content = state.record.tobytes()
        for action in range(game.num_actions):
            if mask[action]:
                state.clone().play(action)
            else:
                with pytest.raises(card_envs.IllegalAction):
                    state.play(action)
        assert state.record.tobytes() == content
        with pytest.raises(card_envs.IllegalAction):
            state.play(game.num_actions)
        with pytest.raises(card_envs.IllegalAction):
            state.play(-1)


@every()
def test_over_or_some_legal_action_never_both(game):
    for states in positions(game, 200, 2 * game.max_plays, auto_reset=False):
        legal = game.masks(states).any(axis=1)
        assert np.array_equal(legal, ~game.is_over(states))
        assert np.array_equal(legal, game.to_play(states) >= 0)


@every()
def test_legal_actions_are_empty_for_seats_not_on_turn(game):
    states = scattered(game, 100)
    on_turn = game.to_play(states)
    for seat in range(game.num_players):
        masks = game.masks(states, np.full(len(states), seat))
        assert np.array_equal(masks.any(axis=1), on_turn == seat)
        assert len(game.state(states, 0).legal_actions(seat)) == (
            game.masks(states[:1])[0].sum() if on_turn[0] == seat else 0
        )


@every()
def test_masks_are_zeros_and_ones(game):
    for states in positions(game, 100, game.max_plays):
        masks = game.masks(states)
        assert masks.dtype == np.uint8
        assert masks.max() == 1


@every()
def test_sampled_actions_are_legal_and_reach_every_legal_action(game):
    one = game.new_states(np.full(3000, 5, np.uint64))
    one["choice"] = np.random.default_rng(1).integers(0, 2**63, 3000).astype(np.uint64)
    actions = game.sample_actions(one)
    counts = np.bincount(actions, minlength=game.num_actions)
    mask = game.masks(one[:1])[0].astype(bool)
    assert not counts[~mask].any()
    expected = 3000 / mask.sum()
    assert (np.abs(counts[mask] - expected) < 6 * np.sqrt(expected)).all()


@every()
def test_greedy_actions_are_legal_and_minus_one_at_the_end(game):
    for states in positions(game, 100, game.max_plays + 2, auto_reset=False):
        actions = game.greedy_actions(states)
        over = game.is_over(states)
        assert (actions[over] == -1).all()
        rows = np.flatnonzero(~over)
        assert game.masks(states)[rows, actions[rows]].all()
    assert game.sample_actions(states)[game.is_over(states)].tolist() == [-1] * int(game.is_over(states).sum())


# Cards and points


def placed(game, row):
    """Every card of a position, by where it is: hands, table, piles, pack."""
    elfern = game.name == "elfern"
    found = game.table_cards(row)
    for seat in range(game.num_players):
        found += game.pack.set_names(game.hand_cards(row, seat))
        found += game.pack.set_names(int(row["won" if elfern else "pile"][seat]))
    counted = not elfern and row["over"] and not row["table"]  # K5, K12: cards left undealt are in a pile then
    if not counted:
        dealt = int(row["drawn" if elfern else "dealt"])
        found += [game.pack.names[card] for card in row["deck"][dealt : game.pack.size]]
    return found


@every()
def test_cards_are_conserved(game):
    whole = sorted(game.pack.names)
    for states in positions(game, 20, game.max_plays + 3, auto_reset=False):
        for row in states:
            if row["over"] and game.rules.match and game.name == "konchinka":
                continue  # a match may end in the middle of a deal (K15)
            assert sorted(placed(game, row)) == whole
            assert sorted(game.pack.names[card] for card in row["deck"][: game.pack.size]) == whole


@every()
def test_returns_sum_to_zero_and_are_the_sum_of_the_rewards(game):
    states = game.new_states(np.arange(300, dtype=np.uint64))
    summed = np.zeros((300, game.num_players))
    low, high = np.inf, -np.inf
    for _ in range(3 * game.max_plays):
        rewards, _ = game.step(states, game.sample_actions(states), auto_reset=False)
        assert rewards.dtype == np.float32
        assert np.abs(rewards.sum(axis=1)).max() < 1e-5
        summed += rewards
        returns = game.returns(states)
        assert np.abs(returns - summed).max() < 1e-4
        low, high = min(low, returns.min()), max(high, returns.max())
    assert low < 0 < high
    if game.name == "elfern" or not game.rules.match:  # (K14: level at the target, a match has no bound)
        assert game.min_return <= low
        assert high <= game.max_return
    for reward in REWARDS:
        assert np.abs(game.returns(states, reward).sum(axis=1)).max() < 1e-9
        assert game.returns(states, reward).min() >= game.min_returns[reward] * np.maximum(states["deals"], 1).max()


@every(SINGLE_DEALS)
def test_a_deal_takes_max_plays_and_counts_once(game):
    states = game.new_states(np.arange(200, dtype=np.uint64))
    for step in range(game.max_plays):
        assert not game.is_over(states).any()
        rewards, over = game.step(states, game.sample_actions(states), auto_reset=False)
        assert over.all() == (step == game.max_plays - 1)
        assert rewards.any() == over.any() or not game.points(states).any()
    points = game.points(states)
    assert (states["deals"] == 1).all()
    best = points.max(axis=1, keepdims=True)
    win = game.returns(states, "win")
    assert ((win > 0) <= (points == best)).all()
    assert not game.scores(states).any()
    assert not game.settlement(states).any()


# Observations


@every()
def test_the_layout_tiles_the_observation(game):
    end = 0
    for part in game.observation_layout.values():
        assert part.start == end
        assert part.stop >= part.start
        assert part.step is None
        end = part.stop
    assert end == game.observation_size


@every()
def test_observations_are_bits_of_the_right_size(game):
    for states in positions(game, 50, game.max_plays):
        for seats in (None, 0, game.num_players - 1):
            observations = game.observations(states, None if seats is None else np.full(50, seats))
            assert observations.shape == (50, game.observation_size)
            assert observations.dtype == np.uint8
            assert observations.max() <= 1


@every()
def test_the_last_rows_are_written_within_their_array(game):
    """Wide stores are used for speed: they must not run over the end of the caller's array."""
    for count in (1, 2, 3):
        states = scattered(game, count)
        guard = np.full(count * game.observation_size + 200, 77, np.uint8)
        out = guard[: count * game.observation_size].reshape(count, -1)
        game.observations(states, out=out)
        assert (guard[count * game.observation_size :] == 77).all()
        guard = np.full(count * game.num_actions + 200, 77, np.uint8)
        masks = guard[: count * game.num_actions].reshape(count, -1)
        game.masks(states, out=masks)
        assert (guard[count * game.num_actions :] == 77).all()
        assert same(masks, game.masks(states))
        assert same(out, game.observations(states))


@every()
def test_step_fills_what_observations_and_masks_give_afterwards(game):
    for auto_reset in (True, False):
        states = game.new_states(np.arange(65, dtype=np.uint64))
        observations = np.full((65, game.observation_size), 9, np.uint8)
        masks = np.full((65, game.num_actions), 9, np.uint8)
        for _ in range(game.max_plays + 5):
            game.step(states, game.sample_actions(states), auto_reset, observations, masks)
            assert same(observations, game.observations(states))
            assert same(masks, game.masks(states))


@every()
def test_observations_give_back_hand_and_table(game):
    states = scattered(game, SOME)
    layout = game.observation_layout
    for i in range(len(states)):
        state = game.state(states, i)
        for seat in range(game.num_players):
            observation = state.observation(seat)

            def cards(part, observation=observation):
                return [game.pack.names[card] for card in np.flatnonzero(observation[layout[part]])]

            assert cards("hand") == state.hand(seat)
            assert sorted(cards("lead" if game.name == "elfern" else "table")) == sorted(state.table)


def rooms(game, row, seat):
    """How many cards of an Elfern hand can be of each suit: none when it did not follow, one more with each draw."""
    rules = game.rules
    room = [rules.hand_size] * 4
    plays = [divmod(int(code), game.num_actions) for code in row["history"][: int(row["plays"])]]
    stock = rules.pack_size - 2 * rules.hand_size
    for (_, led), (follower, answer) in zip(plays[::2], plays[1::2], strict=False):
        bound = {"always": True, "never": False, "stock": stock > 0, "endgame": stock == 0}[rules.follow_suit]
        if bound and follower == seat and led // rules.ranks != answer // rules.ranks:
            room[led // rules.ranks] = 0
        if stock:
            stock -= 2
            room = [min(cards + 1, rules.hand_size) for cards in room]
    held = game.hand_cards(row, seat).bit_count()
    return [min(cards, held) for cards in room]


def situation(game, row, seat):
    """All that matters of a position and a seat may know: public things seen from the seat, and its own hand."""
    players = game.num_players
    order = [(seat + k) % players for k in range(players)]
    known = [int(game.hand_cards(row, seat)), (int(row["dealer"]) - seat) % players]
    known += [int(row["start"][s]) + int(row["total"][s]) for s in order if game.rules.match]
    if game.name == "elfern":
        other = 1 - seat
        shown = rooms(game, row, other)
        won = [int(row["won"][s]) for s in order]
        return (*known, *shown, *won, int(row["lead"]), int(row["drawn"]), int(row["doubled"]))
    last = (int(row["last_capturer"]) - seat) % players if row["last_capturer"] >= 0 else -1
    open_cards = [
        (place, int(row["deck"][place])) for place in range(int(row["dealt"]), 52) if int(row["open"]) >> place & 1
    ]
    denied = [int(row["denied"][s]) for s in order] if game.rules.obligation == "hand" else []
    piles = [int(row["pile"][s]) for s in order]
    at_play = (int(row["to_play"]) - seat) % players
    return (*known, *piles, *denied, int(row["table"]), last, int(row["dealt"]), at_play, len(open_cards))


@every()
def test_different_situations_have_different_observations(game):
    seen = {}
    for states in islice(positions(game, 40, game.max_plays), 0, None, 2):
        for seat in range(min(game.num_players, 3)):
            observations = game.observations(states, np.full(len(states), seat))
            for row, observation in zip(states, observations, strict=True):
                key = situation(game, row, seat)
                if max(int(one) for one in row["start"]) + max(int(one) for one in row["total"]) > game.rules.target:
                    continue  # so far in overtime that the thermometers of the scores are full
                content = observation.tobytes()
                assert seen.setdefault(content, key) == key
    assert len(seen) > 20 or game.pack.size < 9


@given(VARIANT, SEEDS, st.integers(0, 200))
def test_observations_turn_with_the_seats(variant, seed, plays):
    """The same deal with everybody one seat further looks the same to everybody, and ends the same."""
    game = variant.make()
    players = game.num_players
    deck = game.pack_of(seed)
    scores = [(seed >> seat) % max(game.rules.target - 1, 1) for seat in range(players)] if game.rules.match else None
    turned = None if scores is None else [scores[-1], *scores[:-1]]
    try:
        here = game.new_state(seed=seed, deck=deck, dealer=0, scores=scores)
    except ValueError:
        return  # a void pack (K4)
    there = game.new_state(seed=seed, deck=deck, dealer=1 % players, scores=turned)
    for _ in range(plays):
        if here.is_over:
            break
        assert there.to_play == (here.to_play + 1) % players
        for seat in range(players):
            assert same(here.observation(seat), there.observation((seat + 1) % players))
        action = int(game.sample_actions(here.record)[0])
        assert same(here.action_mask(), there.action_mask())
        assert same(game.greedy_actions(here.record), game.greedy_actions(there.record))
        here.play(action)
        there.play(action)
    for verb in ("points", "scores", "settlement", "returns"):
        assert getattr(here, verb)().tolist() == np.roll(getattr(there, verb)(), -1).tolist()


# Histories


@every()
def test_history_is_the_plays_in_order(game):
    state = game.new_state(seed=3)
    played = []
    for _ in range(game.max_plays - 1):
        if state.is_over or len(state.history) < len(played):
            break
        action = int(game.sample_actions(state.record)[0])
        played.append((state.to_play, action))
        state.play(action)
        if not state.history and state.record["deal"][0] != 0:
            break  # the deal was counted and the next one dealt
        assert state.history == [(seat, game.action_name(action)) for seat, action in played]
        for seat in range(game.num_players):
            row = game.history(state.record, np.array([seat]))[0]
            assert row.dtype == np.int32
            assert len(row) == game.max_plays
            wanted = [(who - seat) % game.num_players * game.num_actions + what for who, what in played]
            assert row[: len(played)].tolist() == wanted
            assert (row[len(played) :] == -1).all()


# Chance


@every()
def test_row_i_is_the_state_of_its_seed(game):
    seeds = np.array([0, 1, 2**63, 2**64 - 1, *range(50, 80)], np.uint64)
    states = game.new_states(seeds)
    for i, seed in enumerate(seeds.tolist()):
        assert same(states[i : i + 1], game.new_state(seed=seed).record)
        assert same(states[i : i + 1], game.new_state(seed=seed - 2**64).record)
        assert same(states[i : i + 1], game.new_state(seed=seed + 2**64).record)


@every()
def test_results_depend_neither_on_width_nor_on_row(game):
    seeds = np.arange(100, 133, dtype=np.uint64)

    def run(some):
        states = game.new_states(some)
        trace = []
        for _ in range(game.max_plays + game.max_plays // 2):
            actions = game.sample_actions(states)
            rewards, over = game.step(states, actions)
            trace.append((actions, rewards, over))
        return states, trace

    wide, wide_trace = run(seeds)
    for order in (seeds[::-1], seeds[5:6], seeds[3:10]):
        states, trace = run(np.ascontiguousarray(order))
        rows = order.astype(np.int64) - 100
        assert same(states, copy_states(wide)[rows])
        for wide_step, step in zip(wide_trace, trace, strict=True):
            assert all(np.array_equal(a[rows], b) for a, b in zip(wide_step, step, strict=True))


@every()
def test_after_its_end_a_row_is_a_fresh_deal_but_for_its_choices(game):
    states = game.new_states(np.arange(40, dtype=np.uint64))
    fresh = 0
    for _ in range(4 * game.max_plays):
        before = states["deal"].copy()
        _, over = game.step(states, game.sample_actions(states))
        for i in np.flatnonzero(over)[:5].tolist():
            wanted = game.new_state(seed=int(states["seed"][i]), deal=int(before[i]) + 1).record
            wanted["choice"] = states["choice"][i]
            assert same(states[i : i + 1], wanted)
            fresh += 1
    assert fresh or game.rules.match


@every()
def test_reset_begins_the_next_episode_of_the_marked_rows_alone(game):
    states = scattered(game, 30)
    before = copy_states(states)
    where = np.arange(30) % 3 == 0
    game.reset(states, where)
    for i in range(30):
        if where[i]:
            wanted = game.new_state(seed=i, deal=int(before["deal"][i]) + 1).record
            wanted["choice"] = states["choice"][i]
            assert same(states[i : i + 1], wanted)
        else:
            assert same(states[i : i + 1], before[i : i + 1])
    game.reset(states)
    assert not states["plays"].any()


@every()
def test_a_deal_can_be_played_again_alone(game):
    state = game.new_state(seed=11)
    for _ in range(5 * game.max_plays):
        if state.is_over:
            break
        state.play(int(game.sample_actions(state.record)[0]))
    number = int(state.record["deal"][0])
    again = game.new_state(seed=11, deal=number)
    assert same(again.record["deck"], state.record["deck"]) or again.dealer != state.dealer
    if game.name == "elfern":
        assert [game.pack.names[c] for c in again.record["deck"][0, : game.pack.size]] == game.pack_of(11, number)


def test_without_a_seed_the_system_gives_one():
    game = card_envs.make_game("elfern")
    assert game.new_state().record["seed"] != game.new_state().record["seed"]


@given(VARIANT, SEEDS, st.integers(0, 60))
def test_copies_continue_identically_and_alone(variant, seed, plays):
    game = variant.make()
    state = walk(game, seed, plays)
    content = state.record.tobytes()
    copies = [state.clone(), pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)]
    copies.append(game.state(state.record, 0))
    ends = set()
    for other in copies:
        assert other == state
        assert other.game is game
        row = other.record
        for _ in range(70):
            game.step(row, game.sample_actions(row), auto_reset=False)
            if not other.is_over:
                other.play(int(other.legal_actions()[-1]))
        ends.add((row.tobytes(), other.record.tobytes()))
    assert len(ends) == 1
    assert state.record.tobytes() == content


@given(VARIANT)
def test_games_of_equal_rules_are_one(variant):
    game = variant.make()
    assert variant.make() is game
    assert pickle.loads(pickle.dumps(game)) is game
    assert copy.deepcopy(game) == game
    assert hash(game) == hash(copy.deepcopy(game))


# Text


@given(VARIANT, SEEDS, st.integers(0, 150), st.booleans())
def test_a_position_goes_to_text_and_back_exactly(variant, seed, plays, own_pack):
    game = variant.make()
    more = {}
    if game.rules.match:
        scores = [(seed >> 3 * seat) % game.rules.target for seat in range(game.num_players)]
        more = {"scores": scores} if game.match_goes_on(scores) else {}
        if game.name == "elfern":
            more["doubled"] = bool(seed & 1)
    if own_pack:
        try:
            state = game.new_state(seed=seed, deck=game.pack_of(seed + 1), dealer=seed % game.num_players, **more)
        except ValueError:
            return  # a void pack (K4)
    else:
        state = game.new_state(seed=seed, **more)
    row = state.record
    for _ in range(plays):
        if row["over"][0]:
            break
        game.step(row, game.sample_actions(row), auto_reset=False)
    state = game.state(row, 0)
    line = game.state_to_text(state)
    assert "\n" not in line
    back = game.state_from_text(line)
    assert back.record.tobytes() == state.record.tobytes()
    assert game.state_to_text(back) == line
    assert game.state_from_text(f"  {line}  ") == state


def changed(line, part, old, new):
    parts = line.split(" | ")
    assert old in parts[part], (old, parts[part])
    parts[part] = parts[part].replace(old, new, 1)
    return " | ".join(parts)


def test_a_broken_line_is_refused_with_a_sentence():
    game = card_envs.make_game("elfern", match=True)
    state = game.new_state(seed=7, scores=[3, 4], dealer=0)
    for _ in range(5):
        state.play(int(state.legal_actions()[0]))
    line = game.state_to_text(state)
    assert game.state_from_text(line) == state
    head, fields, deck, plays = line.split(" | ")
    first = plays.split()[0]
    deal = next(word for word in fields.split() if word.startswith("deal="))
    broken = {
        "other rules": changed(line, 0, "match=true", "match=true follow_suit=never"),
        "no rules": changed(line, 0, "elfern match=true", "elfern"),
        "another game": changed(line, 0, "elfern", "whist"),
        "a missing field": changed(line, 1, deal + " ", ""),
        "a field too many": changed(line, 1, deal, deal + " colour=3"),
        "a word for a number": changed(line, 1, "seed=7", "seed=seven"),
        "a number too large": changed(line, 1, "seed=7", f"seed={2**64}"),
        "a negative seed": changed(line, 1, "seed=7", "seed=-7"),
        "no such dealer": changed(line, 1, "dealer=0", "dealer=2"),
        "a score past the target": changed(line, 1, "start=3,4", "start=20,4"),
        "too many scores": changed(line, 1, "start=3,4", "start=3,4,5"),
        "points before any deal": changed(line, 1, "points=0,0", "points=3,0"),
        "a total before any deal": changed(line, 1, "total=0,0", "total=5,0"),
        "a negative total": changed(line, 1, "total=0,0", "total=-1,0"),
        "honours before any deal": changed(line, 1, "taken_before=0,0", "taken_before=12,8"),
        "deals without honours": changed(line, 1, "deals=0", "deals=1"),
        "neither double nor not": changed(line, 1, "doubled=0", "doubled=2"),
        "a forfeit of the other seat": changed(line, 1, "forfeit=-1", f"forfeit={1 - state.to_play}"),
        "a seat that is none": changed(line, 1, "forfeit=-1", "forfeit=2"),
        "a repeated card": changed(line, 2, deck[:2], deck[2:4]),
        "a missing card": changed(line, 2, deck[:2], ""),
        "a foreign card": changed(line, 2, deck[:2], "2c"),
        "no card": changed(line, 2, deck[:2], "xx"),
        "an illegal play": f"{line} {first}",
        "no such play": f"{line} Zz",
        "two lines": f"{line}\n{line}",
        "three parts": " | ".join([head, fields, deck]),
        "nothing": "",
    }
    for what, text in broken.items():
        with pytest.raises(ValueError, match=r"\w+ .*\.$|\w+ .*\."):
            pytest.fail(f"{what} was read: {game.state_from_text(text)!r}")
    with pytest.raises(ValueError, match="not a position"):
        game.state_from_text(None)
    with pytest.raises(ValueError, match="view"):
        game.state_to_text(state.view())


def test_a_line_with_scores_that_cannot_be_is_refused():
    game = card_envs.make_game("elfern", match=True)
    state = game.new_state(seed=7, scores=[3, 4], dealer=0)
    while state.record["deals"][0] < 2:
        state.play(int(state.legal_actions()[0]))
    line = game.state_to_text(state)
    assert game.state_from_text(line) == state
    total, points, taken = (
        f"{name}=" + ",".join(str(int(one)) for one in state.record[name][0])
        for name in ("total", "points", "taken_before")
    )
    for old, new in (
        (total, "total=20,0"),
        (total, "total=0,0" if any(state.points()) else "total=9,9"),
        (total, "total=15,16"),
        (points, "points=1,1"),
        (points, "points=0,11"),
        (points, "points=-1,0"),
        (taken, "taken_before=20,19"),
        ("deals=2", "deals=1"),
        ("start=3,4", "start=19,19"),
    ):
        with pytest.raises(ValueError, match=r"position"):
            pytest.fail(f"{new} was read: {game.state_from_text(changed(line, 1, old, new))!r}")


def two_put_back(state):
    """Whether two cards were put back, and the one above them is of no rank on the table."""
    deck, known = state.record["deck"][0], int(state.record["open"][0])
    above = known.bit_length() - 3
    return known.bit_count() == 2 and deck[above] % 13 not in {10, *(card % 13 for card in deck[12:16])}


def test_a_line_with_other_cards_put_back_is_refused():
    """K4: which cards of the pack are openly known is part of the position."""
    game = card_envs.make_game("konchinka", num_players=3)
    state = game.new_state(seed=next(seed for seed in range(8, 99) if two_put_back(game.new_state(seed=seed))))
    line = game.state_to_text(state)
    assert game.state_from_text(line) == state
    known = int(state.record["open"][0])
    lower = known & known - 1
    assert game.state_from_text(changed(line, 1, f"open={known}", f"open={lower}")).record["open"][0] == lower
    for wrong in (1, known >> 1, known << 1, known ^ lower, known | known >> 1, 1 << 63, 2**52 - 1):
        with pytest.raises(ValueError, match=r"open=\d+ in the position"):
            game.state_from_text(changed(line, 1, f"open={known}", f"open={wrong}"))


@every()
def test_a_line_does_not_go_on_after_its_deal(game):
    state = game.new_state(seed=5)
    while not state.is_over:
        last = game.state_to_text(state)
        state.play(int(state.legal_actions()[0]))
        if state.record["deal"][0] != 0:
            break
        name = state.history[-1][1]
    line = f"{last} {name}"
    with pytest.raises(ValueError, match=r"."):
        game.state_from_text(f"{line} {name}")
    over = game.state_to_text(state)
    if state.is_over:
        assert game.state_from_text(over) == state
        with pytest.raises(ValueError, match="after its deal has ended"):
            game.state_from_text(f"{over} {name}")


@every()
def test_a_single_deal_carries_no_scores_in_its_line(game):
    line = game.state_to_text(game.new_state(seed=5, dealer=0))
    zeros = "start=" + ",".join("0" * game.num_players)
    ones = "start=" + ",".join("1" * game.num_players)
    if game.rules.match and game.match_goes_on([1] * game.num_players):
        assert game.state_from_text(changed(line, 1, zeros, ones)).scores().tolist() == [1] * game.num_players
    else:
        with pytest.raises(ValueError, match=r"match"):
            game.state_from_text(changed(line, 1, zeros, ones))


@every()
def test_every_action_has_one_name_and_every_name_its_action(game):
    names = [game.action_name(action) for action in range(game.num_actions)]
    assert len(set(names)) == game.num_actions
    for action, name in enumerate(names):
        assert game.action_id(name) == action
        symbol = name[0] + SYMBOLS[name[1]] + name[2:]
        assert game.action_id(symbol) == action
        assert game.action_id(name.lower()) == action
        assert game.action_id(name.upper()) == action
        assert game.action_id(f" {name} ") == action
        if name[0] == "T":
            assert game.action_id("10" + name[1:]) == action


@every()
def test_pages_show_what_there_is_to_see(game):
    state = walk(game, 9, 3)
    page = str(state)
    for seat in range(game.num_players):
        for card in state.hand(seat):
            assert card[0] + SYMBOLS[card[1]] in page
        assert str(state.view(seat)) == state.text(seat)
    assert state.text(0) != page


@pytest.mark.parametrize("suit", SUITS)
def test_cards_are_read_as_letters_or_symbols_in_any_case(suit):
    pack = Pack(SUITS, "A23456789TJQK")
    for rank in pack.ranks:
        card = pack.card(rank + suit)
        for name in (rank + SYMBOLS[suit], (rank + suit).lower(), (rank + suit).upper(), f" {rank}{suit}"):
            assert pack.card(name) == card
    assert pack.card(f"10{suit}") == pack.card(f"10{SYMBOLS[suit]}") == pack.card(f"T{suit}")
    assert pack.name(pack.card(f"K{suit}")) == f"K{suit}"


def test_runs_of_cards_are_read_with_or_without_blanks():
    for text in ("Kh10dAcQs", "Kh 10d Ac Qs", "kh,TD, a♣ q♠", "K♥T♦A♣Q♠"):
        assert split(text) == ["Kh", "Td", "Ac", "Qs"]
    for wrong in ("Kh 1d", "Khh", "K", "Kh;Ac", "11h", "Kx"):
        with pytest.raises(ValueError, match="is not a card"):
            split(wrong)


@given(st.lists(st.integers(0, 51), max_size=60))
def test_written_cards_are_read_back(cards):
    pack = Pack(SUITS, "A23456789TJQK")
    names = [pack.name(card) for card in cards]
    assert pack.cards("".join(names)) == cards
    assert pack.cards(" ".join(names)) == cards
    assert pack.set_names(sum(1 << card for card in set(cards))) == [pack.name(card) for card in sorted(set(cards))]


@every()
def test_the_match_goes_on_until_it_is_won(game):
    if not game.rules.match:
        return
    states = game.new_states(np.arange(30, dtype=np.uint64))
    for _ in range(400 * game.max_plays):
        game.step(states, game.sample_actions(states), auto_reset=False)
        if game.is_over(states).all():
            break
    over = game.is_over(states)
    assert over.mean() > 0.9
    scores = game.scores(states)
    assert (scores[over].max(axis=1) >= game.rules.target).all()
    assert all(game.match_goes_on(row) for row in scores[~over].tolist())
    settlement = game.settlement(states)
    assert not settlement.sum(axis=1).any()
    assert not settlement[~over].any()
    assert np.array_equal(settlement[over], game.returns(states, "settlement")[over])
    assert (game.returns(states, "win")[over].max(axis=1) == 1).all()


def test_a_pack_given_by_hand_is_the_deal_asked_for_even_where_the_seeds_own_is_void():
    game = card_envs.make_game("konchinka", num_players=12)
    whole = game.pack_of(2)  # not void
    numbers = set()
    for seed in range(20):
        numbers.add(int(game.new_state(seed=seed).record["deal"][0]))
        assert game.new_state(seed=seed, deck=whole).record["deal"][0] == 0
        assert game.new_state(seed=seed, deck=whole, deal=3).record["deal"][0] == 3
    assert max(numbers) > 0
