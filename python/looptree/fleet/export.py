# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The closures of a fleet as files: SQLite, CSV, and run folders for `looptree optimize`."""
from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pathlib
import sqlite3
from typing import IO, Any, Callable, Dict, Iterator, List, Sequence, Tuple

import numpy as np
import numpy.typing as npt

import looptree

from .folder import Drive, Fleet, temporary, write_whole
from .jobs import Closed

_POSE = ("tx", "ty", "tz", "qx", "qy", "qz", "qw")
_COLUMNS = ("query_drive", "query_frame", "match_drive", "match_frame", "score", "consistent",
            "inliers", "metric", *_POSE)


def export(fleet: Fleet, closed: Closed) -> pathlib.Path:
    """Writes closures.db, closures.csv and runs/DRIVE/ of every drive of images into the fleet's
    folder, each file whole; returns the folder of the runs."""
    _write_database(fleet, closed)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([*row[2:10], *("" if each is None else f"{each:.9g}" for each in row[10:-1])]
                     for row in _rows(fleet, closed))
    write_whole(fleet.path / "closures.csv", lambda file: file.write(text.getvalue().encode()))
    kept = {drive.name: fleet.kept(drive) for drive in fleet.drives}
    for drive in fleet.drives:
        if drive.source.kind == "images":
            _write_run(fleet, drive, closed, kept)
    return fleet.path / "runs"


def _rows(fleet: Fleet, closed: Closed) -> Iterator[Tuple[Any, ...]]:
    """query, match, then _COLUMNS, then the information as 36 f64, or None."""
    for i, (query, match) in enumerate(zip(closed.queries.tolist(), closed.matches.tolist())):
        pose: List[Any] = [None] * 7
        if np.isfinite(closed.poses[i]).all():
            pose = [*_pose_fields(closed.poses[i])]
        information = closed.information[i]
        sure = information.astype("<f8").tobytes() if np.isfinite(information).all() else None
        yield (query, match, *fleet.frame(query), *fleet.frame(match), closed.scores[i].item(),
               closed.consistent[i].item(), closed.inliers[i].item(), int(closed.metric[i]), *pose,
               sure)


def _pose_fields(pose: npt.NDArray[np.float64]) -> List[float]:
    """x y z qx qy qz qw"""
    return [*pose[:3, 3].tolist(), *quaternion(pose[:3, :3])]


def quaternion(r: npt.NDArray[np.float64]) -> List[float]:
    """qx qy qz qw of a rotation, qw at least 0."""
    # The eigenvector of the largest eigenvalue: no case distinctions, and exact for rotations.
    k = np.array([[r[0, 0] - r[1, 1] - r[2, 2], 0, 0, 0],
                  [r[0, 1] + r[1, 0], r[1, 1] - r[0, 0] - r[2, 2], 0, 0],
                  [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], r[2, 2] - r[0, 0] - r[1, 1], 0],
                  [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)]])
    q = np.linalg.eigh(k)[1][:, -1]
    found: List[float] = (q if q[3] >= 0 else -q).tolist()
    return found


def _write_database(fleet: Fleet, closed: Closed) -> None:
    target = fleet.path / "closures.db"
    part = temporary(target)
    try:
        with contextlib.closing(sqlite3.connect(part)) as database:
            with database:
                _fill(database, fleet, closed)
        os.replace(part, target)
    except sqlite3.Error as error:
        raise looptree.IoError(f"{target}: expected to write it, found: {error}") from None
    finally:
        part.unlink(missing_ok=True)


def _fill(database: sqlite3.Connection, fleet: Fleet, closed: Closed) -> None:
    poses = ", ".join(f"{name} REAL" for name in _POSE)
    database.execute("CREATE TABLE drives (name TEXT PRIMARY KEY, first_id INTEGER, frames INTEGER, "
                     "every INTEGER, source TEXT)")
    database.execute("CREATE TABLE closures (query INTEGER, match INTEGER, query_drive TEXT, "
                     "query_frame INTEGER, match_drive TEXT, match_frame INTEGER, score REAL, "
                     f"consistent INTEGER, inliers INTEGER, metric INTEGER, {poses}, "
                     "information BLOB)")
    database.execute("CREATE TABLE missing (reason TEXT)")
    database.executemany("INSERT INTO drives VALUES (?, ?, ?, ?, ?)", [
        (each.name, each.first, each.frames, each.every, each.source.path)
        for each in fleet.drives])
    database.executemany(f"INSERT INTO closures VALUES ({', '.join('?' * 18)})",
                         _rows(fleet, closed))
    database.executemany("INSERT INTO missing VALUES (?)", [(each,) for each in closed.missing])


def _write_run(fleet: Fleet, drive: Drive, closed: Closed,
               kept: Dict[str, npt.NDArray[np.int64]]) -> None:
    """What `looptree optimize` reads of a run on a map: the fleet is the map."""
    folder = fleet.path / "runs" / drive.name
    source = drive.source
    config = {"looptree": looptree.__version__, "complete": not closed.missing,
              "sequence": {"path": source.path, "format": source.format, "topic": source.topic,
                           "camera": source.camera, "frames": drive.frames},
              "map": {"path": str(fleet.path), "first_frame": drive.first}}
    frames = np.full(drive.frames, "not a keyframe", object)
    frames[kept[drive.name]] = "no candidate"
    own = (closed.queries >= drive.first) & (closed.queries < drive.last)
    frames[closed.queries[own] - drive.first] = "closure"
    rows = "".join(f"{i},{decision},\n" for i, decision in enumerate(frames))
    within = own & (closed.matches >= drive.first)
    files = {"config.json": json.dumps(config, indent=2) + "\n",
             "frames.csv": "frame,decision,match\n" + rows,
             "closures.g2o": _g2o_within(drive, closed, np.flatnonzero(within)),
             "map_closures.g2o": _g2o_between(fleet, closed, np.flatnonzero(own & ~within), kept)}
    for name, text in files.items():
        write_whole(folder / name, _writer_of(text))


def _writer_of(text: str) -> Callable[[IO[bytes]], int]:
    return lambda file: file.write(text.encode())


def _g2o_within(drive: Drive, closed: Closed, rows: npt.NDArray[np.int64]) -> str:
    """Closures of a drive with itself, by the numbers of its frames."""
    vertices = [_vertex(number) for number in range(drive.frames)]
    edges = [_edge(int(closed.matches[i]) - drive.first, int(closed.queries[i]) - drive.first,
                   closed, i) for i in rows]
    return "".join(vertices + edges)


def _g2o_between(fleet: Fleet, closed: Closed, rows: npt.NDArray[np.int64],
                 kept: Dict[str, npt.NDArray[np.int64]]) -> str:
    """Closures with drives before it, by ids that count the frames that are kept of a drive."""
    def map_id(id: int) -> int:
        name, number = fleet.frame(id)
        return fleet.drive(name).first + int(np.searchsorted(kept[name], number))

    matches = {int(each): map_id(int(each)) for each in closed.matches[rows]}
    queries = {int(each): map_id(int(each)) for each in closed.queries[rows]}
    lines = ["# session 0\n", *(_vertex(id) for id in sorted(set(matches.values()))),
             "# session 1\n", *(_vertex(id) for id in sorted(set(queries.values())))]
    lines += [_edge(matches[int(closed.matches[i])], queries[int(closed.queries[i])], closed, i)
              for i in rows]
    return "".join(lines)


def _vertex(id: int) -> str:
    return f"VERTEX_SE3:QUAT {id} 0 0 0 0 0 0 1\n"


def _edge(target: int, source: int, closed: Closed, row: int) -> str:
    """Nothing where the pose is not known."""
    if not np.isfinite(closed.information[row]).all() or not closed.information[row].any():
        return ""
    units = np.array([1, 1, 1, 2, 2, 2.0])  # g2o counts half angles
    information = closed.information[row] * units * units[:, None]
    numbers: Sequence[float] = [*_pose_fields(closed.poses[row]),
                                *information[np.triu_indices(6)].tolist()]
    return f"EDGE_SE3:QUAT {target} {source} " + " ".join(f"{n:.12g}" for n in numbers) + "\n"
