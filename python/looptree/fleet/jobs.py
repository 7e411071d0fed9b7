# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""build(), query(), close(): the tasks they are made of, in order, on any engine."""
from __future__ import annotations

import shutil
import uuid
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

import looptree

from . import closing as work
from . import tasks
from .closing import Closing, DriveClosing
from .engine import Engine, InProcess, Task
from .folder import Fleet, Shard

Progress = Callable[[str, int, int], None]
"""Hears of what is done: of which stage, how much, of how much."""
BATCH = 256
"""Frames that are asked together, by default."""


def _silent(stage: str, done: int, of: int) -> None:
    pass


def _run(engine: Engine, stage: str, todo: Sequence[Task], progress: Progress) -> List[object]:
    results: List[object] = []
    progress(stage, 0, len(todo))
    for _, result in engine.run(todo):
        results.append(result)
        progress(stage, len(results), len(todo))
    return results


def build(fleet: Fleet, engine: Optional[Engine] = None, *, progress: Progress = _silent) -> int:
    """Makes the maps that are not there yet, one task for each shard; returns how many it made."""
    todo = [Task(f"build-{shard.name}", tasks.build_shard, (fleet.path, shard))
            for shard in fleet.shards() if not fleet.is_built(shard)]
    _run(engine or InProcess(), "build", todo, progress)
    return len(todo)


@dataclass(frozen=True)
class FleetMatch:
    """A frame of the fleet that a query returned."""

    drive: str
    number: int  # of the frame in its drive
    id: int  # of the frame in the fleet
    score: float


@dataclass(frozen=True)
class Found:
    """The answers to some queries, and which shards could not be asked."""

    matches: List[List[FleetMatch]]
    missing: Tuple[str, ...] = ()


def query(fleet: Fleet, histograms: Sequence[looptree.Histogram], engine: Optional[Engine] = None,
          *, top_k: int = 10, threshold: float = 0.0, partial: bool = False,
          batch: int = BATCH) -> Found:
    """The best frames of the whole fleet for each histogram: the same frames, scores and order as
    one index that holds everything. partial: shards that are missing or damaged are left out, and
    named."""
    _require_batch(batch)
    asking = tasks.Asking(top_k, threshold)
    todo: List[Task] = []
    run = uuid.uuid4().hex[:12]
    for begin in range(0, len(histograms), batch):
        queries = Task(f"queries-{run}-{begin}", tasks.Queries,
                       (list(histograms[begin:begin + batch]),))  # sent once, not to each shard
        asks = [Task(f"ask-{run}-{begin}-{shard.name}", tasks.ask,
                     (tasks.held(fleet.path, shard), queries, asking, partial))
                for shard in fleet.shards()]
        todo.append(Task(f"best-{run}-{begin:09d}", tasks.best_of, (queries, top_k, *asks)))
    answers = {task.key: result for task, result in (engine or InProcess()).run(todo)}
    matches: List[List[FleetMatch]] = []
    for key in sorted(answers):
        for frames, scores in answers[key].of_query():
            matches.append([_match(fleet, frame, score)
                            for frame, score in zip(frames.tolist(), scores.tolist())])
    missing = sorted({each for answer in answers.values() for each in answer.missing})
    return Found(matches, tuple(missing))


def _match(fleet: Fleet, frame: int, score: float) -> FleetMatch:
    drive, number = fleet.frame(frame)
    return FleetMatch(drive, number, frame, score)


@dataclass(frozen=True)
class Closed:
    """The loops of a fleet, a row each, by the order of the drives and frames that saw a place
    again: ids of the fleet, which Fleet.frame() names."""

    queries: npt.NDArray[np.int64]
    matches: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    consistent: npt.NDArray[np.uint32]  # queries in a row that pointed there
    inliers: npt.NDArray[np.uint32]  # 0 where geometry was not asked
    poses: npt.NDArray[np.float64]  # match_from_query, (n, 4, 4); NaN where it is not known
    metric: npt.NDArray[np.bool_]  # whether its translation is in metres, or but a direction
    information: npt.NDArray[np.float64]  # of the pose, (n, 6, 6); NaN where it is not known
    missing: Tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.queries)


def close(fleet: Fleet, engine: Optional[Engine] = None, closing: Closing = Closing(), *,
          partial: bool = False, batch: int = BATCH, progress: Progress = _silent) -> Closed:
    """All loops between all drives, and within each. What was found before and still holds is not
    looked for again. partial: without shards that are missing or damaged, which are named."""
    _require_batch(batch)
    engine = engine or InProcess()
    if fleet.words.is_own and closing.verify:
        closing = Closing(**{**closing.__dict__, "verify": False})  # words have no geometry
    without = _check(fleet, engine, partial, progress)
    jobs = work.closings(fleet, closing, [shard for shard, _ in without])
    todo = [job for job in jobs if not job.result.exists()]
    kept = {job.drive.name: _kept(job, batch, [shard for shard, _ in without]) for job in todo}
    _ask_all(engine, todo, kept, progress)
    _run(engine, "candidates", [
        Task(f"candidates-{job.folder.name}", work.find_candidates,
             (job, [numbers for _, numbers in kept[job.drive.name]]))
        for job in todo if kept[job.drive.name]], progress)
    if closing.verify:
        _verify_all(engine, todo, kept, progress)
    _run(engine, "decide", [
        Task(f"decide-{job.folder.name}", work.decide,
             (job, [numbers for _, numbers in kept[job.drive.name]]))
        for job in todo if kept[job.drive.name]], progress)
    _forget_removed(fleet)
    return _joined(jobs, tuple(reason for _, reason in without))


def _require_batch(batch: int) -> None:
    if batch < 1:
        raise looptree.InvalidArgumentError(f"expected a batch of at least 1, found {batch}")


Batches = List[Tuple[Shard, npt.NDArray[np.int64]]]


def _check(fleet: Fleet, engine: Engine, partial: bool,
           progress: Progress) -> List[Tuple[Shard, str]]:
    """The shards that cannot be opened, and why. Opening them is needed anyway."""
    todo = {f"check-{shard.name}": shard for shard in fleet.shards()}
    found: List[Tuple[Shard, str]] = []
    progress("open", 0, len(todo))
    for done, (task, reason) in enumerate(engine.run(
            [Task(key, tasks.what_is_wrong, (tasks.held(fleet.path, shard),))
             for key, shard in todo.items()]), 1):
        if reason is not None:
            found.append((todo[task.key], reason))
        progress("open", done, len(todo))
    if found and not partial:
        raise looptree.CorruptionError("; ".join(sorted(reason for _, reason in found)))
    return sorted(found, key=lambda each: each[0].name)


def _kept(job: DriveClosing, batch: int, without: Sequence[Shard]) -> Batches:
    return [each for each in job.batches(batch) if each[0] not in without]


class _Held(Dict[str, Task]):
    """The open shards of a fleet, each looked up once."""

    def __call__(self, job: DriveClosing, shard: Shard) -> Task:
        if shard.name not in self:
            self[shard.name] = tasks.held(job.path, shard)
        return self[shard.name]


def _ask_all(engine: Engine, jobs: Iterable[DriveClosing], kept: Dict[str, Batches],
             progress: Progress) -> None:
    todo: List[Task] = []
    held = _Held()
    for job in jobs:
        for shard, numbers in kept[job.drive.name]:
            target = job.part("asked", numbers)
            if target.exists() or (job.folder / "candidates.npz").exists():
                continue
            key = f"{job.folder.name}-{numbers[0]}"
            read = Task(f"read-{key}", tasks.read_queries, (held(job, shard), numbers))
            asks = [Task(f"ask-{key}-{other.name}", tasks.ask,
                         (held(job, other), read, job.closing.asking))
                    for other in job.against]
            todo.append(Task(f"best-{key}", tasks.write_asked,
                             (target, read, job.closing.top_k, *asks)))
    _run(engine, "ask", todo, progress)


def _verify_all(engine: Engine, jobs: Iterable[DriveClosing], kept: Dict[str, Batches],
                progress: Progress) -> None:
    todo: List[Task] = []
    held = _Held()
    for job in jobs:
        batches = kept[job.drive.name]
        if not batches:
            continue
        homes = work.homes(job, [numbers for _, numbers in batches])
        for (shard, numbers), others in zip(batches, homes):
            target = job.part("verified", numbers)
            if target.exists() or not others:
                continue
            key = f"{job.folder.name}-{numbers[0]}"
            parts = [Task(f"verify-{key}-{other.name}", work.verify,
                          (job, held(job, other), shard, numbers)) for other in others]
            todo.append(Task(f"verified-{key}", work.write_verified, (target, *parts)))
    _run(engine, "verify", todo, progress)


def _forget_removed(fleet: Fleet) -> None:
    """What was found for drives that are no more. What was found with other options stays."""
    drives = {drive.folder for drive in fleet.drives}
    for folder in (fleet.path / "close").glob("*"):
        if folder.name.rpartition("-")[0] not in drives:
            shutil.rmtree(folder, ignore_errors=True)


def _joined(jobs: Sequence[DriveClosing], missing: Tuple[str, ...]) -> Closed:
    parts = [work.load(job.result) for job in jobs if job.result.exists()]
    names = ("queries", "matches", "scores", "consistent", "inliers", "poses", "metric",
             "information")
    shapes = {"poses": (0, 4, 4), "information": (0, 6, 6)}
    columns = {name: np.concatenate([part[name] for part in parts]) if parts
               else np.zeros(shapes.get(name, (0,))) for name in names}
    return Closed(**columns, missing=missing)
