# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Ten thousand calls of each kind leave the process as large as it was."""
import gc
import sys

import numpy as np
import pytest

import looptree
from conftest import random_route

CALLS = 10_000
# A leak of one small object per call, 100 bytes, would be a megabyte.
MOST_GROWTH = 800_000


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def growth(call):
    for _ in range(CALLS // 2):  # let caches, the allocator and what is made ready ahead settle
        call()
    gc.collect()
    before = resident_bytes()
    for _ in range(CALLS):
        call()
    gc.collect()
    return resident_bytes() - before


def errors_of_a_predicate(index, histogram):
    def broken(frame):
        raise ValueError(frame)
    try:
        index.query(histogram, accept=broken)
    except ValueError:
        pass


def wrong_words(vocabulary):
    try:
        vocabulary.words(np.zeros((2, 3), np.int16))
    except looptree.Error:
        pass


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_nothing_grows(orb_vocabulary, orb_images):
    route, weights = random_route(9, 40)
    index = looptree.PooledIndex(len(weights), word_weights=weights)
    index.insert_batch(route)
    rows = orb_images[0][:20]
    strided = np.asfortranarray(rows)
    points = np.zeros((20, 2), np.float32)
    curve_scores, right = np.linspace(0, 1, 30), np.ones(30, bool)
    calls = {
        "words": lambda: orb_vocabulary.words(rows),
        "words of a copy": lambda: orb_vocabulary.words(strided),
        "histogram and its views": lambda: orb_vocabulary.histogram(rows).words.sum(),
        "quantize": lambda: orb_vocabulary.quantize(rows, 1),
        "query and its views": lambda: index.query(route[0], top_k=3).scores.sum(),
        "matches": lambda: [match.frame for match in index.query(route[0], top_k=3)],
        "predicate": lambda: index.query(route[0], top_k=3, accept=lambda frame: frame > 3),
        "predicate that raises": lambda: errors_of_a_predicate(index, route[0]),
        "refused array": lambda: wrong_words(orb_vocabulary),
        "insert and erase": lambda: index.erase(index.insert(route[1])),
        "word weights": lambda: orb_vocabulary.word_weights[0],
        "features": lambda: looptree.Features(points, rows, width=9, height=9).descriptors,
        "curve": lambda: looptree.evaluate.precision_recall(curve_scores, right, 30).recall,
    }
    grown = {name: growth(call) for name, call in calls.items()}
    # The index itself keeps ids of erased frames for a while.
    grown["insert and erase"] -= CALLS * 64
    assert {name: size for name, size in grown.items() if size > MOST_GROWTH} == {}
