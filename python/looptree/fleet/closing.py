# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""What close() does on the workers: candidates along a drive, their geometry, the closures.

All of a drive's frames are asked of its own earlier frames and of the drives before it, in the
order in which they came into the fleet: so each pair of drives is looked at once, and a drive that
is added changes nothing of what was found before.
"""
from __future__ import annotations

import hashlib
import json
import pathlib
import zipfile
from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

import looptree

from .folder import Drive, Fleet, Shard, write_whole
from .tasks import Asking, OpenShard, opened

Arrays = Dict[str, npt.NDArray[Any]]
_CONSISTENT = 3  # queries in a row that must point to a place, as LoopDetector's consistent_queries


@dataclass(frozen=True)
class Closing:
    """How loops are looked for."""

    every: int = 1  # of the frames that are kept, each so many-th is asked
    top_k: int = 100  # matches that are kept of a frame, over all shards
    own_k: int = 20  # of these, candidates by themselves; the others count along the drive
    threshold: float = 0.1  # of the score against the frame before: less is no candidate
    recent: int = 300  # frames of the own drive that are no loops, since the camera sees them still
    verify: bool = True  # by geometry; without, what several queries in a row point to is believed
    most: int = 8  # candidates of a frame that are verified
    depth_from_odometry: bool = False  # the drives' poses are odometry, and give closures a length

    def __post_init__(self) -> None:
        counts = (self.every, self.top_k, self.own_k, self.most)
        if min(counts) < 1 or self.recent < 0 or not 0 <= self.threshold <= 1:
            raise looptree.InvalidArgumentError(
                "expected every, top_k, own_k and most of at least 1, recent of at least 0 and a "
                f"threshold from 0 to 1, found {counts}, {self.recent} and {self.threshold}")

    @property
    def asking(self) -> Asking:
        return Asking(self.top_k, 0.0, self.recent)


@dataclass(frozen=True)
class DriveClosing:
    """The closing of one drive, and where its results are. The folder's name says what they depend
    on, so what is found there is up to date."""

    path: pathlib.Path
    drive: Drive
    against: Tuple[Shard, ...]  # those that are asked
    closing: Closing
    features: str

    @property
    def folder(self) -> pathlib.Path:
        depends = [VERSION, asdict(self.closing), self.drive.folder,
                   [shard.name for shard in self.against]]
        token = hashlib.sha256(json.dumps(depends).encode()).hexdigest()[:16]
        return self.path / "close" / f"{self.drive.folder}-{token}"

    @property
    def result(self) -> pathlib.Path:
        return self.folder / "closures.npz"

    def part(self, kind: str, numbers: npt.NDArray[np.int64]) -> pathlib.Path:
        return self.folder / f"{kind}-{numbers[0]:09d}-{numbers[-1]:09d}.npz"

    def batches(self, size: int) -> Iterator[Tuple[Shard, npt.NDArray[np.int64]]]:
        """The frames that are asked, by numbers, each batch of one shard."""
        every = self.drive.every * self.closing.every
        for shard in self.drive.shards():
            numbers = np.arange(-(-shard.begin // every) * every, shard.end, every)
            for begin in range(0, len(numbers), size):
                yield shard, numbers[begin:begin + size]


VERSION = 2  # of the files in close/


def closings(fleet: Fleet, closing: Closing, without: Sequence[Shard] = ()) -> List[DriveClosing]:
    """One for each drive, in the order of the fleet."""
    found: List[DriveClosing] = []
    against: Tuple[Shard, ...] = ()
    for drive in fleet.drives:
        against += tuple(shard for shard in drive.shards() if shard not in without)
        found.append(DriveClosing(fleet.path, drive, against, closing, fleet.words.features))
    return found


def load(file: pathlib.Path) -> Arrays:
    try:
        with np.load(file) as arrays:
            return dict(arrays)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise looptree.CorruptionError(
            f"{file}: expected what a task wrote there, found: {error}; remove the folder "
            f"{file.parent} and run the same command again, which looks for it anew") from None


def save(file: pathlib.Path, arrays: Arrays) -> None:
    write_whole(file, lambda to: np.savez(to, **arrays))


def find_candidates(job: DriveClosing, batches: Sequence[npt.NDArray[np.int64]]) -> int:
    """The places worth verifying, along the whole drive: a row per candidate, best first."""
    target = job.folder / "candidates.npz"
    if not target.exists():
        asked = [load(job.part("asked", numbers)) for numbers in batches]
        joined = {name: np.concatenate([each[name] for each in asked]) for name in asked[0]}
        of, frames, scores, consistent = looptree.select_candidates(
            joined["counts"], joined["frames"], joined["scores"],
            job.closing.threshold * joined["units"], top_k=job.closing.own_k, most=job.closing.most)
        save(target, {"queries": joined["numbers"][of].astype(np.int64), "matches": frames,
                      "scores": scores, "consistent": consistent})
    return len(load(target)["queries"])


def _rows(job: DriveClosing, numbers: npt.NDArray[np.int64]) -> slice:
    """The candidates of these frames."""
    queries = load(job.folder / "candidates.npz")["queries"]
    first, last = np.searchsorted(queries, (numbers[0], numbers[-1] + 1)).tolist()
    return slice(first, last)


def homes(job: DriveClosing, batches: Sequence[npt.NDArray[np.int64]]) -> List[List[Shard]]:
    """Of each batch, the shards where its candidates' features lie."""
    candidates = load(job.folder / "candidates.npz")
    found: List[List[Shard]] = []
    for numbers in batches:
        first, last = np.searchsorted(candidates["queries"], (numbers[0], numbers[-1] + 1)).tolist()
        matches = candidates["matches"][first:last]
        found.append([shard for shard in job.against if _owned(shard, matches).any()])
    return found


def _owned(shard: Shard, matches: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    first = shard.drive.first
    owned: npt.NDArray[np.bool_] = (matches >= first + shard.begin) & (matches < first + shard.end)
    return owned


def verify(job: DriveClosing, there: OpenShard, own: Shard,
           numbers: npt.NDArray[np.int64]) -> Arrays:
    """The geometry of those candidates of a batch whose features lie in one shard."""
    candidates = load(job.folder / "candidates.npz")
    rows = np.arange(len(candidates["queries"]))[_rows(job, numbers)]
    rows = rows[_owned(there.shard, candidates["matches"][rows])]
    here = opened(job.path, own)
    home, camera = there.shard, job.drive.camera()
    if home.drive.calibration != job.drive.calibration or home.drive.lens != job.drive.lens:
        camera = None  # an essential matrix wants one camera
    verdicts = looptree.verify_pairs(
        here.map, there.map, here.local_ids(candidates["queries"][rows] + job.drive.first),
        there.local_ids(candidates["matches"][rows]),
        candidates["consistent"][rows] >= _CONSISTENT, features=job.features, calibration=camera,
        depth_from_odometry=job.closing.depth_from_odometry)
    return {"rows": rows,
            "believed": np.array([each.believed for each in verdicts], np.bool_),
            "beyond_doubt": np.array([each.beyond_doubt for each in verdicts], np.bool_),
            "inliers": np.array([each.inliers for each in verdicts], np.uint32),
            "metric": np.array([each.metric for each in verdicts], np.bool_),
            "poses": _stacked([each.pose for each in verdicts], 4),
            "information": _stacked([each.information for each in verdicts], 6)}


def _stacked(matrices: Sequence[Optional[npt.NDArray[np.float64]]],
             size: int) -> npt.NDArray[np.float64]:
    """NaN where there is none."""
    unknown = np.full((size, size), np.nan)
    found = [unknown if each is None else each for each in matrices]
    return np.array(found, np.float64).reshape(-1, size, size)


def write_verified(target: pathlib.Path, *parts: Arrays) -> int:
    joined = {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}
    order = np.argsort(joined["rows"], kind="stable")
    save(target, {name: values[order] for name, values in joined.items()})
    return len(order)


def _unverified(candidates: Arrays) -> Arrays:
    believed = candidates["consistent"] >= _CONSISTENT
    count = len(believed)
    return {"rows": np.arange(count), "believed": believed,
            "beyond_doubt": believed, "inliers": np.zeros(count, np.uint32), "metric": np.zeros(count, np.bool_),
            "poses": np.full((count, 4, 4), np.nan), "information": np.full((count, 6, 6), np.nan)}


def decide(job: DriveClosing, batches: Sequence[npt.NDArray[np.int64]]) -> int:
    """The closures of the drive, chosen as a detector chooses."""
    if not job.result.exists():
        candidates = load(job.folder / "candidates.npz")
        if job.closing.verify:
            files = [job.part("verified", numbers) for numbers in batches]
            parts = [load(file) for file in files if file.exists()]
            verdicts = ({name: np.concatenate([each[name] for each in parts]) for name in parts[0]}
                        if parts else _unverified({"consistent": np.zeros(0)}))
        else:
            verdicts = _unverified(candidates)
        chosen = _choose(job, batches, candidates, verdicts)
        rows = verdicts["rows"][chosen]
        save(job.result, {
            "queries": candidates["queries"][rows] + job.drive.first,
            "matches": candidates["matches"][rows].astype(np.int64),
            "scores": np.minimum(candidates["scores"][rows], 1.0),
            "consistent": candidates["consistent"][rows],
            **{name: verdicts[name][chosen]
               for name in ("inliers", "metric", "poses", "information")}})
    for file in job.folder.iterdir():  # what led to the result
        if file != job.result and not file.name.startswith("."):
            file.unlink(missing_ok=True)
    return len(load(job.result)["queries"])


def _choose(job: DriveClosing, batches: Sequence[npt.NDArray[np.int64]],
            candidates: Arrays, verdicts: Arrays) -> npt.NDArray[np.uint32]:
    """Which rows of the verdicts are closures."""
    rows = verdicts["rows"]
    asked = np.concatenate(batches) if batches else np.zeros(0, np.int64)
    queries = candidates["queries"][rows]
    counts = np.searchsorted(queries, asked, "right") - np.searchsorted(queries, asked, "left")
    return looptree.choose_closures(
        counts.astype(np.uint32), candidates["matches"][rows], verdicts["inliers"],
        verdicts["believed"], verdicts["beyond_doubt"],
        features=job.features if job.closing.verify else "orb")  # unverified, all are beyond doubt
