"""A sitting in the terminal: pages and plays as lines, typed numbers and names."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from card_agents.labels import printable
from card_agents.table.game_file import GameFile
from card_agents.table.plays import begins, listed_plays, page, told_play, typed_play
from card_agents.table.sitting import Sitting
from card_envs.records import GameRecord

if TYPE_CHECKING:
    from rich.console import Console

COMMANDS = "hint, undo, help, quit"

HELP = """Type the number of a play, its card, or as much of the card as tells it from the others.
  Enter      show the position again
  hint, h    what {hints} would play, and what it knows of each play
  undo, u    take your last play back, and the answers to it
  help, ?    this text
  quit, q    stop; the game is kept and goes on with --resume
Letters do for suits (c d h s), and Russian and German names of cards are taken too.
{game}
{rules}"""

Answer = TypeVar("Answer")

MOMENT = 0.4
"""Seconds after which a player is said to think."""


class Quit(Exception):
    """A person wants to stop."""


class Terminal:
    """Plays the games of a sitting in the terminal.

    sitting: the game in play. file: where it is kept. names: language of the cards. hints: the player that gives
    hints. rules: a sentence that says where the rules are.
    """

    def __init__(
        self,
        console: Console,
        sitting: Sitting,
        file: GameFile,
        *,
        names: str = "en",
        hints: str,
        rules: str,
    ) -> None:
        self.console = console
        self.sitting = sitting
        self.file = file
        self.names = names
        self.hints = hints
        self.rules = rules
        self.finished = file.of_this_sitting(sitting.record)
        self.people = [seat for seat, player in enumerate(sitting.seats) if player is None]
        self._deals = len(sitting.record.deals())

    # Games

    def play(self, deals: int | None = None) -> None:
        """Play so many games (None: on and on), the one in play among them. Raises ``Quit``, ``EOFError`` and
        ``KeyboardInterrupt`` where people stop; all but the play that somebody was thinking of is kept then."""
        self._say(self._who())
        self._say(f"Type the number of a play or its card. Also: {COMMANDS}.\n")
        for number in range(deals or sys.maxsize):
            if number:
                self._ask("Enter for the next deal, or quit: ", self._no_play)
            if self.sitting.record.is_over:
                self._next()
            self._game()

    def _who(self) -> str:
        seats = [f"seat {seat} is {self._called(seat)}" for seat in range(len(self.sitting.seats))]
        return f"{self.sitting.game.name.capitalize()}: {', '.join(seats)}."

    def _called(self, seat: int) -> str:
        """What a seat is called: "you" where there is one person alone."""
        if self.people == [seat]:
            return "you"
        return printable(self.sitting.record.players[seat])

    def _next(self) -> None:
        following = self.sitting.next_deal()
        self.sitting.close()
        self.sitting, self._deals = following, 1
        self._say("")

    def _game(self) -> None:
        """Play a game to its end."""
        if self.sitting.plays:
            self._say(f"The game goes on after {self.sitting.plays} plays.")
        while not self.sitting.record.is_over:
            if self.sitting.waits_for_person:
                self._turn(self.sitting.to_play)
            else:
                self._think()
            self._tell_new_deal()
        self._save()
        self.file.finish(self.sitting.record)
        self.finished.append(self.sitting.record)
        self._end()

    def _save(self) -> None:
        before = self.file.path
        try:
            self.file.write(self.sitting.record)
        except OSError as fault:
            self._say(f"This play could not be saved: {fault.strerror or fault}.")
        if self.file.path != before:
            self._say(f"Somebody else has written into {before}: this game is kept in {self.file.path} from now on.")

    # Players

    def _think(self) -> None:
        """Let the player on turn play, and tell its play."""
        sitting, seat = self.sitting, self.sitting.to_play
        try:
            action = waited_for(sitting.think, self.console, f"{self._called(seat)} is thinking ...")
        except ValueError as fault:
            self._say(f"{fault} So seat {seat} loses this game.")
            sitting.record.forfeit()
            return
        sitting.put(action, sitting.plays)
        self._save()
        self._tell(sitting.plays - 1)

    def _tell(self, number: int) -> None:
        """Tell a play."""
        record = self.sitting.record
        seat = record.plays[number].seat
        who = "You play" if self.people == [seat] else f"Seat {seat}, {self._called(seat)}, plays"
        self._say(f"{who} {told_play(record, number, self.names)}.")

    # People

    def _turn(self, seat: int) -> None:
        """Let a person play."""
        if len(self.people) > 1:
            self._hand_over(seat)
        self._show(seat)
        number = self.sitting.record.position.view(seat).legal_actions().size
        self._ask(f"Your play (1 to {number}): ", lambda text: self._typed(seat, text))

    def _hand_over(self, seat: int) -> None:
        """See to it that only the person on turn sees the cards; tell what has been played since their last play."""
        if self.console.is_terminal:
            self.console.clear()
        self._ask(f"Seat {seat}, {self._called(seat)}: press Enter when you alone see the screen. ", self._no_play)
        plays = self.sitting.record.plays
        begin = max((number + 1 for number, play in enumerate(plays) if play.seat == seat), default=0)
        for number in range(max(begin, len(plays) - len(self.sitting.seats)), len(plays)):
            self._tell(number)

    def _show(self, seat: int) -> None:
        """The position as a seat sees it, and what it may play."""
        view = self.sitting.record.position.view(seat)
        self._say("\n" + page(view, seat, self.names) + "\n")
        plays = [f"{number:>2} {text}" for number, text in enumerate(listed_plays(view, self.names), 1)]
        self._say("\n".join(in_columns(plays, min(self.console.width, 100))))

    def _typed(self, seat: int, text: str) -> bool:
        """Do what a person on turn has typed; whether the turn is over."""
        if not text:
            self._show(seat)
        elif text in ("undo", "u"):
            self.sitting.undo(seat)
            self._save()
            self._say("Taken back.")
            return True
        elif text in ("hint", "h"):
            self._hint(seat)
        else:
            view = self.sitting.record.position.view(seat)
            self.sitting.play(seat, typed_play(text, view))
            self._save()
            self._tell(self.sitting.plays - 1)
            return True
        return False

    def _hint(self, seat: int) -> None:
        judgement = waited_for(
            lambda: self.sitting.hint(seat, self.hints), self.console, f"{self.hints} is thinking ..."
        )
        self._say(judgement.text(self.names))

    def _no_play(self, text: str) -> bool:
        if text in ("undo", "u", "hint", "h"):
            raise ValueError("There is nothing to play now.")
        return True

    def _ask(self, prompt: str, answer: Callable[[str], bool]) -> None:
        """Ask until ``answer`` says of a text that it is one; what is asked of every question is answered here."""
        while True:
            text = self._read(prompt)
            word = text.casefold()
            if word == "quit" or (word == "q" and not self._is_card("q")):
                raise Quit
            if word in ("help", "?"):
                self._help()
                continue
            try:
                if word == "q":
                    raise ValueError("q may be a card: write quit, or the whole card.")
                if answer(word if word in ("undo", "hint", "u", "h") else text):
                    return
            except ValueError as fault:
                self._say(str(fault))

    def _is_card(self, text: str) -> bool:
        state = self.sitting.record.position
        return any(begins(text, state.game.action_name(action)) for action in state.legal_actions().tolist())

    def _read(self, prompt: str) -> str:
        """A line of input; where it is not typed, it is printed after the prompt."""
        typed = input(prompt)
        if not sys.stdin.isatty():
            self._say(typed)
        return " ".join(typed.split())

    def _help(self) -> None:
        self._say(HELP.format(hints=self.hints, game=self.sitting.game.describe(), rules=self.rules))

    # What came of it

    def _tell_new_deal(self) -> None:
        """Tell what came of a deal of a match when the next one has been dealt."""
        record = self.sitting.record
        deals = len(record.deals())
        if deals > self._deals and not record.is_over:
            points, scores = (self._by_seat(of().tolist()) for of in (record.position.points, record.position.scores))
            self._say(f"\nDeal {self._deals} of the match: {points}. The match stands at {scores}.")
            self._ask("Enter for the next deal, or quit: ", self._no_play)
        self._deals = deals

    def _end(self) -> None:
        """Show the last position, and tell the score."""
        record = self.sitting.record
        results = record.results
        assert results is not None
        seat = self.people[0] if len(self.people) == 1 else 0
        self._say("\n" + page(record.position, seat, self.names) + "\n")
        if self.sitting.game.rules.match:
            self._say(f"The match ends at {self._by_seat(results['scores'])}.")
            if any(results["settlement"]):
                self._say(f"Settlement: {self._by_seat(results['settlement'])}.")
        else:
            self._say(f"Points of this deal: {self._by_seat(results['points'])}.")
        if len(self.finished) > 1:
            what = "matches: won" if self.sitting.game.rules.match else "deals: points"
            self._say(f"After {len(self.finished)} {what} {self._by_seat(totals(self.finished))}.")

    def _by_seat(self, numbers: list[int]) -> str:
        return ", ".join(f"{self._called(seat)} {number}" for seat, number in enumerate(numbers))

    def _say(self, text: str) -> None:
        """Print a text, its red suits in red where there are colours."""
        from rich.text import Text

        shown = Text(text)
        shown.highlight_regex(r"\S+[♥♦]", "red")
        self.console.print(shown, soft_wrap=True)


def waited_for(work: Callable[[], Answer], console: Console, saying: str) -> Answer:
    """What some work comes to; after a moment the console says what goes on. It can be interrupted at any time."""
    answers: list[Answer] = []
    faults: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException as fault:
            faults.append(fault)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(MOMENT)
    if thread.is_alive():
        with console.status(saying, spinner="line"):
            while thread.is_alive():
                thread.join(0.1)
    if faults:
        raise faults[0]
    return answers[0]


def in_columns(cells: list[str], width: int) -> list[str]:
    """Short texts in lines of columns, in rows."""
    each = max(map(len, cells)) + 3
    across = max(1, width // each)
    rows = (cells[begin : begin + across] for begin in range(0, len(cells), across))
    return ["".join(cell.ljust(each) for cell in row).rstrip() for row in rows]


def totals(records: list[GameRecord]) -> list[int]:
    """By seat, points over deals, or how many matches it has won."""
    total = np.zeros(records[0].game.num_players, np.int64)
    for record in records:
        results = record.results
        assert results is not None
        if record.game.rules.match:
            returns = np.array(results["returns"])
            total += (returns == returns.max()) & (returns > 0)
        else:
            total += np.array(results["points"])
    return total.tolist()
