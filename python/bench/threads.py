#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Do Python threads query side by side? The same queries on one thread and on several, in turns.

    PYTHONPATH=build/release/python python/bench/threads.py [--threads N]

Prints the median of the wall-clock times, of Python threads and of query_batch().
"""
import argparse
import os
import statistics
import threading
import time

import numpy as np

import looptree

WORDS, FRAMES, PER_FRAME = 10_000, 20_000, 300


def made_up_route():
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.5, 8, WORDS)
    return [looptree.make_histogram(rng.integers(0, WORDS, PER_FRAME), weights)
            for _ in range(FRAMES)], weights


def on_threads(index, histograms, count):
    def work(part):
        for histogram in part:
            index.query(histogram, top_k=5)
    threads = [threading.Thread(target=work, args=(histograms[i::count],)) for i in range(count)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def in_a_batch(index, histograms, count):
    start = time.perf_counter()
    index.query_batch(histograms, top_k=5, threads=count)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    route, weights = made_up_route()
    index = looptree.PooledIndex(WORDS, word_weights=weights)
    index.insert_batch(route)
    queries = route[::50]
    times = {"one thread": [], "threads": [], "query_batch": []}
    for _ in range(arguments.rounds):
        times["one thread"].append(on_threads(index, queries, 1))
        times["threads"].append(on_threads(index, queries, arguments.threads))
        times["query_batch"].append(in_a_batch(index, queries, arguments.threads))
    base = statistics.median(times["one thread"])
    print(f"{len(queries)} queries of {FRAMES} frames, {arguments.threads} threads, median of "
          f"{arguments.rounds} rounds")
    for name, each in times.items():
        ms = 1000 * statistics.median(each)
        print(f"{name:12} {ms:8.1f} ms {base * 1000 / ms:5.2f}x")


if __name__ == "__main__":
    main()
