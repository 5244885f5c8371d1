"""Which deal ``reset`` begins: the next one, whatever else its options ask for, unless they ask for a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from card_envs.envs.sb3 import CardVecEnv
from tests.environments import card_env, each_game, make, make_vec
from tests.variants import ANY, Variant

OPTIONS: list[dict[str, Any]] = [{}, {"dealer": 0}, {"seat": 1}, {"dealer": 1, "seat": 0}, {"deal": None}, {"seat": 0}]


def pack_in_play(game: Any, record: Any) -> list[str]:
    """The pack of a table before K4 has moved any card of it: that of its seed and the number of its deal."""
    return game.pack_of(int(record["seed"]), int(record["deal"]))


@each_game
def test_options_without_a_deal_go_on_to_the_next_one(variant: Variant) -> None:
    game = variant.make()
    env = make(variant, opponents="random")
    env.reset(seed=9)
    numbers, packs = [], []
    for options in OPTIONS * 2:
        env.reset(options=options)
        record = card_env(env).full_state.record[0]
        assert int(record["seed"]) == 9
        numbers.append(int(record["deal"]))
        packs.append(pack_in_play(game, record))
        own = sorted(record["deck"][: game.pack.size].tolist())
        assert own == list(range(game.pack.size))
    assert numbers == sorted(set(numbers))  # void deals (K4) are passed over
    if game.num_players < 12 and not game.rules.match:
        assert numbers == list(range(1, len(numbers) + 1))
    assert len({tuple(pack) for pack in packs}) == len(packs)


@each_game
def test_the_pack_of_a_reset_with_options_is_that_of_its_number(variant: Variant) -> None:
    game = variant.make()
    env = make(variant, opponents="random", seat=0)
    env.reset(seed=11)
    for dealer in range(game.num_players):
        # the learner, to the dealer's left, is the first to play: nothing has been played yet
        env.reset(options={"dealer": dealer, "seat": (dealer + 1) % game.num_players})
        state = card_env(env).full_state
        number = int(state.record["deal"][0])
        alone = game.new_state(deck=game.pack_of(11, number), dealer=dealer)
        assert state.dealer == dealer
        assert [state.hand(seat) for seat in range(game.num_players)] == [
            alone.hand(seat) for seat in range(game.num_players)
        ]


def test_a_number_given_holds_and_the_next_reset_goes_on_from_there() -> None:
    env = make(ANY, opponents="random")
    env.reset(seed=3, options={"deal": 7})
    for options, number in (({"dealer": 1}, 8), ({"deal": 2}, 2), ({"seat": 0}, 3), ({"dealer": 0}, 4), ({}, 5)):
        env.reset(options=options)
        assert int(card_env(env).full_state.record["deal"][0]) == number


def test_a_pack_given_takes_the_place_of_the_next_deal() -> None:
    variant = ANY
    game = variant.make()
    env = make(variant, opponents="random")
    env.reset(seed=3)
    env.reset(options={"deck": game.pack_of(99)})
    assert int(card_env(env).full_state.record["deal"][0]) == 1
    env.reset(options={"dealer": 0})
    record = card_env(env).full_state.record[0]
    assert int(record["deal"]) == 2
    assert [game.pack.names[card] for card in record["deck"].tolist()] == game.pack_of(3, 2)


def test_in_a_match_the_next_deal_is_the_one_after_those_played() -> None:
    env = make(Variant(ANY.game, {"match": True, "target": 3}), opponents="random")
    env.reset(seed=5)
    played = 0
    while played < 3:
        *_, over, _, _ = env.step(card_env(env).sample_action())
        if over:
            played = int(card_env(env).full_state.record["deal"][0])
            if played < 3:
                env.reset()
    env.reset(options={"dealer": 0})
    record = card_env(env).full_state.record[0]
    assert int(record["deal"]) == played + 1
    assert int(record["deals"]) == 0
    assert not record["total"].any()


@each_game
@pytest.mark.parametrize("options", OPTIONS[1:4])
def test_rows_go_on_to_their_next_deals_too(variant: Variant, options: dict[str, Any]) -> None:
    envs = make_vec(variant, 4, opponents="random")
    envs.reset(seed=21)
    table = envs.unwrapped
    before = table.full_states["deal"].tolist()
    for _ in range(3):
        mask = np.array([True, False, True, True])
        envs.reset(options=options | {"reset_mask": mask})
        states = table.full_states
        assert (states["deal"][mask] > np.array(before)[mask]).all()
        assert states["deal"][1] == before[1]
        assert states["seed"].tolist() == [21, 22, 23, 24]
        before = states["deal"].tolist()


def test_tables_of_stable_baselines_go_on_to_their_next_deals_too() -> None:
    envs = CardVecEnv(ANY.game, 3, seed=7)
    envs.reset()
    for number in (1, 2, 3):
        envs.set_options([{"dealer": number % 2}] * 3)
        envs.reset()
        assert envs._tables.states["deal"].tolist() == [number] * 3
        assert envs._tables.states["seed"].tolist() == [7, 8, 9]
    envs.reset()
    assert envs._tables.states["deal"].tolist() == [4] * 3
