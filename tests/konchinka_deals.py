"""Deals of Konchinka laid out by hand, for the tests of its rules."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import card_envs
from card_envs.cards import SUITS, Pack, split
from tests.worlds import agreeing

RANKS = "A23456789TJQK"
PACK = Pack(SUITS, RANKS)
GAME = card_envs.make_game("konchinka")
DEALER, ELDEST = 0, 1  # seat 0 deals in all packs of this page
TAME = "Kc Qd 9h 8s"  # a table that none of the small cards below captures from by itself


def game_of(**rules):
    return card_envs.make_game("konchinka", **rules)


def pack(hands, table=TAME, later="", last=""):
    """A pack that deals these first hands (eldest first), this table, then ``later``, and ``last`` at the end."""
    hands, table, later, last = [split(hand) for hand in hands], split(table), split(later), split(last)
    dealt = [card for four in zip(*hands, strict=True) for card in four] + table + later
    assert len(set(dealt + last)) == len(dealt + last), "a card twice"
    rest = [card for card in PACK.names if card not in {*dealt, *last}]
    return dealt + rest + last


def start(hands, table=TAME, later="", last="", scores=None, seed=0, **rules):
    """A deal of seat 0 with these hands, the eldest's (seat 1) first."""
    game = game_of(num_players=len(hands), match=scores is not None, **rules)
    return game.new_state(deck=pack(hands, table, later, last), dealer=DEALER, seed=seed, scores=scores)


def legal(state):
    return {state.game.action_name(action) for action in state.legal_actions()}


def of_card(state, card):
    return {name for name in legal(state) if name.startswith(card)}


def play(state, moves):
    for name in moves.split():
        state.play(name)
    return state


def pile(state, seat):
    return set(PACK.set_names(int(state.record["pile"][0, seat])))


def play_out(state, choose=lambda state: int(state.legal_actions()[0])):
    """Play to the end of the deal; the positions met."""
    deal = state.record["deal"][0]
    while not state.is_over and state.record["deal"][0] == deal:
        state.play(choose(state))
    return state


def all_hands(game, view, limit):
    """The states of all ways to deal the hidden cards that were not played to hands and pack, one pack for each.

    With more ways than ``limit`` None.
    """
    seat = view.viewer
    base = game.sample_worlds(view, 1, 0)[0]
    known = set(view.record["deck"][0].tolist())
    others = [other for other in range(game.num_players) if other != seat]
    hands = [[card for card in range(52) if int(base["hand"][other]) >> card & 1] for other in others]
    hands = [[card for card in hand if card not in known] for hand in hands]
    rest = [card for card in base["deck"][int(base["dealt"]) :].tolist() if card not in known]
    where = {card: place for place, card in enumerate(base["deck"].tolist())}
    places = [[where[card] for card in hand] for hand in [*hands, rest]]
    ways = 1
    left = sum(map(len, places))
    for hand in hands:
        ways *= len(list(combinations(range(left), len(hand)))) if left < 20 else limit + 1
        left -= len(hand)
        if ways > limit:
            return None
    decks = np.repeat(base["deck"][None], ways, axis=0)
    cards = sorted(card for hand in [*hands, rest] for card in hand)
    for number, dealt in enumerate(deals(cards, [len(hand) for hand in hands])):
        for where_to, what in zip(places, dealt, strict=True):
            decks[number, where_to] = what
    return agreeing(game, view, decks)


def deals(cards, sizes):
    """All ways to deal cards to hands of these sizes, the rest last."""
    if not sizes:
        yield [cards]
        return
    for hand in combinations(cards, sizes[0]):
        for others in deals([card for card in cards if card not in hand], sizes[1:]):
            yield [list(hand), *others]
