"""What happens at a table does not depend on how many threads share the rows out."""

from __future__ import annotations

import gc
import multiprocessing
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_envs import IllegalAction, jit
from card_envs.threads import (
    ALONE,
    CHECK,
    FAULT,
    LEAST_CHUNK,
    LEAST_ROWS,
    LINE,
    STOPPED,
    UNDO,
    WORK,
    new_progress,
    next_chunk,
    share_out,
    stop,
    wait_for_all,
)
from card_envs.threads import (
    _helpers as own_helpers,
)
from tests.variants import VARIANTS

ROOT = Path(__file__).resolve().parents[1]
ROWS = 3 * LEAST_ROWS + 131  # enough for three threads, in uneven parts
FOR_EVER = 1800.0  # seconds; nothing here takes so long unless it never ends
GAME = VARIANTS[0].make()

compiled = pytest.mark.skipif(jit.JIT_DISABLED, reason="plain Python works with one thread")


@pytest.mark.parametrize("variant", VARIANTS[:1] + VARIANTS[-1:], ids=lambda variant: variant.id)
def test_results_are_bit_identical_for_any_number_of_threads(variant):
    game = variant.make()
    seen = []
    for threads in (1, 2, 3):
        states = game.new_states(np.arange(ROWS))
        trace = []
        for turn in range(40):
            choose = game.greedy_actions if turn % 3 == 0 else game.sample_actions
            actions = choose(states, threads=threads)
            observations = np.empty((ROWS, game.observation_size), np.uint8)
            masks = np.empty((ROWS, game.num_actions), np.uint8)
            rewards, over = game.step(states, actions, observations=observations, masks=masks, threads=threads)
            assert (game.observations(states, threads=threads) == observations).all()
            assert (game.masks(states, threads=threads) == masks).all()
            trace.append([array.tobytes() for array in (actions, observations, masks, rewards, over)])
        seen.append((trace, states.tobytes()))
    assert seen[0] == seen[1] == seen[2]


def played(threads):
    """Bytes of some tables after 40 random plays each."""
    states = GAME.new_states(np.arange(ROWS))
    for _ in range(40):
        GAME.step(states, GAME.sample_actions(states, threads=threads), threads=threads)
    return states.tobytes()


def test_one_bad_action_in_any_part_changes_none():
    for threads in (1, 2):
        for row in (0, LEAST_CHUNK, ROWS - 1):
            states = GAME.new_states(np.arange(ROWS))
            before = states.tobytes()
            actions = GAME.greedy_actions(states)
            actions[row] = -1
            with pytest.raises(IllegalAction, match=rf"rows \[{row}\]"):
                GAME.step(states, actions, threads=threads)
            assert states.tobytes() == before


def test_where_sampling_is_refused_nobody_has_chosen_anything():
    for threads in (1, 2):
        for row in (0, LEAST_CHUNK, ROWS - 1):
            states = GAME.new_states(np.arange(ROWS))
            states[row : row + 1] = GAME.views(states[row : row + 1])
            states["over"][3::7], states["to_play"][3::7] = 1, -1
            before = states.tobytes()
            with pytest.raises(ValueError, match="views of a seat"):
                GAME.sample_actions(states, threads=threads)
            assert states.tobytes() == before


def test_a_senseless_number_of_threads_is_refused():
    with pytest.raises(ValueError, match="threads=0 is out of range"):
        GAME.sample_actions(GAME.new_states(np.arange(2)), threads=0)


# How rows are shared out


def take(crew, turn, rows, done, fault):
    """What a loop does between two chunks: the next one, or with none left (first = end) the wait for all."""
    start, end = next_chunk(crew, turn, rows, done, fault)
    return start, end, fault if start < end else wait_for_all(crew, turn, rows, fault)


@given(rows=st.integers(0, 5 * LEAST_CHUNK), threads=st.integers(2, 4), order=st.lists(st.integers(0, 3), max_size=40))
def test_every_row_is_taken_once_whoever_comes_when(rows, threads, order):
    progress, bell = new_progress(threads, 1), np.zeros(1, np.int64)
    for turn in (CHECK, WORK, UNDO):
        taken = np.zeros(rows, int)
        at_work = {}
        for rank in order:
            if rank >= threads or taken.all():
                continue  # with nothing left to take it would wait for the others
            start, end = at_work.get(rank, (0, 0))
            start, end, fault = take((progress, bell, rank), turn, rows, end - start, 0)
            assert start < end
            assert fault == 0
            taken[start:end] += 1
            at_work[rank] = start, end
        for start, end in list(at_work.values())[1:]:
            progress[threads * LINE + turn] += end - start  # done; the others take no more
        rank, (start, end) = next(iter(at_work.items()), (0, (0, 0)))
        while True:  # one of them, or the caller alone, does the rest
            start, end, fault = take((progress, bell, rank), turn, rows, end - start, 0)
            if start == end:
                break
            taken[start:end] += 1
        assert (taken == 1).all()
        assert take((progress, bell, 1), turn, rows, 0, 0) == (rows, rows, 0)  # who comes too late


def test_all_threads_hear_of_the_worst_fault():
    rows = 2 * LEAST_CHUNK
    progress, bell = new_progress(2, 1), np.zeros(1, np.int64)
    crews = [(progress, bell, rank) for rank in range(2)]
    parts = [take(crew, CHECK, rows, 0, 0) for crew in crews]
    assert parts == [(0, LEAST_CHUNK, 0), (LEAST_CHUNK, rows, 0)]
    progress[2 * LINE + CHECK] += LEAST_CHUNK  # the second thread is done, and found something
    progress[2 * LINE + FAULT] = 4
    assert take(crews[0], CHECK, rows, LEAST_CHUNK, 2) == (rows, rows, 4)
    assert take(crews[1], CHECK, rows, 0, 0) == (rows, rows, 4)


def test_alone_there_is_one_part():
    for rows in (0, 1, 10 * LEAST_CHUNK):
        start, end, fault = take(ALONE, WORK, rows, 0, 0)
        assert (start, end, fault) == (0, rows, 0)
        assert take(ALONE, WORK, rows, end - start, 3) == (rows, rows, 3)


# The threads themselves


def helpers():
    return [thread for thread in threading.enumerate() if thread.name == "card_envs"]


def until(true, seconds=FOR_EVER):
    """Wait for something to become true, and say whether it did."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    return true()


@compiled
def test_helpers_end_with_the_thread_they_help():
    before = len(helpers())
    alive, results = [], []

    def work():
        results.append(played(threads=3))
        alive.append(len(helpers()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert alive == [before + 2]
    assert results == [played(threads=1)]
    assert until(lambda: len(helpers()) <= before)


@compiled
def test_helpers_hold_on_to_no_arrays():
    states = GAME.new_states(np.arange(ROWS))
    observations = np.empty((ROWS, GAME.observation_size), np.uint8)
    GAME.step(states, GAME.sample_actions(states, threads=2), observations=observations, threads=2)
    gone = weakref.ref(observations)
    del observations
    assert until(lambda: gone() is None)


def test_threads_that_play_side_by_side_do_not_disturb_each_other():
    results = {}
    threads = [threading.Thread(target=lambda k=k: results.update({k: played(threads=2)})) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(results.values()) == {played(threads=1)}
    assert len(results) == 4


def answer(queue):
    queue.put(played(threads=2))


@compiled
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
def test_a_forked_process_gets_helpers_of_its_own():
    here = played(threads=2)
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=answer, args=(queue,))
    process.start()
    there = queue.get()
    process.join(FOR_EVER)
    assert process.exitcode == 0
    assert there == here


# The first calls, in new processes

FIRST_WITH_THREADS = """
import threading
import numpy as np
import card_envs

faults = []
threading.excepthook = lambda told: faults.append(told.exc_value)
game = card_envs.make_game(next(iter(card_envs.GAMES)))
states = game.new_states(np.arange(4096))
for _ in range(5):
    game.step(states, game.sample_actions(states, threads=2), threads=2)
    game.observations(states, threads=2)
    game.greedy_actions(states, threads=2)
helpers = [thread for thread in threading.enumerate() if thread.name == "card_envs"]
print(len(helpers), all(thread.is_alive() for thread in helpers), faults)
"""
FIRST_OF_MANY = """
import threading
import numpy as np
import card_envs

game = card_envs.make_game(next(iter(card_envs.GAMES)))
faults, results = [], set()
start = threading.Barrier(6)

def work(number):
    states = game.new_states(np.arange(20))
    start.wait()
    try:
        for _ in range(3):
            actions = game.sample_actions(states)
            game.step(states, actions if number % 2 else actions.astype(np.int64))
        results.add(states.tobytes())
    except BaseException as fault:
        faults.append(fault)

threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(results), faults)
"""


@compiled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "wanted"), [(FIRST_WITH_THREADS, "1 True []"), (FIRST_OF_MANY, "1 []")], ids=["helpers", "threads"]
)
def test_the_first_calls_of_a_process_may_come_from_several_threads(code, wanted):
    played(threads=2)  # so that all is in the cache
    processes = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, text=True, stdout=subprocess.PIPE) for _ in range(4)
    ]
    assert [process.communicate()[0].strip() for process in processes] == [wanted] * 4


# Threads that fail


class Fault(Exception):
    """Something that goes wrong in a thread."""


@compiled
def test_what_a_helper_raises_reaches_the_caller_and_the_helper_lives_on():
    has_rows = threading.Event()

    def loop(crew):
        start, end, found = take(crew, CHECK, ROWS, 0, 0)
        if crew[2] == 0:
            has_rows.wait(FOR_EVER)
        else:
            has_rows.set()
            raise Fault("a helper, with rows in its hands")
        while start < end:
            start, end, found = take(crew, CHECK, ROWS, end - start, found)
        assert found == STOPPED  # so nobody goes on to the next turn
        return found

    for _ in range(3):
        has_rows.clear()
        with pytest.raises(Fault, match="a helper"):
            share_out(2, ROWS, loop)
    assert played(threads=2) == played(threads=1)


@compiled
def test_what_a_caller_raises_lets_its_helpers_go():
    at_work, let_go = threading.Event(), threading.Event()

    def loop(crew):
        if crew[2] == 0:
            at_work.wait(FOR_EVER)
            raise Fault("the caller, whose rows nobody will finish")
        at_work.set()
        while take(crew, CHECK, ROWS, 0, 0)[2] != STOPPED:
            pass
        let_go.set()
        return STOPPED

    with pytest.raises(Fault, match="the caller"):
        share_out(2, ROWS, loop)
    assert let_go.wait(FOR_EVER)
    assert played(threads=2) == played(threads=1)


@compiled
def test_a_failure_that_comes_late_is_told_with_the_next_batch():
    at_work, may_fail = threading.Event(), threading.Event()

    def loop(crew):
        if crew[2] == 0:
            at_work.wait(FOR_EVER)
            return 0
        at_work.set()
        may_fail.wait(FOR_EVER)
        raise Fault("late")

    assert share_out(2, ROWS, loop) == 0
    may_fail.set()
    assert until(lambda: own_helpers().posts[0].failure is not None)
    states = GAME.new_states(np.arange(ROWS))
    content = states.tobytes()
    with pytest.raises(Fault, match="late"):
        GAME.sample_actions(states, threads=2)
    assert states.tobytes() == content
    assert played(threads=2) == played(threads=1)


@compiled
def test_a_dead_helper_is_replaced():
    assert played(threads=2) == played(threads=1)
    post = own_helpers().posts[0]
    post.dismiss()
    post.thread.join()
    assert played(threads=2) == played(threads=1)
    assert own_helpers().posts[0].thread.is_alive()
    assert post not in own_helpers().posts


def test_nothing_is_left_to_take_when_a_thread_has_failed():
    crew = new_progress(2, 1), np.zeros(1, np.int64), 0
    assert take(crew, CHECK, ROWS, 0, 0)[2] == 0
    stop(crew)
    assert take(crew, CHECK, ROWS, 0, 0) == (ROWS, ROWS, STOPPED)
