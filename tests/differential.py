"""Random deals played beside the independent oracle: ``python -m tests.differential --deals 20000``.

Every deal is played twice at once, by the engine and by the oracle that the game's probe names; at every step all that
can be seen of the position is compared, and each part of what a seat observes if the oracle tells it. Deals are spread
over all variants of a game, chosen and drawn at random (``--rules`` so many more of these). A fault names the game, its
rules, the seed and the plays.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from card_envs import Game, State
from tests.oracle import oracle_class
from tests.oracle.returns import REWARDS, returned
from tests.variants import DRAWERS, MANY, PROBES, Variant, any_rules

ORACLES = {game: oracle_class(game) for game, probe in PROBES.items() if probe.oracle}

MATCH_STARTS = 0.5  # share of the matches that begin at random scores
OWN_PACKS = 0.1  # share of the episodes that are given their first pack


class Differs(AssertionError):
    """Engine and oracle disagree."""


def make_oracle(
    variant: Variant, game: Game, seed: int, deal: int, dealer: int, first: list[str] | None = None, **more: Any
) -> Any:
    """The oracle of the episode that begins with this deal of a table; ``first`` is a pack given by hand."""

    def packs(number: int) -> list[str]:
        return first if first is not None and number == 0 else game.pack_of(seed, deal + number)

    return ORACLES[variant.game](packs, dealer, **variant.rules, **more)


class Pair:
    """One episode, in the engine and in the oracle."""

    def __init__(self, variant: Variant, seed: int, dice: random.Random) -> None:
        self.variant, self.seed = variant, seed
        self.game = variant.make()
        self.names = [self.game.action_name(action) for action in range(self.game.num_actions)]
        self.bits = {name: 1 << card for card, name in enumerate(self.game.pack.names)}
        self.probe = PROBES[variant.game]
        more: dict[str, Any] = {}
        if self.game.rules.match and dice.random() < MATCH_STARTS:
            scores = [dice.randrange(max(self.game.rules.target, 2)) for _ in range(self.game.num_players)]
            if self.game.match_goes_on(scores):
                more["scores"] = scores
            more |= {extra: True for extra in self.game.match_extras if dice.random() < 0.2}
        given: dict[str, Any] = dict(more)
        deck = None
        if dice.random() < OWN_PACKS:
            deck = dice.sample(self.game.pack.names, self.game.pack.size)
            given |= {"deck": deck, "dealer": dice.randrange(self.game.num_players)}
            if make_oracle(variant, self.game, seed, 0, given["dealer"], deck).void_deals:
                self.expect_refusal(given)
                deck = None
                given = dict(more)
        self.state: State = self.game.new_state(seed=seed, **given)
        self.oracle = make_oracle(variant, self.game, seed, 0, self.state.dealer, deck, **more)
        self.plays: list[str] = []
        self.deals = 1
        self.deal_number = self.oracle.deal_number

    def expect_refusal(self, given: dict[str, Any]) -> None:
        try:
            self.game.new_state(seed=self.seed, **given)
        except ValueError:
            return
        raise Differs(f"{self.variant.id}: a void pack given by hand was dealt: {given}")

    def cards(self, names: Any) -> int:
        bits = self.bits
        return sum(bits[name] for name in names)

    def run(self, dice: random.Random, deals: int) -> int:
        """Play the episode to its end, or so many deals of it; how many deals were begun."""
        self.compare(dice)
        while not self.oracle.is_over:
            name = dice.choice(sorted(self.oracle.legal()))
            self.plays.append(name)
            self.oracle.play(name)
            self.state.play(self.names.index(name))
            self.compare(dice)
            if self.oracle.deal_number != self.deal_number:
                self.deal_number = self.oracle.deal_number
                self.plays = []
                if self.deals == deals:
                    break
                self.deals += 1
        return self.deals

    def same(self, what: str, found: Any, wanted: Any) -> None:
        if found != wanted:
            raise Differs(
                f"{self.variant.id}, seed {self.seed}, deal {self.deal_number}, after {' '.join(self.plays)}: "
                f"{what} is {found!r}, by the oracle {wanted!r}"
            )

    def compare(self, dice: random.Random) -> None:
        game, oracle, state, same = self.game, self.oracle, self.state, self.same
        row = state.record
        mask = game.masks(row)[0]
        same("legal moves", {self.names[action] for action in np.flatnonzero(mask)}, oracle.legal())
        same("seat to play", state.to_play, oracle.to_play)
        same("over", state.is_over, oracle.is_over)
        same("dealer", state.dealer, oracle.dealer)
        same("deal number", int(row["deal"][0]), oracle.deal_number)
        record = row[0]
        for seat in range(game.num_players):
            same(f"hand of seat {seat}", game.hand_cards(record, seat), self.cards(oracle.hands[seat]))
            same(f"won by seat {seat}", self.probe.won(record, seat), self.cards(oracle.piles[seat]))
        same("table", self.cards(state.table), self.cards(oracle.table))
        for extra in game.match_extras:
            same(extra, record[extra], getattr(oracle, extra))
        if not oracle.is_over:
            undealt = [game.pack.names[record["deck"][place]] for place in self.probe.undealt(game, record)]
            same("cards not dealt, in their order", undealt, oracle.undealt)
        if state.history:
            same("last play", state.history[-1][1], self.plays[-1])
            same("plays", len(state.history), len(self.plays))
        same("points", state.points().tolist(), list(oracle.points))
        same("scores", state.scores().tolist(), oracle.scores if game.rules.match else [0] * game.num_players)
        same("settlement", state.settlement().tolist(), oracle.settlement)
        for reward in REWARDS:
            wanted = list(map(float, returned(oracle, reward)))
            found = state.returns(reward)
            if np.abs(found - wanted).max() > 1e-9:
                same(f"{reward} returns", found.tolist(), wanted)
        if hasattr(oracle, "sees"):
            for seat in {dice.randrange(game.num_players), max(oracle.to_play, 0)}:
                self.compare_observation(row, seat)

    def compare_observation(self, row: Any, seat: int) -> None:
        """Each part of the layout, and that the oracle knows of no other."""
        observation = self.game.observations(row, seat)[0]
        layout = self.game.observation_layout
        parts = self.oracle.sees(seat)
        self.same("parts of an observation", set(layout), set(parts))
        for name, wanted in parts.items():
            self.same(f"{name} as seat {seat} sees it", observation[layout[name]].tolist(), wanted)


def play_beside(game: str, deals: int, seed: int, among: Sequence[Variant] = MANY) -> dict[str, int]:
    """Play so many deals of a game, spread over its variants in ``among``; how many each got."""
    variants = [variant for variant in among if variant.game == game]
    counts = {variant.id: 0 for variant in variants}
    number = 0
    while sum(counts.values()) < deals:
        variant = min(variants, key=lambda each: counts[each.id])
        dice = random.Random(f"{seed} {number}")
        counts[variant.id] += Pair(variant, dice.getrandbits(64), dice).run(dice, deals=30)
        number += 1
    return counts


def play_batch_beside(variant: Variant, tables: int, steps: int, seed: int) -> None:
    """The verbs over arrays beside the oracle: masks, seats, rewards and ends, over several episodes."""
    game = variant.make()
    seeds = np.arange(seed, seed + tables, dtype=np.uint64)
    states = game.new_states(seeds)
    names = [game.action_name(action) for action in range(game.num_actions)]
    oracles = [make_oracle(variant, game, int(seeds[i]), 0, int(states["dealer"][i])) for i in range(tables)]
    firsts = [0] * tables
    observations = np.empty((tables, game.observation_size), np.uint8)
    masks = game.masks(states)
    for step in range(steps):
        for i, oracle in enumerate(oracles):
            found = {names[action] for action in np.flatnonzero(masks[i])}
            assert found == oracle.legal(), (variant.id, seed + i, step)
        assert game.to_play(states).tolist() == [oracle.to_play for oracle in oracles], (variant.id, step)
        actions = game.sample_actions(states)
        before = [list(oracle.returns) for oracle in oracles]
        for i, oracle in enumerate(oracles):
            oracle.play(names[actions[i]])
        rewards, over = game.step(states, actions, observations=observations, masks=masks)
        made = [
            [float(now - then) for now, then in zip(oracle.returns, earlier, strict=True)]
            for oracle, earlier in zip(oracles, before, strict=True)
        ]
        assert np.abs(rewards - np.array(made)).max() < 1e-6, (variant.id, step)
        assert over.tolist() == [oracle.is_over for oracle in oracles], (variant.id, step)
        for i in np.flatnonzero(over).tolist():
            firsts[i] += oracles[i].deal_number + 1
            oracles[i] = make_oracle(variant, game, int(seeds[i]), firsts[i], int(states["dealer"][i]))
            assert int(states["deal"][i]) == firsts[i] + oracles[i].deal_number, (variant.id, step)


def main() -> None:
    """The full run."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--deals", type=int, default=20_000, help="deals of each game")
    parser.add_argument("--game", choices=list(ORACLES), help="this game alone")
    parser.add_argument("--tables", type=int, default=20, help="tables of each variant by the batch verbs")
    parser.add_argument("--rules", type=int, default=100, help="rules drawn at random, beside those of the tests")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for game in [arguments.game] if arguments.game else ORACLES:
        start = time.perf_counter()
        among = [variant for variant in MANY if variant.game == game]
        if game in DRAWERS:
            more = (random.Random(f"{game} {arguments.seed} {k}") for k in range(arguments.rules))
            among += [any_rules(game, dice) for dice in more]
        counts = play_beside(game, arguments.deals, arguments.seed, among)
        for variant in among:
            play_batch_beside(variant, tables=arguments.tables, steps=100, seed=arguments.seed)
            print(f"{counts[variant.id]:7} deals and {arguments.tables} tables by the batch: {variant.id}")
        print(f"{game}: {sum(counts.values())} deals agree, in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
