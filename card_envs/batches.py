"""Checks of the arrays that users pass to the verbs of a game; every error is a sentence.

Compiled code writes wherever it is told to and is recompiled for every new kind of array, so it only ever gets arrays
of the one dtype, dimension, layout and length it was made for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from card_envs.checks import whole_number

Array = npt.NDArray[Any]

INT32, UINT8, FLOAT32, BOOL = np.dtype(np.int32), np.dtype(np.uint8), np.dtype(np.float32), np.dtype(np.bool_)

NO_SEATS = np.empty(0, np.int64)
"""Sentinel for no list of seats: the view's own seat, or the seat to play. (None would need a second compilation.)"""

SENTINEL_WIDTH = 2**32
NO_OUTPUT = np.empty((0, SENTINEL_WIDTH), np.uint8)
"""Sentinel for a missing output array; no other array has its width."""


def copy(states: Array) -> Array:
    """A copy of an array of states, made as bytes (numpy copies records field by field, ten times slower)."""
    size = states.dtype.itemsize
    if not states.flags.c_contiguous:
        return np.ascontiguousarray(states)
    return states.view(f"V{size}").copy().view(states.dtype)


def take(states: Array, rows: Array) -> Array:
    """A copy of these rows (numbers or a mask), made as bytes."""
    return states.view(f"V{states.dtype.itemsize}")[rows].view(states.dtype)


def put(states: Array, rows: Array, values: Array) -> None:
    """Write records to these rows (numbers or a mask), as bytes."""
    kind = f"V{states.dtype.itemsize}"
    states.view(kind)[rows] = values.view(kind)


def listed(name: str, values: Any) -> Array:
    """``values`` as a plain array; ``ValueError`` if it cannot be one, and for masked arrays."""
    if type(values) is np.ndarray:
        return values
    _refuse_masked(name, values)
    try:
        return np.asarray(values)
    except Exception as fault:  # an object that claims to be an array may raise anything
        raise ValueError(f"{name} cannot be made an array of numbers ({fault}): give a plain array or list.") from None


def _refuse_masked(name: str, values: Any) -> None:
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(
            f"{name} must be a plain array, not a masked one, whose values may be missing: give np.ma.filled or .data."
        )


def seed(value: Any) -> int:
    """A seed as a number from 0 to 2**64 - 1 (taken mod 2**64)."""
    return whole_number("seed", value, -(2**256), 2**256) % 2**64


def seeds(values: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """Seeds (N,) as uint64."""
    array = listed("seeds", values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        if array.shape == (0,):
            return np.empty(0, np.uint64)
        if array.ndim == 1 and array.dtype.kind == "O":
            return np.array([seed(value) for value in array], np.uint64)
        raise ValueError(
            f"seeds must be whole numbers of shape (N,), not {array.dtype} of shape {array.shape}: "
            "give np.arange(N, dtype=np.uint64), say."
        )
    return np.ascontiguousarray(array.astype(np.uint64))


def check_states(states: Any, dtype: np.dtype[Any], *, write: bool = False) -> Array:
    """``states`` if it is an array of such records, or a copy if it is read-only and the verb only reads it."""
    if type(states) is not np.ndarray and isinstance(states, np.ndarray):
        _refuse_masked("states", states)
        states = states.view(np.ndarray)  # the same memory
    if not isinstance(states, np.ndarray) or states.dtype != dtype:
        kind = f"an array of {states.dtype}" if isinstance(states, np.ndarray) else type(states).__name__
        raise ValueError(f"states must be an array of this game's records, as new_states makes it, not {kind:.80}.")
    if states.ndim != 1:
        raise ValueError(f"states must have shape (N,), not {states.shape}.")
    flags = states.flags
    if flags.c_contiguous and flags.writeable:
        return states
    if not write:
        return copy(states)
    fault = "read-only" if not flags.writeable else "not contiguous (a slice with a step?)"
    raise ValueError(
        f"states is {fault}, and this verb writes to it: pass states.copy() and go on with that copy. A single "
        "State, whose record is read-only, has sample_action() and play(...)."
    )


def output(name: str, array: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A new array, or ``array`` if it fits to be written to."""
    if array is None:
        return np.empty(shape, dtype)
    if type(array) is not np.ndarray and isinstance(array, np.ndarray):
        _refuse_masked(name, array)
        array = array.view(np.ndarray)  # the same memory
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        got = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{name} must be an array of {dtype} and shape {shape}, not {got}.")
    if not array.flags.carray:
        raise ValueError(f"{name} must be contiguous and writeable: give np.empty({shape}, np.{dtype}).")
    return array


def are_plain(actions: Any) -> bool:
    """Whether actions can go to compiled code as they are, apart from their number."""
    return type(actions) is np.ndarray and actions.dtype is INT32 and actions.flags.carray


def actions(values: npt.ArrayLike, size: int) -> npt.NDArray[np.int32]:
    """Actions (N,) as int32; integers of any width, nothing else."""
    if type(values) is np.ndarray and values.dtype == INT32 and values.shape == (size,):
        return values if values.flags.carray else np.array(values)
    array = listed("actions", values)
    if array.shape == (0,) == (size,):
        return np.empty(0, np.int32)
    if array.dtype.kind not in "iu" or array.shape != (size,):
        raise ValueError(
            f"actions must be whole numbers of shape ({size},), one per row, not {array.dtype} of shape {array.shape}."
        )
    narrow = array.astype(INT32, order="C")
    if array.dtype.kind == "u":
        lost = array.itemsize >= INT32.itemsize and (narrow != array).any()
    else:  # compared as bytes, which is many times faster for a few rows
        lost = narrow.astype(array.dtype).tobytes() != array.tobytes()
    if lost:
        row = int(np.flatnonzero(narrow != array)[0])
        raise ValueError(f"action {array[row]} in row {row} is out of range.")
    return narrow


def narrowed(values: npt.ArrayLike, size: int) -> npt.NDArray[np.int32] | None:
    """What ``actions`` makes of them, or None where it raises a sentence."""
    try:
        return actions(values, size)
    except ValueError:
        return None


def seats(values: npt.ArrayLike, size: int, players: int) -> npt.NDArray[np.int64]:
    """Seats (N,), or one for all rows, as int64."""
    array = listed("seats", values)
    if array.shape == (0,) == (size,):
        return np.empty(0, np.int64)
    if array.dtype.kind not in "iu" or array.shape not in ((), (size,)):
        raise ValueError(f"seats must be whole numbers of shape ({size},), not {array.dtype} of shape {array.shape}.")
    if array.size and (array.min() < 0 or array.max() >= players):
        raise ValueError(f"seats must be from 0 to {players - 1}, not {int(array.min())} to {int(array.max())}.")
    return np.array(np.broadcast_to(array, (size,)), dtype=np.int64, order="C")  # a copy: flags matter


def rows(values: npt.ArrayLike | None, size: int) -> npt.NDArray[np.int64]:
    """Row numbers as int64 (M,), each from 0 to ``size - 1``; None means all rows."""
    if values is None:
        return np.arange(size)
    array = listed("rows", values)
    if array.shape == (0,) and array.dtype != np.bool_:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"rows must be row numbers of shape (M,), or None for all rows, not {array.dtype} of shape {array.shape}: "
            "np.flatnonzero turns a mask into them."
        )
    wrong = np.flatnonzero((array < 0) | (array >= size))
    if len(wrong):
        raise ValueError(f"There is no row {array[wrong[0]]}: there are {size}, numbered from 0.")
    return np.ascontiguousarray(array, np.int64)


def marked(where: npt.ArrayLike | None, size: int) -> npt.NDArray[np.int64]:
    """Numbers of the rows where a bool (N,) array is true; None means all rows."""
    if where is None:
        return np.arange(size)
    array = listed("where", where)
    if array.dtype != np.bool_ or array.shape != (size,):
        raise ValueError(
            f"where must be an array of bool and shape ({size},), one per table, not {array.dtype} of shape "
            f"{array.shape}."
        )
    return np.flatnonzero(array)
