#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Measures looptree.fleet on the word stream, which needs no images; docs/fleet.md has the figures.

  frames    a fleet of --frames as --drives shards, built and asked: time, memory, the work's share
  close     all loops of --frames keyframes in --drives drives
  latency   of a single query over --frames in 1, 4 and 16 shards
  scaling   the same build, close and queries on 0 (in process), 1, 2, ... workers: time, CPU, and
            how much of the CPU is the engine's

Every command goes on with what it finds in --folder. PYTHONPATH names the package of a build:
PYTHONPATH=build/release/python python3 bench/fleet.py frames --folder /big/disk --workers 2
"""
import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import threading
import time

import looptree
from looptree import fleet as fl

SEED = 7
FRAMES = {"frames": 5_000_000, "close": 200_000, "scaling": 20_000, "latency": 160_000}


def make(folder, frames, drives, piece=None):
    """A fleet of pieces of one made-up road, which comes back to what it has seen."""
    if (folder / "fleet.json").exists():
        return fl.Fleet.open(folder)
    stream = looptree.WordStream(seed=SEED)
    made = fl.Fleet.create(folder, stream.vocabulary_size, word_weights=stream.word_weights)
    each = frames // drives
    for i in range(drives):
        made.add(f"drive{i}", fl.Source("python", "looptree.fleet.sources:stream",
                                        f"{SEED},{i * each},{each}"), piece=piece or each, overlap=0)
    return made


@contextlib.contextmanager
def engine_of(workers):
    if not workers:
        yield fl.InProcess()
        return
    from looptree.fleet.on_dask import OnDask
    with OnDask.local(workers) as engine:
        yield engine


def cpu_s(engine):
    """Of this process and of all workers, so far: other people's work on the machine is not in it."""
    total = sum(os.times()[:2])
    if hasattr(engine, "client"):
        total += sum(engine.client.run(lambda: sum(os.times()[:2])).values())
    return total


def measured(engine, work):
    begin, cpu = time.perf_counter(), cpu_s(engine)
    result = work()
    return result, time.perf_counter() - begin, cpu_s(engine) - cpu


def done_here():
    """How many tasks ran in this process and what CPU their work took. It is kept in looptree, the
    one module that every worker imports by name; this one travels to them by value."""
    return looptree.__dict__.setdefault("_bench_done", [0, 0.0])


def timed(function, *arguments):
    begin = time.thread_time()
    try:
        return function(*arguments)
    finally:
        count = done_here()
        count[0], count[1] = count[0] + 1, count[1] + time.thread_time() - begin


class Watched:
    """Another engine, and what CPU the work in its tasks takes: the rest is the engine's own."""

    def __init__(self, engine):
        self.engine = engine
        if hasattr(engine, "client"):
            self.client = engine.client

    def run(self, tasks):
        return self.engine.run(map(self._timed, tasks))

    def _timed(self, task):
        arguments = [self._timed(each) if isinstance(each, fl.Task) else each
                     for each in task.arguments]
        return dataclasses.replace(task, function=timed, arguments=(task.function, *arguments))

    def done(self):
        elsewhere = self.client.run(done_here).values() if hasattr(self, "client") else ()
        return [sum(column) for column in zip(done_here(), *elsewhere)]


def memory_of(pid):
    """Anonymous and mapped bytes: the first is what a process needs, the second what it borrows."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    rows = dict(line.split(":", 1) for line in text.splitlines())
    return int(rows["RssAnon"].split()[0]) * 1024, int(rows["RssFile"].split()[0]) * 1024


class Memory(threading.Thread):
    """The most that all processes together held while it ran."""

    def __init__(self, engine):
        super().__init__(daemon=True)
        self.engine, self.own, self.all, self.stop = engine, 0, 0, threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.join()
        print(f"memory: at most {self.own / 1e9:.2f} GB of their own, {self.all / 1e9:.2f} GB with "
              "what is mapped from files", flush=True)

    def run(self):
        while True:
            pids = [os.getpid(), *(self.engine.pids() if hasattr(self.engine, "pids") else [])]
            with contextlib.suppress(OSError, KeyError):
                each = [memory_of(pid) for pid in pids]
                self.own = max(self.own, sum(own for own, _ in each))
                self.all = max(self.all, sum(own + mapped for own, mapped in each))
            if self.stop.wait(1):
                return


def progress(stage, done, of):
    print(f"  {time.strftime('%H:%M:%S')} {stage} {done}/{of}", flush=True)


def frames(options):
    made = make(options.folder, options.frames, options.drives)
    stream = looptree.WordStream(seed=SEED)
    step = options.frames // options.queries
    asked = [stream.histograms(i * step, i * step + 1)[0] for i in range(options.queries)]
    with engine_of(options.workers) as engine:
        with Memory(engine):
            built, wall, cpu = measured(engine, lambda: fl.build(made, engine, progress=progress))
            print(f"built {built} shards in {wall:.0f} s, {cpu:.0f} s of CPU")
        with Memory(engine):
            found, wall, cpu = measured(engine, lambda: fl.query(
                made, asked, engine, batch=options.queries))
            own = sum(matches[0].score > 0.999999 for matches in found.matches)
            print(f"{options.queries} queries, shards opened for them: {wall:.0f} s, {cpu:.0f} s of "
                  f"CPU; {own} found themselves")


def close(options):
    made = make(options.folder, options.frames, options.drives)
    with engine_of(options.workers) as engine:
        _, wall, cpu = measured(engine, lambda: fl.build(made, engine, progress=progress))
        print(f"built in {wall:.0f} s, {cpu:.0f} s of CPU")
        with Memory(engine):
            closed, wall, cpu = measured(engine, lambda: fl.close(made, engine, progress=progress))
        print(f"{len(closed)} closures of {options.frames} keyframes in {options.drives} drives: "
              f"{wall:.0f} s, {cpu:.0f} s of CPU")


def staged(engine, stages):
    """What each stage took, a row each."""
    for name, work in stages.items():
        before = engine.done()
        _, wall, cpu = measured(engine, work)
        tasks, work_s = (now - then for now, then in zip(engine.done(), before))
        yield {"stage": name, "wall_s": wall, "cpu_s": cpu, "tasks": tasks, "work_s": work_s}


def scaling(options):
    stream = looptree.WordStream(seed=SEED)
    asked = stream.histograms(0, 512)
    rows, piece = [], options.frames // options.drives // options.pieces
    print(f"{options.frames} frames in shards of {piece}, each {options.ask_every}. asked\n"
          "workers  stage    seconds      CPU  tasks  of a task: work  engine, ms of CPU")
    for workers in options.workers_list:
        folder = options.folder / f"scaling-{workers}"
        shutil.rmtree(folder, ignore_errors=True)
        made = make(folder, options.frames, options.drives, piece)
        with engine_of(workers) as inner:
            engine = Watched(inner)
            for row in staged(engine, {
                    "build": lambda: fl.build(made, engine),
                    "close": lambda: fl.close(made, engine, fl.Closing(every=options.ask_every)),
                    "query": lambda: fl.query(made, asked, engine, batch=64)}):
                engine_s = row["cpu_s"] - row["work_s"]
                print(f"{workers:7}  {row['stage']}  {row['wall_s']:8.2f} {row['cpu_s']:8.2f}  "
                      f"{row['tasks']:5}  {row['work_s'] / row['tasks'] * 1e3:15.1f}  "
                      f"{engine_s / row['tasks'] * 1e3:6.1f} = {engine_s / row['work_s']:.1%}",
                      flush=True)
                rows.append({"workers": workers, **row})
                keep(options, rows)
        shutil.rmtree(folder)


def keep(options, rows):
    """Everything so far, so that a run that is stopped leaves what it measured."""
    if options.json:
        options.json.write_text(json.dumps({"what": options.what, "frames": options.frames,
                                            "cores": os.cpu_count(), "rows": rows}, indent=1))


def latency(options):
    stream = looptree.WordStream(seed=SEED)
    asked = [stream.histograms(i, i + 1)[0] for i in range(0, options.frames, options.frames // 40)]
    print(f"one query over {options.frames} frames, median of {len(asked)}, ms")
    print("shards  in process  on workers")
    rows = []
    for shards in (1, 4, 16):
        folder = options.folder / f"latency-{shards}"
        shutil.rmtree(folder, ignore_errors=True)
        made, row = make(folder, options.frames, shards), {"shards": shards}
        with engine_of(options.workers) as engine:
            fl.build(made, engine)
            row["on_workers_ms"] = median_ms(made, asked, engine)
        row["in_process_ms"] = median_ms(made, asked, fl.InProcess())
        print(f"{shards:6}  {row['in_process_ms']:10.1f}  {row['on_workers_ms']:10.1f}", flush=True)
        rows.append({"workers": options.workers, **row})
        keep(options, rows)
        shutil.rmtree(folder)


def median_ms(made, asked, engine):
    """Of one query after another, once the shards are open."""
    fl.query(made, asked[:1], engine)
    times = []
    for histogram in asked:
        begin = time.perf_counter()
        fl.query(made, [histogram], engine)
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=FRAMES)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--frames", type=int)
    parser.add_argument("--drives", type=int, default=10)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--workers-list", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--pieces", type=int, default=2, help="shards of a drive, in scaling")
    parser.add_argument("--ask-every", type=int, default=1, help="of the frames, when closing")
    parser.add_argument("--json", type=pathlib.Path, help="also write the rows here")
    options = parser.parse_args()
    options.frames = options.frames or FRAMES[options.what]
    options.folder.mkdir(parents=True, exist_ok=True)
    globals()[options.what](options)


if __name__ == "__main__":
    main()
