#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""What Python costs: descriptors to words, in C++ and from numpy, in turns.

    PYTHONPATH=build/release/python python/bench/words.py build/release/python/python_words_timer

Both sides quantise the same rows with the same vocabulary, one call each per round; what is printed
is the median of the thread's own time. --vocabulary takes a vocabulary of binary descriptors of 32 bytes;
without it one of 10,000 words is trained on the spot. --check exits with 1 unless Python takes less
than twice as long.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import looptree


def python_ns(work):
    start = time.thread_time_ns()
    work()
    return time.thread_time_ns() - start


class Timer:
    """The C++ side, which waits to be told."""

    def __init__(self, program, vocabulary, rows, count):
        self.process = subprocess.Popen([program, vocabulary, rows, str(count)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ns(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline().split()[0])


def measure(program, vocabulary, rounds, folder):
    rows = np.random.default_rng(2).integers(0, 256, (1000, 32), np.uint8)
    vocabulary.save(folder / "vocabulary")
    looptree.write_descriptor_file(folder / "rows.u8", rows, [len(rows)])
    worst = 0.0
    print(f"{vocabulary!r}, {looptree.simd_level()}, median of {rounds} rounds")
    print("rows     C++       numpy, in order   numpy, strided   histogram from numpy")
    strided = np.asfortranarray(rows)
    for count in (10, 100, 1000):
        timer = Timer(program, folder / "vocabulary", folder / "rows.u8", count)
        times = {"cpp": [], "plain": [], "strided": [], "histogram": []}
        some, some_strided = rows[:count], strided[:count]
        for _ in range(rounds):
            times["cpp"].append(timer.ns())
            times["plain"].append(python_ns(lambda: vocabulary.words(some)))
            times["strided"].append(python_ns(lambda: vocabulary.words(some_strided)))
            times["histogram"].append(python_ns(lambda: vocabulary.histogram(some)))
        timer.process.stdin.close()
        timer.process.wait()
        us = {name: statistics.median(each) / 1000 for name, each in times.items()}
        ratio = {name: each / us["cpp"] for name, each in us.items()}
        print(f"{count:4} {us['cpp']:8.1f} us {us['plain']:8.1f} us {ratio['plain']:4.2f}x "
              f"{us['strided']:8.1f} us {ratio['strided']:4.2f}x {us['histogram']:8.1f} us")
        worst = ratio["plain"]
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("timer", help="the program python_words_timer of the build")
    parser.add_argument("--vocabulary", help="a vocabulary of any format")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.vocabulary:
        vocabulary = looptree.Vocabulary.load(arguments.vocabulary)
    else:
        rows = np.random.default_rng(1).integers(0, 256, (50_000, 32), np.uint8)
        vocabulary = looptree.train_vocabulary(rows, [500] * 100, branching=10, depth=4)
    with tempfile.TemporaryDirectory() as folder:
        ratio = measure(arguments.timer, vocabulary, arguments.rounds, pathlib.Path(folder))
    if arguments.check and ratio >= 2:
        sys.exit(f"error: expected 1000 rows in less than twice the time of C++, found {ratio:.2f}x")


if __name__ == "__main__":
    main()
