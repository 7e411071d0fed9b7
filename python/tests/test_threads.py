# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The interpreter is let go of: threads work side by side, and nothing waits for ever."""
import threading
import time

import numpy as np
import pytest

import looptree
from conftest import random_route


def run_all(targets):
    threads = [threading.Thread(target=target, daemon=True) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads), "threads wait for each other"


def test_work_runs_while_another_thread_holds_the_interpreter():
    """A long call in one thread leaves the interpreter to others: they get nearly all of it.

    Were it held, the counting thread would not count at all during the call. This holds on any
    number of cores, so the test does not measure speed.
    """
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 256, (60000, 32), np.uint8)
    counted = 0
    stop = False

    def count():
        nonlocal counted
        while not stop:
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    before, start = counted, time.perf_counter()
    looptree.train_vocabulary(rows, [600] * 100, branching=10, depth=4, threads=1)
    took, during = time.perf_counter() - start, counted - before
    stop = True
    counter.join()
    assert during > 10 and during > took / 0.1, f"counted {during} in {took:.2f} s"


def test_queries_are_in_the_index_at_the_same_time():
    """Two queries meet inside their predicates, which they can only if both run at once."""
    route, weights = random_route(6, 60)
    index = looptree.PooledIndex(len(weights), word_weights=weights)
    index.insert_batch(route)
    meeting = threading.Barrier(2, timeout=60)
    met = []

    def query():
        first = True

        def accept(frame):
            nonlocal first
            if first:
                first = False
                meeting.wait()
                met.append(frame)
            return True

        index.query(route[3], accept=accept)

    run_all([query, query])
    assert len(met) == 2


def test_queries_predicates_and_changes_together():
    route, weights = random_route(7, 200)
    index = looptree.PooledIndex(len(weights), word_weights=weights)
    index.insert_batch(route[:100])
    problems = []

    def query():
        for i in range(150):
            result = index.query(route[i % 100], top_k=3, accept=lambda frame: frame >= 0)
            if result[0].frame != i % 100:
                problems.append(i)
            len(index)

    def change():
        for histogram in route[100:]:
            index.insert(histogram)
        for frame in range(100, 150):
            index.erase(frame)

    run_all([query, query, change])
    assert not problems and len(index) == 150


def test_what_is_not_for_threads_is_safe_all_the_same():
    route, weights = random_route(8, 120)
    oracle = looptree.ExhaustiveIndex(len(weights))
    oracle.insert(route[0])

    def insert():
        for histogram in route:
            oracle.insert(histogram)

    def query():
        for histogram in route:
            assert len(oracle.query(histogram)) > 0

    run_all([insert, query, query])
    assert len(oracle) == 121


def test_vocabulary_is_shared(orb_vocabulary, orb_images):
    expected = [orb_vocabulary.words(rows).tolist() for rows in orb_images]
    wrong = []

    def work():
        for _ in range(50):
            for rows, words in zip(orb_images, expected):
                if orb_vocabulary.words(rows).tolist() != words:
                    wrong.append(words)

    run_all([work] * 4)
    assert not wrong


def test_interrupts_reach_long_jobs():
    import _thread
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 256, (200000, 32), np.uint8)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        looptree.train_vocabulary(rows, [1000] * 200, depth=6, max_iterations=50)
        timer.join()
        time.sleep(1)  # the job was faster than the interrupt
