# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Drives of images: the demo world cut into drives, closed by geometry, exported, optimised."""
import contextlib
import csv
import importlib.util
import os
import pathlib
import sqlite3
import subprocess

import numpy as np
import pytest

import looptree
from conftest import tool
from test_fleet import closed_rows

if not (looptree.has_store and looptree.has_vision):
    pytest.skip("built without SQLite or OpenCV", allow_module_level=True)
from looptree import fleet as fl
from looptree.fleet.export import quaternion


def cut(sequence, folder, begin, end, step):
    """Frames of a sequence of images as a KITTI folder, with its poses and its camera."""
    (folder / "image_0").mkdir(parents=True)
    images = sorted((sequence / "image_0").iterdir())[begin:end:step]
    for i, image in enumerate(images):
        os.link(image, folder / "image_0" / f"{i:06d}{image.suffix}")
    for name in ("poses.txt", "times.txt"):
        if (sequence / name).exists():
            rows = (sequence / name).read_text().splitlines(True)[begin:end:step]
            (folder / name).write_text("".join(rows))
    (folder / "calib.txt").write_text((sequence / "calib.txt").read_text())
    return folder


def drives_of(sequence, folder, cuts):
    return [cut(sequence, folder / f"drive{i}", *each) for i, each in enumerate(cuts)]


def make(folder, drives, **options):
    made = fl.Fleet.create(folder, features="orb")
    for drive in drives:
        made.add(drive.name, fl.Source("images", str(drive)), **options)
    fl.build(made)
    return made


@pytest.fixture(scope="module")
def closed(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fleet")
    drives = drives_of(world, folder, [(0, 180, 2), (121, 240, 2), (200, 300, 2)])
    made = make(folder / "fleet", drives)
    return made, drives, fl.close(made)


def test_closures_of_images_are_right_and_do_not_depend_on_the_shards(closed, tmp_path):
    made, drives, found = closed
    assert len(found) > 40 and np.isfinite(found.poses).all() and found.inliers.min() >= 25
    poses = {drive.name: looptree.open_sequence(drive).poses for drive in drives}

    def place(id):
        name, number = made.frame(int(id))
        return poses[name][number][:3, 3]
    apart = [np.linalg.norm(place(q) - place(m)) for q, m in zip(found.queries, found.matches)]
    assert np.mean(np.array(apart) < 15) > 0.98
    pieces = make(tmp_path / "pieces", drives, piece=50, overlap=10)
    assert closed_rows(fl.close(pieces, batch=16)) == closed_rows(found)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_cities_in_any_shards(seed, tmp_path):
    """Query and close as one index and one piece, in cities of other seeds; on workers, too."""
    looptree.export_kitti(looptree.open_demo_world(frames=150, width=480, height=270, seed=seed),
                          tmp_path / "world")
    rng = np.random.default_rng(seed)
    drives = drives_of(tmp_path / "world", tmp_path,
                       [(0, 70, 1), (45, 110, 1), (int(rng.integers(90, 105)), 150, 1)])
    whole = make(tmp_path / "whole", drives)
    index, ids, histograms = one_index(whole)
    expected = fl.close(whole)
    assert len(expected) > 20
    pieces, batch = (int(each) for each in rng.integers(8, 40, 2))
    made = fl.Fleet.create(tmp_path / "pieces", features="orb")
    for drive in drives:
        made.add(drive.name, fl.Source("images", str(drive)), piece=pieces, overlap=pieces // 3)
    with engine_of_two(seed) as engine:
        fl.build(made, engine)
        assert closed_rows(fl.close(made, engine, batch=batch)) == closed_rows(expected)
        found = fl.query(made, histograms[::5], engine, top_k=20, batch=batch)
    for histogram, matches in zip(histograms[::5], found.matches):
        theirs = [(ids[m.frame], m.score) for m in index.query(histogram, top_k=20)]
        assert [(m.id, m.score) for m in matches] == theirs


def one_index(made):
    """All frames of a fleet of images in one index, without a map in between."""
    vocabulary, extractor = made.vocabulary(), looptree.FeatureExtractor("orb")
    index, ids, histograms = looptree.PooledIndex(len(vocabulary)), [], []
    for drive in made.drives:
        for number, frame in enumerate(looptree.open_sequence(drive.source.path)):
            histograms.append(vocabulary.histogram(extractor.extract(frame.image).descriptors))
            index.insert(histograms[-1])
            ids.append(drive.first + number)
    return index, ids, histograms


def engine_of_two(seed):
    """Two workers for the first seed, where Dask is installed; this process for the others."""
    if seed == 1 and importlib.util.find_spec("distributed"):
        from looptree.fleet.on_dask import OnDask
        return OnDask.local(2)
    return contextlib.nullcontext(fl.InProcess())


def test_a_fleet_finds_what_a_detector_finds_on_one_map(closed, tmp_path):
    made, drives, found = closed
    ids, theirs = [], set()
    with looptree.Map.create(tmp_path / "one.map", made.vocabulary(), commit_every=None) as one:
        for drive in made.drives:
            sequence = looptree.open_sequence(drive.source.path)
            detector = looptree.LoopDetector.on_map(one, drive.name, looptree.FeatureExtractor("orb"),
                                                    calibration=sequence.calibration)
            for number, frame in enumerate(sequence):
                detection = detector.process(frame.image)
                ids.append(drive.first + number)
                if detection.is_closure:
                    theirs.add(ids[detection.frame_id])
    assert len(theirs & set(found.queries.tolist())) > 0.9 * len(theirs) > 30


def test_a_query_of_an_image_finds_its_frame(closed):
    made, drives, _ = closed
    image = looptree.open_sequence(drives[1])[40].image
    features = looptree.FeatureExtractor("orb").extract(image)
    best = fl.query(made, [made.vocabulary().histogram(features.descriptors)], top_k=2).matches[0]
    assert (best[0].drive, best[0].number) == ("drive1", 40)


def test_files_of_closures(closed):
    made, _, found = closed
    fl.export(made, found)
    with sqlite3.connect(made.path / "closures.db") as database:
        rows = database.execute("SELECT query, match, inliers FROM closures").fetchall()
    assert rows == list(zip(found.queries.tolist(), found.matches.tolist(), found.inliers.tolist()))
    with open(made.path / "closures.csv") as file:
        table = list(csv.DictReader(file))
    assert [(row["query_drive"], int(row["query_frame"])) for row in table] == \
        [made.frame(q) for q in found.queries.tolist()]
    rotation = found.poses[0][:3, :3]
    x, y, z, w = (float(table[0][name]) for name in ("qx", "qy", "qz", "qw"))
    assert np.allclose([x, y, z, w], quaternion(rotation)) and w >= 0
    assert np.isclose(2 * (x * y - z * w), rotation[0, 1])


def test_a_fleet_is_optimised_as_one(closed, tmp_path):
    made, drives, found = closed
    runs = fl.export(made, found)
    done = subprocess.run(
        [tool("CLI"), "optimize", *(runs / drive.name for drive in drives), "--drift", "--output",
         tmp_path], check=True, capture_output=True, text=True)
    assert f"{90 + 60 + 50} poses, {len(found)} closures" in done.stdout
    assert (tmp_path / "optimized_3_kitti.txt").exists()


DATA = pathlib.Path(os.environ.get("LOOPTREE_DATA", pathlib.Path(__file__).resolve().parents[3] /
                                   "shared" / "data"))


def closed_in_pieces(folder, sources, pieces, every):
    results = []
    for piece in pieces:
        made = fl.Fleet.create(folder / str(piece), features="orb")
        for source in sources:
            made.add(source.name, fl.Source("images", str(source)), piece=piece, every=every)
        fl.build(made)
        results.append(fl.close(made))
    return results


def test_two_drives_through_one_suburb(tmp_path):
    if not (DATA / "stlucia").is_dir():
        pytest.skip(f"no St Lucia in {DATA}: its test was skipped")
    sources = [DATA / "stlucia" / name for name in ("reference", "query")]
    whole, pieces = closed_in_pieces(tmp_path, sources, (10_000, 200), 30)
    assert closed_rows(pieces) == closed_rows(whole)


def test_kitti_in_pieces(tmp_path):
    """Two minutes, most of which decode a video: on request."""
    if not (DATA / "kitti00").is_dir() or not os.environ.get("LOOPTREE_LONG_TESTS"):
        pytest.skip(f"no KITTI 00 in {DATA}, or LOOPTREE_LONG_TESTS is not set: it was skipped")
    whole, pieces = closed_in_pieces(tmp_path, [DATA / "kitti00"], (10_000, 900), 40)
    assert closed_rows(pieces) == closed_rows(whole)
    poses = looptree.open_sequence(DATA / "kitti00").poses[:, :3, 3]
    apart = np.linalg.norm(poses[whole.queries] - poses[whole.matches], axis=1)
    assert len(whole) > 3 and (apart < 15).all()


def test_words_of_two_cameras_in_pieces(tmp_path):
    files = [DATA / "kitti05_words" / f"{side}_10k.words" for side in ("left", "right")]
    if not all(file.exists() for file in files):
        pytest.skip(f"no words of KITTI 05 in {DATA}: their test was skipped")
    results = []
    for piece in (10_000, 400):
        made = fl.Fleet.create(tmp_path / str(piece), 10_000)
        for file in files:
            made.add(file.stem, fl.Source("words", str(file)), piece=piece, every=10)
        fl.build(made)
        results.append(fl.close(made))
    assert closed_rows(results[0]) == closed_rows(results[1]) and len(results[0]) > 200
