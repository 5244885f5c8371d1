"""What is kept of the games: one SQLite database, in which every play is written before it is answered.

A process that is killed at any moment loses nothing; where the machine itself fails, the plays of the last moments may
be lost, and no more. One server at a time has the database open. Names of players are kept as they were offered
(``choices.Offer``), never as what they are made from.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from card_envs.records import Play

FORMAT = 1
"""Version of the database. Others are refused."""

APPLICATION = 0x43617264
"""What SQLite keeps in the head of the file, to tell it from the databases of other programs."""

TABLES = """
CREATE TABLE house (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE games (
    id TEXT PRIMARY KEY, start TEXT NOT NULL, offers TEXT NOT NULL, before TEXT NOT NULL, follows TEXT UNIQUE,
    forfeited INTEGER, touched REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE seats (token TEXT PRIMARY KEY, game TEXT NOT NULL, seat INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX seats_of_games ON seats (game);
CREATE TABLE plays (game TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, note TEXT NOT NULL,
    PRIMARY KEY (game, number)) WITHOUT ROWID;
CREATE TABLE replays (token TEXT PRIMARY KEY, content BLOB NOT NULL, made REAL NOT NULL) WITHOUT ROWID;
"""


def new_token() -> str:
    """128 random bits, fit for an address."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True)
class KeptGame:
    """A game as it is kept.

    start: the line of its record before the first play. offers: by seat, the name under which its player was offered,
    None for a person. before: points by seat in the deals before this one. tokens: of the seats of people.
    plays: name and note of each. forfeited: the seat that lost by a forfeit, or None. follows: the game whose next
    deal this is, or None.
    """

    id: str
    start: str
    offers: tuple[str | None, ...]
    before: tuple[int, ...]
    tokens: Mapping[int, str]
    plays: Sequence[tuple[str, str]] = ()
    forfeited: int | None = None
    follows: str | None = None


class Store:
    """The database of a file, made where there is none; readable by its owner alone.

    Raises ``ValueError`` for a file that is no such database, is of another version, or in use by another server, and
    ``OSError`` or ``sqlite3.Error`` where it cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise ValueError(f"{self.path} is a folder: name a file for the games.")
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        # One thread at a time uses it: the one that answers requests.
        self._db = sqlite3.connect(self.path, timeout=1.0, isolation_level=None, check_same_thread=False)
        try:
            self._open()
        except sqlite3.OperationalError as fault:
            self._db.close()
            if "locked" in str(fault):
                raise ValueError(
                    f"{self.path} is in use by another card-envs table: use that one, stop it, or name another file "
                    "with --database."
                ) from None
            raise ValueError(f"{self.path} cannot be used as a database of games: {fault}.") from None
        except (ValueError, sqlite3.DatabaseError) as fault:
            self._db.close()
            if isinstance(fault, ValueError):
                raise
            raise ValueError(f"{self.path} is no database of games ({fault}): name another file.") from None

    def _open(self) -> None:
        run = self._db.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("BEGIN IMMEDIATE")
        application, version = (run(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        is_empty = run("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
        if not is_empty and application != APPLICATION:
            raise ValueError(f"{self.path} is the database of another program: name another file.")
        if not is_empty and version != FORMAT:
            raise ValueError(
                f"{self.path} was written by another version of card_envs (database {version}, here {FORMAT}): name "
                "another file, or use that version."
            )
        if is_empty:
            for statement in TABLES.split(";\n"):
                run(statement)
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {FORMAT}")
            run("INSERT INTO house VALUES ('secret', ?)", (new_token(),))
        run("COMMIT")
        os.chmod(self.path, 0o600)
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")  # to wait for the disk with each play would hold up all games

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @property
    def secret(self) -> str:
        """The secret of the address: the same for as long as the file is kept, so that a page can be loaded again."""
        return str(self._db.execute("SELECT text FROM house WHERE name = 'secret'").fetchone()[0])

    # Games

    def add(self, game: KeptGame) -> None:
        """Keep a new game."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?)",
                (game.id, game.start, json.dumps(game.offers), json.dumps(game.before), game.follows, game.forfeited,
                 time.time()),
            )  # fmt: skip
            rows = [(token, game.id, seat) for seat, token in game.tokens.items()]
            self._db.executemany("INSERT INTO seats VALUES (?, ?, ?)", rows)

    def write(self, game: str, kept: int, plays: Sequence[Play], forfeited: int | None) -> None:
        """Keep that of the plays of a game the first ``kept`` stay and these follow; ``LookupError`` if the game is not
        kept."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("DELETE FROM plays WHERE game = ? AND number >= ?", (game, kept))
            rows = [(game, number, play.name, play.note) for number, play in enumerate(plays, kept)]
            self._db.executemany("INSERT INTO plays VALUES (?, ?, ?, ?)", rows)
            changed = self._db.execute(
                "UPDATE games SET forfeited = ?, touched = ? WHERE id = ?", (forfeited, time.time(), game)
            )
            if not changed.rowcount:
                raise LookupError(game)

    def seat(self, token: str) -> tuple[str, int] | None:
        """The game and the seat of a token; None if there is no such token."""
        found = self._db.execute("SELECT game, seat FROM seats WHERE token = ?", (token,)).fetchone()
        return None if found is None else (found[0], found[1])

    def game(self, game: str) -> KeptGame:
        """A game that is kept; ``LookupError`` if it is not."""
        columns = "start, offers, before, forfeited, follows"
        found = self._db.execute(f"SELECT {columns} FROM games WHERE id = ?", (game,)).fetchone()
        if found is None:
            raise LookupError(game)
        tokens = self._db.execute("SELECT seat, token FROM seats WHERE game = ? ORDER BY seat", (game,)).fetchall()
        plays = self._db.execute("SELECT name, note FROM plays WHERE game = ? ORDER BY number", (game,)).fetchall()
        start, offers, before, forfeited, follows = found
        return KeptGame(
            game, start, tuple(json.loads(offers)), tuple(json.loads(before)), dict(tokens), plays, forfeited, follows
        )

    def following(self, game: str) -> str | None:
        """The game that is the next deal after this one; None if there is none yet."""
        found = self._db.execute("SELECT id FROM games WHERE follows = ?", (game,)).fetchone()
        return None if found is None else str(found[0])

    def count(self) -> int:
        """How many games are kept."""
        return int(self._db.execute("SELECT count(*) FROM games").fetchone()[0])

    def forget_before(self, when: float) -> None:
        """Forget the games that nobody has touched since a time, in seconds as ``time.time`` counts them."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for table, column in (("seats", "game"), ("plays", "game"), ("games", "id")):
                self._db.execute(
                    f"DELETE FROM {table} WHERE {column} IN (SELECT id FROM games WHERE touched < ?)", (when,)
                )

    # Files of records

    def add_replay(self, token: str, content: bytes, most: int) -> None:
        """Keep a file of records, of all such files the last ``most``."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("INSERT INTO replays VALUES (?, ?, ?)", (token, content, time.time()))
            last = "SELECT token FROM replays ORDER BY made DESC LIMIT ?"
            self._db.execute(f"DELETE FROM replays WHERE token NOT IN ({last})", (most,))

    def replay(self, token: str) -> bytes | None:
        """A file of records that is kept; None if it is not."""
        found = self._db.execute("SELECT content FROM replays WHERE token = ?", (token,)).fetchone()
        return None if found is None else bytes(found[0])
