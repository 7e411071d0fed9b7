# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The fleet on a cluster of two processes: the same as in this one, also where workers are killed."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import looptree
from test_fleet import closed_rows, make, write_drives

distributed = pytest.importorskip("distributed", reason="Dask is not installed: python3-distributed")
from looptree import fleet as fl
from looptree.fleet.on_dask import OnDask


@pytest.fixture(scope="module")
def cluster():
    with OnDask.local(workers=2) as engine:
        yield engine


class Killer(threading.Thread):
    """Kills a worker with SIGKILL every so often, as many times."""

    def __init__(self, engine, every_s, times):
        super().__init__(daemon=True)
        self.engine, self.every_s, self.times, self.killed = engine, every_s, times, 0
        self.stop = threading.Event()

    def run(self):
        while self.killed < self.times and not self.stop.wait(self.every_s):
            for pid in self.engine.pids()[self.killed % 2:][:1]:
                os.kill(pid, signal.SIGKILL)
                self.killed += 1


def test_two_workers_and_a_kill(tmp_path, cluster):
    files = write_drives(tmp_path, 21, [120, 150, 90])
    alone = make(tmp_path / "alone", files, piece=40, overlap=10)
    expected = fl.close(alone, batch=10)
    made = fl.Fleet.create(tmp_path / "fleet", 300)
    for file in files:
        made.add(f"drive{file.stem}", fl.Source("words", str(file)), piece=40, overlap=10)
    seen = []
    killer = Killer(cluster, 0.7, 2)
    killer.start()
    fl.build(made, cluster, progress=lambda *row: seen.append(row))
    closed = fl.close(made, cluster, batch=10)
    killer.stop.set()
    killer.join()
    assert killer.killed >= 1
    assert closed_rows(closed) == closed_rows(expected) and len(closed) > 20
    assert seen[-1] == ("build", 10, 10)
    asked = looptree.read_words(files[0]).histograms()[::9]
    assert fl.query(made, asked, cluster).matches == fl.query(alone, asked).matches
    assert not list(made.path.rglob("*.part")) or killer.killed


def test_shards_stay_with_their_workers(tmp_path, cluster):
    made = make(tmp_path / "fleet", write_drives(tmp_path, 22, [60, 60]), piece=20)
    asked = looptree.read_words(made.drives[0].source.path).histograms()[:40]
    cluster.client.wait_for_workers(2)
    for _ in range(3):
        fl.query(made, asked, cluster, batch=2)
    held = cluster.client.run(_open_shards, str(made.path))
    assert sum(held.values()) < 2 * len(made.shards())  # not each on each


@contextlib.contextmanager
def process(program, *arguments, before=""):
    """A program of Dask, with our path, after some Python."""
    code = (f"import sys; sys.path[:0] = {sys.path!r}; {before}\n"
            f"import distributed.cli.{program} as program; program.main()")
    started = subprocess.Popen([sys.executable, "-c", code, *arguments], stderr=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


@contextlib.contextmanager
def scheduler(folder):
    file = folder / "scheduler.json"
    with process("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file",
                 str(file)) as started:
        while not file.exists():
            time.sleep(0.05)
        yield started, json.loads(file.read_text())["address"]


def worker(address, before=""):
    return process("dask_worker", address, "--nthreads", "1", "--no-nanny", "--death-timeout", "5",
                   before=before)


def test_the_death_of_the_scheduler_can_be_survived(tmp_path):
    files = write_drives(tmp_path, 23, [60, 60])
    expected = fl.close(make(tmp_path / "alone", files, piece=10), batch=5)
    made = make(tmp_path / "fleet", files, piece=10)

    def kill(stage, done, of):
        if stage == "ask" and done == 3:
            started.kill()

    with scheduler(tmp_path) as (started, address), worker(address):
        with OnDask.connect(address) as engine:
            engine.client.wait_for_workers(1)
            with pytest.raises(looptree.IoError, match="run the same command again"):
                fl.close(made, engine, batch=5, progress=kill)
    finished = {path: path.stat().st_mtime_ns for path in made.path.rglob("asked-*.npz")}
    assert len(finished) >= 3
    asked = []
    closed = fl.close(made, batch=5, progress=lambda *row: asked.append(row))
    assert closed_rows(closed) == closed_rows(expected)
    assert [of for stage, _, of in asked if stage == "ask"][0] <= 24 - len(finished)


OTHER = "import looptree; looptree.__version__ = '0.0.1'"


def test_a_worker_of_another_version_is_named(tmp_path):
    made = fl.Fleet.create(tmp_path / "fleet", 300)
    for file in write_drives(tmp_path, 24, [60]):
        made.add("drive", fl.Source("words", str(file)), piece=10)
    both = f"expected looptree {looptree.__version__} on every worker, found 0.0.1 on tcp://"
    with scheduler(tmp_path) as (_, address):
        with OnDask.connect(address) as engine, worker(address, OTHER):
            with pytest.raises(looptree.UnsupportedError, match=both):
                fl.build(made, engine)  # which came after it was asked who is there
            assert not made.is_built(made.shards()[0])
            with pytest.raises(looptree.UnsupportedError, match=both):
                OnDask.connect(address)
        none = "import types; sys.modules['looptree'] = types.ModuleType('looptree')"
        with worker(address, none), distributed.Client(address) as client:
            client.wait_for_workers(1)
            with pytest.raises(looptree.UnsupportedError, match="found none on tcp://.* says: module"):
                OnDask.connect(address)


def _open_shards(folder):
    from looptree.fleet import tasks
    return sum(folder in key[0] for key in tasks._opened)
