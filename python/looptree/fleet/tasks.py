# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""What a worker does: plain functions of a fleet's folder, a shard and numbers.

A task that runs twice changes nothing: what it writes goes under its name whole, and is the same.
"""
from __future__ import annotations

import collections
import contextlib
import pathlib
import sqlite3
import threading
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

import looptree

from . import sources
from .engine import Task
from .folder import Fleet, Record, Shard, folder_whole, write_whole

_COMMIT = 1000  # frames of one commit of a map


def build_shard(path: pathlib.Path, shard: Shard) -> int:
    """Makes the map of a shard, if it is not there; returns how many frames it owns."""
    fleet = Fleet.open(path)
    target = fleet.folder_of(shard)
    if not fleet.is_built(shard):
        with folder_whole(target) as folder:
            _write_map(fleet, shard, folder)
    return Record.read(target).owned


def _write_map(fleet: Fleet, shard: Shard, folder: pathlib.Path) -> None:
    skipped: List[int] = []
    held = shard.held
    if fleet.words.is_own:
        made = looptree.Map.create(folder / "map", fleet.map_vocabulary(), commit_every=None,
                                   threads=1)
    else:
        made = looptree.Map.create(folder / "map", fleet.vocabulary(), commit_every=None, threads=1,
                                   vocabulary_path=fleet.path / "vocabulary")
    with made:
        made.start_session(shard.drive.name)  # 0, which frames have by default
        frames = sources.frames_of(shard.drive.source, fleet, held)
        for numbers in np.array_split(held, len(held) // _COMMIT + 1):
            waiting: List[looptree.NewFrame] = []
            for number in numbers.tolist():
                frame = next(frames)
                if frame is None:
                    skipped.append(number)
                else:
                    waiting.append(frame)
            made.insert_batch(waiting)
            made.flush()
    _without_log(folder / "map")
    files = {each.name: each.stat().st_size for each in sorted(folder.iterdir())}
    kept = np.setdiff1d(held, skipped)
    owned = int(np.count_nonzero((kept >= shard.begin) & (kept < shard.end)))
    Record(owned, len(held), tuple(skipped), files).write(folder)


def _without_log(file: pathlib.Path) -> None:
    """Finished maps need no write-ahead log, which shared disks do not know how to share."""
    with contextlib.closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
    for beside in ("-wal", "-shm", "-lock", "-acked"):
        file.with_name(file.name + beside).unlink(missing_ok=True)


class OpenShard:
    """A shard on a worker: its map, mapped, and the numbers of its frames.

    To Dask it is as large as its files, so tasks go where it is. Where it is sent nevertheless,
    only its name travels, and it is opened there.
    """

    def __init__(self, path: pathlib.Path, shard: Shard) -> None:
        folder = path / "shards" / shard.name
        self.path = path
        self.shard = shard
        try:
            told = Record.read(folder)
            for name, size in told.files.items():
                found = (folder / name).stat().st_size
                if found != size:
                    raise looptree.CorruptionError(
                        f"{folder / name}: expected {size} bytes, found {found}")
            self.map = looptree.Map.open(folder / "map", access="read", threads=1)
            self.numbers = np.setdiff1d(shard.held, told.skipped)
            if len(self.map) != len(self.numbers):
                raise looptree.CorruptionError(
                    f"{folder}: expected {len(self.numbers)} frames, found {len(self.map)}")
        except FileNotFoundError as error:
            raise looptree.NotFoundError(
                f"shard {shard.name}: expected {folder}, found it missing or in part ({error}). "
                "looptree-fleet build makes it; --partial goes on without it") from None
        except looptree.Error as error:
            if isinstance(error, looptree.UnsupportedError):
                raise looptree.UnsupportedError(f"shard {shard.name}: {error}. Use one looptree on "
                                                "all machines, or --partial without it") from None
            raise looptree.CorruptionError(
                f"shard {shard.name}: {error}. Remove {folder} and run looptree-fleet build, which "
                "makes it again; --partial goes on without it") from None
        self.first, self.last = np.searchsorted(self.numbers, (shard.begin, shard.end)).tolist()
        self._bytes = sum(told.files.values())

    def __sizeof__(self) -> int:
        return self._bytes

    def __reduce__(self) -> Tuple[Any, ...]:
        return opened, (self.path, self.shard)

    @property
    def offset(self) -> int:
        return self.shard.drive.first

    def fleet_ids(self, local: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        ids: npt.NDArray[np.uint32] = (self.numbers[local] + self.offset).astype(np.uint32)
        return ids

    def local_ids(self, fleet_ids: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        found: npt.NDArray[np.uint32] = np.searchsorted(
            self.numbers, fleet_ids.astype(np.int64) - self.offset).astype(np.uint32)
        return found


_opened: Dict[Tuple[str, int], OpenShard] = {}
_opening: Dict[Tuple[str, int], threading.Lock] = collections.defaultdict(threading.Lock)


def opened(path: pathlib.Path, shard: Shard) -> OpenShard:
    """The shard, opened once in a process and then kept: its index stays mapped."""
    key = _state(path, shard)
    with _opening[key]:
        if key not in _opened:
            _opened[key] = OpenShard(path, shard)
        return _opened[key]


def _state(path: pathlib.Path, shard: Shard) -> Tuple[str, int]:
    """Tells a shard from one that was made anew under its name."""
    file = path / "shards" / shard.name / "shard.json"
    return str(file), file.stat().st_ino if file.exists() else 0


@dataclass(frozen=True)
class Unopened:
    """A shard that could not be opened, and why."""

    error: looptree.Error


def _try_opened(path: pathlib.Path, shard: Shard) -> Union[OpenShard, Unopened]:
    try:
        return opened(path, shard)
    except looptree.Error as error:
        return Unopened(error)


def held(path: pathlib.Path, shard: Shard) -> Task:
    """Stands for the open shard among the arguments of a task."""
    file, state = _state(path, shard)
    return Task(f"open-{file}-{state}", _try_opened, (path, shard), keep=True)


def what_is_wrong(shard: Union[OpenShard, Unopened]) -> Optional[str]:
    return str(shard.error) if isinstance(shard, Unopened) else None


def _sound(shard: Union[OpenShard, Unopened]) -> OpenShard:
    if isinstance(shard, Unopened):
        raise shard.error
    return shard


@dataclass(frozen=True)
class Queries:
    """Frames to ask of shards: of a drive, then with their numbers, or from elsewhere."""

    histograms: List[looptree.Histogram]
    drive_first: int = -1  # what tells the drive from others
    numbers: Optional[npt.NDArray[np.int64]] = None
    units: Optional[npt.NDArray[np.float64]] = None  # of each, its score against the frame before

    def __len__(self) -> int:
        return len(self.histograms)


@dataclass(frozen=True)
class Answers:
    """The best matches of each query, one after another: counts[i] belong to query i."""

    counts: npt.NDArray[np.uint32]
    frames: npt.NDArray[np.uint32]  # ids of the fleet
    scores: npt.NDArray[np.float64]
    missing: Tuple[str, ...] = ()

    def of_query(self) -> Iterator[Tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64]]]:
        ends = np.cumsum(self.counts)
        for begin, end in zip(ends - self.counts, ends):
            yield self.frames[begin:end], self.scores[begin:end]


@dataclass(frozen=True)
class Asking:
    """How shards are asked: the best top_k of at least this score; in the queries' own drive only
    frames more than `recent` before."""

    top_k: int = 100
    threshold: float = 0.0
    recent: int = 300

    def __post_init__(self) -> None:
        if self.top_k < 1 or not 0 <= self.threshold <= 1:
            raise looptree.InvalidArgumentError(
                "expected top_k of at least 1 and a threshold from 0 to 1, found "
                f"{self.top_k} and {self.threshold}")


def read_queries(shard: Union[OpenShard, Unopened], numbers: npt.NDArray[np.int64]) -> Queries:
    """The frames of a shard with these numbers, but for those it skipped."""
    own = _sound(shard)
    present = numbers[np.isin(numbers, own.numbers)]
    histograms: List[looptree.Histogram] = []
    units: List[float] = []
    for local in np.searchsorted(own.numbers, present).tolist():
        histogram = _histogram(own, local)
        before = _histogram(own, local - 1) if local > 0 else _last_before(own)
        histograms.append(histogram)
        units.append(looptree.intersection(before, histogram) if before else 1.0)
    return Queries(histograms, own.offset, present, np.array(units, np.float64))


def _histogram(own: OpenShard, local: int) -> looptree.Histogram:
    histogram = own.map.histogram(local)
    assert histogram is not None
    return histogram


def _last_before(own: OpenShard) -> Optional[looptree.Histogram]:
    """The frame of the drive before the first that the shard holds."""
    begin = own.shard.begin
    for earlier in reversed([each for each in own.shard.drive.shards() if each.begin < begin]):
        before = opened(own.path, earlier)
        if before.last > before.first:
            return _histogram(before, before.last - 1)
    return None


def ask(shard: Union[OpenShard, Unopened], queries: Queries, asking: Asking,
        partial: bool = False) -> Answers:
    """The best frames that the shard owns for each query; partial: none of one that cannot be
    opened, and why."""
    if partial and isinstance(shard, Unopened):
        return Answers(np.zeros(len(queries), np.uint32), np.zeros(0, np.uint32), np.zeros(0),
                       (str(shard.error),))
    own = _sound(shard)
    counts: List[int] = []
    frames: List[npt.NDArray[np.uint32]] = [np.zeros(0, np.uint32)]
    scores: List[npt.NDArray[np.float64]] = [np.zeros(0)]
    for result in _results(own, queries, asking):
        counts.append(len(result))
        frames.append(own.fleet_ids(result.frames))
        scores.append(result.scores)
    return Answers(np.array(counts, np.uint32), np.concatenate(frames), np.concatenate(scores))


def _results(own: OpenShard, queries: Queries, asking: Asking) -> Iterable[looptree.QueryResult]:
    keywords: Dict[str, Any] = {"top_k": asking.top_k, "threshold": asking.threshold, "threads": 1}
    if queries.drive_first != own.offset or queries.numbers is None:
        return own.map.query_batch(queries.histograms, first=own.first, last=own.last, **keywords)
    lasts = np.searchsorted(own.numbers, queries.numbers - asking.recent)
    return [own.map.query(histogram, first=own.first, last=max(own.first, min(own.last, last)),
                          **keywords)
            for histogram, last in zip(queries.histograms, lasts.tolist())]


def best(queries: int, answers: Iterable[Answers], top_k: int) -> Answers:
    """The best of several shards' answers: the answer of one index of all their frames, since
    scores are whole multiples of 2^-31 and equal ones go to the lower id."""
    parts = list(answers)
    if not parts:
        return Answers(np.zeros(queries, np.uint32), np.zeros(0, np.uint32), np.zeros(0))
    of = np.concatenate([np.repeat(np.arange(queries), part.counts) for part in parts])
    frames = np.concatenate([part.frames for part in parts])
    scores = np.concatenate([part.scores for part in parts])
    order = np.lexsort((frames, -scores, of))
    of = of[order]
    rank = np.arange(len(of)) - np.searchsorted(of, of)
    kept = order[rank < top_k]
    counts = np.minimum(np.bincount(of, minlength=queries), top_k)
    missing = tuple(sorted({each for part in parts for each in part.missing}))
    return Answers(counts.astype(np.uint32), frames[kept], scores[kept], missing)


def best_of(queries: Queries, top_k: int, *answers: Answers) -> Answers:
    return best(len(queries), answers, top_k)


def write_asked(target: pathlib.Path, queries: Queries, top_k: int, *answers: Answers) -> int:
    """The best of several shards' answers, as a file; returns how many queries it answers."""
    found = best(len(queries), answers, top_k)
    assert queries.numbers is not None and queries.units is not None
    columns: Dict[str, npt.NDArray[Any]] = {
        "numbers": queries.numbers, "units": queries.units, "counts": found.counts,
        "frames": found.frames, "scores": found.scores}
    write_whole(target, lambda file: np.savez(file, **columns))
    return len(queries)
