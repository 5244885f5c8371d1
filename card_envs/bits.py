"""Scalar kernels: bit sets of up to 64 members, their bits as bytes, and the random words of a table.

House rules for everything compiled here and in the games: small fields are read through ``np.int64`` or
``np.uint64``, and uint64 meets only uint64 (numba would make a float64 of uint64 and int64 together).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core.registry import cpu_target

from card_envs.jit import JIT_DISABLED, inlined, njit

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

FRONT = 192
"""Bytes of a record that every play reads."""

COMING = 2048
"""How far ahead of its writes ``put`` prefetches, in bytes."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_DEALS = np.uint64(0xD1B54A32D192ED03)
_CHOICES = np.uint64(0x8CB92BA72F3D8DD7)

_SIP = (
    np.uint64(0x736F6D6570736575),
    np.uint64(0x646F72616E646F6D),
    np.uint64(0x6C7967656E657261),
    np.uint64(0x7465646279746573),
)
_SIP_LENGTH = np.uint64(8 << 56)
_SIP_LAST = np.uint64(0xFF)


@inlined
def bit(member: int) -> np.uint64:
    """The set that holds ``member`` (0 to 63) alone."""
    return ONE << np.uint64(member)


@inlined
def first(count: int) -> np.uint64:
    """The set {0, ..., count - 1}, ``count`` from 0 to 64: also a thermometer of ``count``."""
    if count >= 64:
        return ALL
    return (ONE << np.uint64(count)) - ONE


@inlined
def few(count: int) -> np.uint64:
    """``first`` of a ``count`` below 64, in fewer instructions."""
    return (ONE << np.uint64(count)) - ONE


@inlined
def popcount(members: np.uint64) -> int:
    """Number of members. LLVM compiles this idiom to one instruction."""
    x = members - ((members >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def lowest(members: np.uint64) -> int:
    """Least member of a set that is not empty (64 for the empty set)."""
    return popcount(~members & (members - ONE))


def _deposits() -> bool:
    """Whether compiled code may use the processor's bit deposit instruction (BMI2 ``pdep``)."""
    if JIT_DISABLED:
        return False
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    return "+bmi2" in features.split(",") and processor not in ("bdver4", "znver1", "znver2")  # where it is slow


_HAS_DEPOSIT = _deposits()


@extending.intrinsic
def _deposit(typing_context, bits, mask):  # type: ignore[no-untyped-def]
    """Lay the low bits of ``bits`` into the places of ``mask``, in ascending order."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64), ir.IntType(64)])
        return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind), arguments)

    return types.uint64(types.uint64, types.uint64), generate


@inlined
def nth(members: np.uint64, index: int) -> int:
    """The member with ``index`` smaller ones in the set."""
    if _HAS_DEPOSIT:
        return lowest(_deposit(ONE << np.uint64(index), members))
    for k in range(6):  # branch-free: a branch would be mispredicted half the time
        members = members & (members - ONE) if k < index else members
    for _ in range(6, index):
        members &= members - ONE
    return lowest(members)


def borrow(array: Any) -> Any:
    """The same array without reference counting, for use inside a hot loop.

    Passing an array to a function counts references with locked instructions, which cost more than a whole play. A
    function that borrows an array it has created must keep it alive with ``keep`` until after the last use.
    """
    return array


@extending.intrinsic
def _borrow_compiled(typing_context, array):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        borrowed = context.make_array(signature.args[0])(context, builder, arguments[0])
        borrowed.meminfo = context.get_constant_null(types.MemInfoPointer(types.voidptr))
        borrowed.parent = context.get_constant_null(types.pyobject)
        return borrowed._getvalue()

    return array(array), generate


@extending.overload(borrow, inline="always")
def _borrow_overload(array):  # type: ignore[no-untyped-def]
    return lambda array: _borrow_compiled(array)


def _fetch(builder: Any, place: Any, distances: range, *, for_writing: bool) -> None:
    """Prefetch the memory at these distances, in bytes, behind an address; any address is allowed."""
    octet, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    hint = builder.module.declare_intrinsic(
        "llvm.prefetch", [octet], ir.FunctionType(ir.VoidType(), [octet, word, word, word])
    )
    address = builder.ptrtoint(place, ir.IntType(64))
    for distance in distances:
        far = builder.inttoptr(builder.add(address, ir.Constant(ir.IntType(64), distance)), octet)
        builder.call(hint, [far, word(int(for_writing)), word(3), word(1)])  # high locality, data cache


def prefetch(array: Any, index: int) -> None:
    """Begin to load the front of a record from memory, without waiting for it; ``index`` may lie past the end."""


@extending.intrinsic
def _prefetch_compiled(typing_context, array, index):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        _fetch(builder, builder.gep(data, [arguments[1]]), range(0, FRONT, 64), for_writing=False)
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@extending.overload(prefetch, inline="always")
def _prefetch_overload(array, index):  # type: ignore[no-untyped-def]
    return lambda array, index: _prefetch_compiled(array, index)


@njit
def keep(array: Any) -> int:
    """Keeps ``array`` alive until here; returns its length."""
    return len(array)


def _spread_python(row: Any, start: int, word: np.uint64, width: int) -> None:
    for k in range(width):
        row[start + k] = (int(word) >> k) & 1


def _spread(width: int) -> Any:
    """Kernel that writes ``width`` bits of a word as ``width`` bytes of 0 or 1 from ``row[start]`` on."""

    def spread(row: Any, start: int, word: np.uint64) -> None:
        _spread_python(row, start, word, width)

    @extending.intrinsic
    def spread_compiled(typing_context, row, start, word):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            bits = arguments[2]
            if width < 64:
                bits = builder.trunc(bits, ir.IntType(width))
            flags = builder.bitcast(bits, ir.VectorType(ir.IntType(1), width))
            octets = builder.zext(flags, ir.VectorType(ir.IntType(8), width))
            place = builder.gep(array.data, [arguments[1]])
            store = builder.store(octets, builder.bitcast(place, octets.type.as_pointer()))
            store.align = 1
            if width == 64:
                _fetch(builder, place, range(COMING, COMING + 64, 64), for_writing=True)
            return context.get_dummy_value()

        return types.void(row, types.int64, types.uint64), generate

    @extending.overload(spread, inline="always")
    def spread_overload(row, start, word):  # type: ignore[no-untyped-def]
        return lambda row, start, word: spread_compiled(row, start, word)

    return spread


_spread_64 = _spread(64)
_spread_32 = _spread(32)
_spread_8 = _spread(8)

SLACK = 64
"""Bytes that ``put`` may write after the field it is asked for."""


@inlined
def put(out: Any, at: int, width: int, value: np.uint64) -> int:
    """Write ``width`` (0 to 64) low bits of ``value`` as bytes of 0 or 1 from ``out[at]`` on; return the end.

    One wide store: it writes 64 bytes whatever the width, so fields are put in ascending order, each over the surplus
    of the one before, and ``out`` must have ``SLACK`` bytes to spare.
    """
    _spread_64(out, at, value)
    return at + width


@inlined
def put_pair(out: Any, at: int, width: int, value: np.uint64, next_width: int, next_value: np.uint64) -> int:
    """Write two fields, one behind the other; in one store where both fit into it. Return the end."""
    if width + next_width <= 64:
        return put(out, at, width + next_width, value | (next_value << np.uint64(width)))
    return put(out, put(out, at, width, value), next_width, next_value)


@inlined
def put_few(out: Any, at: int, width: int, value: np.uint64) -> int:
    """``put`` for up to 8 bits, writing 8 bytes."""
    _spread_8(out, at, value)
    return at + width


@inlined
def put_count(out: Any, at: int, width: int, count: int) -> int:
    """Write a count as a thermometer of any width: so many ones (at most ``width``), then zeros."""
    count = min(count, width)
    end = at + width
    while at < end:
        _spread_64(out, at, first(min(count, 64)))
        count = max(count - 64, 0)
        at += 64
    return end


@inlined
def put_words(out: Any, at: int, width: int, words: Any, most: int) -> None:
    """``put`` for any width, from as many words as it takes; ``most`` is a constant, so that the loop unrolls."""
    for k in range(most):
        rest = width - (k << 6)
        if rest > 32:
            _spread_64(out, at + (k << 6), words[k])
        elif rest > 0:
            _spread_32(out, at + (k << 6), words[k])


@inlined
def scramble(x: np.uint64) -> np.uint64:
    """The finaliser of splitmix64: a bijection of 64-bit words that passes the usual tests of randomness."""
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@inlined
def below(word: np.uint64, bound: int) -> int:
    """A number from 0 to ``bound - 1`` made of the upper half of a random word."""
    return np.int64(((word >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@inlined
def deal_stream(seed: np.uint64, deal: np.uint64) -> np.uint64:
    """State of the generator that shuffles deal ``deal`` of a table: a function of seed and number alone."""
    return scramble(scramble(seed + _GOLDEN) + deal * _DEALS)


@inlined
def choice_stream(seed: np.uint64) -> np.uint64:
    """First state of a table's stream."""
    return scramble(seed ^ _CHOICES)


@inlined
def draw(s: Any) -> np.uint64:
    """Next random word of the stream of table ``s`` (splitmix64)."""
    s.choice += _GOLDEN
    return scramble(s.choice)


@inlined
def _rotated(x: np.uint64, places: int) -> np.uint64:
    return (x << np.uint64(places)) | (x >> np.uint64(64 - places))


@inlined
def _sip_round(a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64) -> tuple[np.uint64, ...]:
    a += b
    b = _rotated(b, 13) ^ a
    a = _rotated(a, 32)
    c += d
    d = _rotated(d, 16) ^ c
    a += d
    d = _rotated(d, 21) ^ a
    c += b
    b = _rotated(b, 17) ^ c
    return a, b, _rotated(c, 32), d


@njit
def siphash(low: np.uint64, high: np.uint64, word: np.uint64) -> np.uint64:
    """SipHash-2-4 of the eight bytes of ``word`` under a key of two words (all little-endian): any number of hashes
    reveals nothing of the key."""
    a, b, c, d = low ^ _SIP[0], high ^ _SIP[1], low ^ _SIP[2], high ^ _SIP[3]
    for block in (word, _SIP_LENGTH):
        d ^= block
        for _ in range(2):
            a, b, c, d = _sip_round(a, b, c, d)
        a ^= block
    c ^= _SIP_LAST
    for _ in range(4):
        a, b, c, d = _sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@inlined
def draw_one_way(s: Any) -> np.uint64:
    """A random word from the stream of table ``s`` that a player may be given.

    ``scramble`` is invertible: a word of ``draw`` itself reveals the state of the stream, hence the seed, hence the
    whole pack. Here the drawn word is a key that nobody sees.
    """
    return siphash(draw(s), _CHOICES, ZERO)


@inlined
def draw_from(s: Any, members: np.uint64) -> int:
    """A uniform member of a nonempty set, drawn from the stream of table ``s``."""
    return nth(members, below(draw(s), popcount(members)))


@inlined
def take_back(s: Any) -> None:
    """Undo the last draw from the stream of table ``s``."""
    s.choice -= _GOLDEN


@inlined
def lot(seed: np.uint64, deal: np.uint64, bound: int) -> int:
    """A seat drawn by lot for the episode that begins with this deal, independent of the shuffling."""
    return below(scramble(deal_stream(seed, deal) ^ _CHOICES), bound)


@njit
def shuffle(pack: Any, size: int, seed: np.uint64, deal: np.uint64) -> None:
    """Fill ``pack[:size]`` with the cards 0 to ``size - 1`` in the order of deal ``deal``, top card first."""
    state = deal_stream(seed, deal)
    for i in range(size):
        pack[i] = i
    word = ZERO
    for i in range(size - 1):
        if i & 1:
            word <<= np.uint64(32)
        else:
            state += _GOLDEN
            word = scramble(state)
        j = i + below(word, size - i)
        card = pack[i]
        pack[i] = pack[j]
        pack[j] = card
