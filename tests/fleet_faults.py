#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Kills workers of a fleet with SIGKILL at random instants of build and close, fifty times by default.

The job must end by itself each time, with the closures of a run in one process, to the bit.
PYTHONPATH=build/dev/python python3 tests/fleet_faults.py [KILLS] [SEED]
"""
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

import numpy as np

import looptree
from looptree import fleet as fl
from looptree.fleet.on_dask import OnDask

WORDS = 300


def write_drives(folder, rng):
    """Drives along one made-up road, as files of words."""
    road = rng.integers(0, WORDS, (400, 40))
    weights = rng.uniform(0.1, 8, WORDS).astype(np.float32)
    for i in range(4):
        begin = int(rng.integers(0, 200))
        frames = [np.where(rng.random(40) < 0.8, road[begin + k], rng.integers(0, WORDS, 40))
                  for k in range(200)]
        looptree.write_words(folder / f"{i}.words",
                             looptree.WordSequence(WORDS, frames, word_weights=weights))


def closed(folder, files, engine=None):
    made = fl.Fleet.create(folder, WORDS)
    for file in files:
        made.add(file.stem, fl.Source("words", str(file)), piece=50, overlap=10)
    fl.build(made, engine)
    found = fl.close(made, engine, batch=10)
    return {name: getattr(found, name).tobytes()
            for name in ("queries", "matches", "scores", "consistent", "inliers")}


class Killer(threading.Thread):
    """Kills a worker after some random time, again and again."""

    def __init__(self, engine, seed, most):
        super().__init__(daemon=True)
        self.engine, self.random, self.left = engine, random.Random(seed), most
        self.stop, self.kills = threading.Event(), 0

    def run(self):
        while self.left > 0 and not self.stop.wait(self.random.uniform(0.05, 1.5)):
            pids = self.engine.pids()
            if pids:
                os.kill(self.random.choice(pids), signal.SIGKILL)
                self.kills, self.left = self.kills + 1, self.left - 1


def main():
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    kills = jobs = 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fleet_faults."))
    try:
        write_drives(folder, np.random.default_rng(seed))
        files = sorted(folder.glob("*.words"))
        expected = closed(folder / "alone", files)
        with OnDask.local(2) as engine:
            while kills < wanted:
                killer = Killer(engine, seed * 1000 + jobs, wanted - kills)
                killer.start()
                begin = time.monotonic()
                same = closed(folder / f"job{jobs}", files, engine) == expected
                killer.stop.set()
                killer.join()
                kills, jobs = kills + killer.kills, jobs + 1
                print(f"job {jobs}: {killer.kills} kills, {time.monotonic() - begin:.1f} s, "
                      f"{'the same closures' if same else 'OTHER CLOSURES'}", flush=True)
                if not same:
                    return 1
                shutil.rmtree(folder / f"job{jobs - 1}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{kills} kills in {jobs} jobs: all ended by themselves, with the same closures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
