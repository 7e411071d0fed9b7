# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""A fleet answers as one index and one map of all its frames: any shards, any engine."""
import json
import shutil
import signal

import numpy as np
import pytest

import looptree
from conftest import random_route

if not (looptree.has_store and looptree.has_vision):
    pytest.skip("built without SQLite or OpenCV", allow_module_level=True)
from looptree import fleet as fl
from looptree.fleet import tasks

WORDS = 300


def write_drives(folder, seed, lengths, words=WORDS):
    """Drives along made-up roads that share places, as files of words."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 8, words)
    road = rng.integers(0, words, (max(lengths), 40))
    for i, length in enumerate(lengths):
        begin = rng.integers(0, max(lengths) - length + 1)
        frames = [np.where(rng.random(40) < 0.8, road[begin + k], rng.integers(0, words, 40))
                  for k in range(length)]
        sequence = looptree.WordSequence(words, frames, word_weights=weights.astype(np.float32))
        looptree.write_words(folder / f"{i}.words", sequence)
    return [folder / f"{i}.words" for i in range(len(lengths))]


def make(folder, files, **options):
    made = fl.Fleet.create(folder, WORDS)
    for file in files:
        made.add(f"drive{file.stem}", fl.Source("words", str(file)), **options)
    fl.build(made)
    return made


def one_index(made):
    """All frames of a fleet in one index, and their ids in the fleet."""
    index, ids = looptree.PooledIndex(WORDS), []
    for drive in made.drives:
        histograms = looptree.read_words(drive.source.path).histograms()
        for number in range(0, drive.frames, drive.every):
            index.insert(histograms[number])
            ids.append(drive.first + number)
    return index, np.array(ids)


@pytest.mark.parametrize("seed,piece,overlap,every",
                         [(1, 1000, 0, 1), (2, 17, 5, 1), (3, 40, 60, 3), (4, 9, 0, 1)])
def test_a_query_answers_as_one_index(tmp_path, seed, piece, overlap, every):
    files = write_drives(tmp_path, seed, [60, 90, 33])
    made = make(tmp_path / "fleet", files, piece=piece, overlap=overlap, every=every)
    index, ids = one_index(made)
    asked = [h for file in files for h in looptree.read_words(file).histograms()[::7]]
    for top_k, threshold in ((1, 0.0), (10, 0.0), (1000, 0.2)):
        found = fl.query(made, asked, top_k=top_k, threshold=threshold, batch=5)
        assert found.missing == ()
        for histogram, matches in zip(asked, found.matches):
            expected = index.query(histogram, top_k=top_k, threshold=threshold)
            assert [(m.id, m.score) for m in matches] == \
                [(ids[m.frame], m.score) for m in expected]
            assert all(made.drive(m.drive).first + m.number == m.id for m in matches)


def closed_rows(closed):
    """Everything a closing found, to the bit."""
    return {name: getattr(closed, name).tobytes() for name in
            ("queries", "matches", "scores", "consistent", "inliers", "poses")}


def closed_by_one_index(made, closing):
    """The same from one index of all frames, query by query."""
    index, ids = one_index(made)
    rows = []
    for drive in made.drives:
        first, last = np.searchsorted(ids, (drive.first, drive.last)).tolist()
        counts, frames, scores, units = [], [], [], []
        for k in range(first, last):
            histogram = index.histogram(k)
            end = np.searchsorted(ids, max(drive.first, ids[k] - closing.recent))
            result = index.query(histogram, top_k=closing.top_k, last=int(end))
            counts.append(len(result))
            frames += ids[result.frames].tolist()
            scores += result.scores.tolist()
            units.append(looptree.intersection(index.histogram(k - 1), histogram) if k > first else 1)
        of, match, score, consistent = looptree.select_candidates(
            np.array(counts, np.uint32), np.array(frames, np.uint32), np.array(scores, float),
            closing.threshold * np.array(units, float), top_k=closing.own_k, most=closing.most)
        closed = set()
        for q, m, s, c in zip(of.tolist(), match.tolist(), score.tolist(), consistent.tolist()):
            if c >= 3 and q not in closed:
                closed.add(q)
                rows.append((ids[first + q], m, s, c))
    return rows


def test_a_closing_does_not_depend_on_the_shards(tmp_path):
    files = write_drives(tmp_path, 5, [80, 120, 50])
    closing = fl.Closing(recent=30)
    expected = None
    for piece in (1000, 23, 7):
        made = make(tmp_path / f"fleet{piece}", files, piece=piece, overlap=piece // 3)
        closed = fl.close(made, closing=closing, batch=11)
        rows = list(zip(closed.queries, closed.matches, closed.scores, closed.consistent))
        assert rows == closed_by_one_index(made, closing) and len(rows) > 20
        assert {made.frame(q)[0] for q in closed.queries.tolist()} >= {"drive1", "drive2"}
        if expected is not None:
            assert closed_rows(closed) == expected
        expected = closed_rows(closed)


def test_growing_leaves_what_was_found(tmp_path):
    files = write_drives(tmp_path, 6, [70, 60, 50])
    whole = fl.close(make(tmp_path / "whole", files, piece=25))
    made = make(tmp_path / "grown", files[:2], piece=25)
    fl.close(made)
    before = {path: path.stat().st_mtime_ns for path in (made.path / "shards").rglob("*")
              if path.is_file()}
    results = {path: path.stat().st_mtime_ns for path in (made.path / "close").rglob("*.npz")}
    made.add("drive2", fl.Source("words", str(files[2])), piece=25)
    assert fl.build(made) == 2 and fl.build(made) == 0
    assert closed_rows(fl.close(made)) == closed_rows(whole)
    assert all(path.stat().st_mtime_ns == time for path, time in {**before, **results}.items())
    made.remove("drive0")
    alone = {made.frame(m)[0] for m in fl.close(made).matches.tolist()}
    assert "drive0" not in alone and not list((made.path / "shards").glob("*drive0"))
    with pytest.raises(looptree.NotFoundError, match="drive1, drive2"):
        made.remove("drive0")


def test_tasks_that_run_twice_change_nothing(tmp_path):
    files = write_drives(tmp_path, 7, [40])
    made = make(tmp_path / "fleet", files, piece=20)
    shard = made.shards()[0]
    held = {path.name: path.stat().st_mtime_ns for path in made.folder_of(shard).iterdir()}
    assert tasks.build_shard(made.path, shard) == 20
    assert {path.name: path.stat().st_mtime_ns for path in made.folder_of(shard).iterdir()} == held
    assert set(held) == {"map", "shard.json"}  # and nothing of a writer, nothing half-written
    assert not list(made.path.rglob("*.part"))
    assert made.add("drive0", fl.Source("words", str(files[0])), piece=20) == made.drives[0]
    with pytest.raises(looptree.InvalidArgumentError, match="other frames or options"):
        made.add("drive0", fl.Source("words", str(files[0])), piece=21)


def test_what_is_missing_is_named(tmp_path):
    files = write_drives(tmp_path, 8, [40, 40])
    made = make(tmp_path / "fleet", files, piece=20)
    asked = looptree.read_words(files[0]).histograms()[:5]
    gone, cut = made.shards()[1], made.shards()[2]
    shutil.rmtree(made.folder_of(gone))
    with pytest.raises(looptree.NotFoundError, match="looptree-fleet build"):
        fl.query(made, asked)
    with open(made.folder_of(cut) / "map", "r+b") as file:
        file.truncate(5000)
    tasks._opened.clear()
    found = fl.query(made, asked, partial=True)
    assert len(found.missing) == 2 and all(found.matches)
    assert gone.name in " ".join(found.missing) and "found 5000" in " ".join(found.missing)
    closed = fl.close(made, partial=True)
    assert len(closed.missing) == 2
    with pytest.raises(looptree.CorruptionError, match="--partial"):
        fl.close(made)
    shutil.rmtree(made.folder_of(cut))
    assert fl.build(made) == 2
    assert len(fl.close(made)) > len(closed)


def test_manifests_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(looptree.NotFoundError, match="no fleet.json"):
        fl.Fleet.open(tmp_path)
    made = fl.Fleet.create(tmp_path / "fleet", WORDS)
    with pytest.raises(looptree.InvalidArgumentError, match="expected no fleet"):
        fl.Fleet.create(tmp_path / "fleet", WORDS)
    manifest = json.loads((made.path / "fleet.json").read_text())
    (made.path / "fleet.json").write_text(json.dumps({**manifest, "version": 99}))
    with pytest.raises(looptree.UnsupportedError, match="version 99"):
        fl.Fleet.open(made.path)
    (made.path / "fleet.json").write_text("{")
    with pytest.raises(looptree.CorruptionError, match="manifest"):
        fl.Fleet.open(made.path)


def altered(data, rng):
    """Cut off, or with one bit the other way."""
    at = int(rng.integers(len(data)))
    if rng.random() < 0.3:
        return data[:at]
    return data[:at] + bytes([data[at] ^ 1 << int(rng.integers(8))]) + data[at + 1:]


def test_altered_files_are_refused_or_change_nothing_else(tmp_path):
    """Every file of a fleet, cut off or with a bit turned over: an error of ours, or an answer."""
    made = make(tmp_path / "fleet", write_drives(tmp_path, 10, [30, 25]), piece=15)
    asked = looptree.read_words(made.drives[0].source.path).histograms()[:3]
    fl.close(made, closing=fl.Closing(recent=5))
    files = sorted(path for path in made.path.rglob("*") if path.is_file() and path.stat().st_size)
    rng, refused = np.random.default_rng(1), set()
    for _ in range(200):
        file = files[rng.integers(len(files))]
        whole = file.read_bytes()
        file.write_bytes(altered(whole, rng))
        tasks._opened.clear()
        try:
            opened = fl.Fleet.open(made.path)
            fl.query(opened, asked)
            fl.query(opened, asked, partial=True)
            fl.build(opened)
            fl.close(opened, closing=fl.Closing(recent=5))
            fl.export(opened, fl.close(opened, closing=fl.Closing(recent=5), partial=True))
        except looptree.Error as error:
            refused.add(file.name)
            assert "expected" in str(error)
        file.write_bytes(whole)
    assert refused >= {"fleet.json", "shard.json", "map", "closures.npz"}


def test_a_full_disk_is_named_and_leaves_nothing(tmp_path):
    made = fl.Fleet.create(tmp_path / "fleet", WORDS)
    made.add("drive", fl.Source("words", str(write_drives(tmp_path, 9, [30])[0])), piece=10)
    resource = pytest.importorskip("resource")
    kept = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, kept[1]))
        with pytest.raises(looptree.IoError, match="make room and run the same command again"):
            fl.build(made)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, kept)
        signal.signal(signal.SIGXFSZ, previous)
    assert not [path for path in (made.path / "shards").rglob("*") if path.is_file()]
    assert fl.build(made) == 3
