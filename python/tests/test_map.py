# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
import subprocess

import numpy as np
import pytest

import looptree
from conftest import random_route, tool

if not looptree.has_store:
    pytest.skip("built without SQLite", allow_module_level=True)
from looptree import Map, MapVocabulary, NewFrame


@pytest.fixture
def route():
    return random_route(11, 40)[0]


def words(number=2000):
    return MapVocabulary(number, hash=7)


def test_what_is_written_is_read(tmp_path, route):
    pose = np.eye(4)
    pose[0, 3] = 5
    features = looptree.Features([[1, 2]], np.ones((1, 32), np.uint8), width=64, height=48)
    with Map.create(tmp_path / "m.map", words(), topology="d2b4-max") as written:
        session = written.start_session("morning")
        assert written.insert(route[0], session=session, time_s=1.5, pose=pose, name="a.png",
                              features=features) == 0
        assert written.insert_batch([NewFrame(h, session=session) for h in route[1:30]]) == range(1, 30)
        written.add_closure(20, 3, 0.5, inliers=44)
        assert written.erase(7) and not written.erase(7)
        assert written.erase_batch([8, 9, 9]) == 2
        expected = [list(written.query(h)) for h in route]
    assert written.query(route[3])[0].frame == 3  # queries still answer
    with pytest.raises(looptree.InvalidArgumentError):
        written.insert(route[0])

    with Map.open(tmp_path / "m.map", access="read") as read:
        assert [list(read.query(h)) for h in route] == expected
        assert [list(r) for r in read.query_batch(route)] == expected
        assert len(read) == 27 and read.next_id == 30 and 8 not in read and 10 in read
        info = read.info(0)
        assert (info.session, info.time_s, info.name) == (session, 1.5, "a.png")
        assert info.pose.tolist() == pose.tolist() and read.info(7) is None
        assert read.info(1).pose is None
        assert read.features(0).descriptors.tolist() == features.descriptors.tolist()
        assert len(read.features(1)) == 0 and read.features(7) is None
        assert [(c.query, c.match, c.score, c.inliers) for c in read.closures()] == [(20, 3, 0.5, 44)]
        assert (session, "morning") in [(s.id, s.name) for s in read.sessions()]
        assert read.topology.name == "d2b4-max" and read.vocabulary.words == 2000
        assert read.memory().frames == 27 and str(read.path).endswith("m.map")
        assert read.histogram(3).words.tolist() == route[3].words.tolist()
        with pytest.raises(looptree.InvalidArgumentError):
            read.insert(route[0])


def test_it_answers_as_an_index_in_memory(tmp_path, route):
    index = looptree.PooledIndex(2000)
    with Map.create(tmp_path / "m.map", words()) as stored:
        for i, histogram in enumerate(route):
            index.insert(histogram, session=i % 2)
            stored.insert(histogram, session=i % 2)
        for options in ({}, {"sessions": [1]}, {"accept": lambda frame: frame % 2},
                        {"exclude_recent": 5, "threshold": 0.1}):
            for histogram in route:
                assert list(stored.query(histogram, **options)) == list(index.query(histogram, **options))

        def broken(frame):
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            stored.query(route[0], accept=broken)


def test_readers_follow(tmp_path, route):
    writer = Map.create(tmp_path / "m.map", words())
    writer.insert(route[0])
    reader = Map.open(tmp_path / "m.map", access="read")
    assert len(reader) == 1 and not reader.refresh()
    writer.insert(route[1])
    assert reader.refresh() and len(reader) == 2
    with pytest.raises(looptree.IoError) as locked:
        Map.open(tmp_path / "m.map")
    assert locked.value.kind == "io"
    writer.close()


def test_commits_wait_as_told(tmp_path, route):
    writer = Map.create(tmp_path / "m.map", words(), commit_every=None)
    writer.insert(route[0])
    reader = Map.open(tmp_path / "m.map", access="read")
    assert len(reader) == 0
    writer.flush()
    assert reader.refresh() and len(reader) == 1


def test_bounded(tmp_path, route):
    with Map.create(tmp_path / "m.map", words(), max_frames=10) as bounded:
        for histogram in route:
            bounded.insert(histogram)
        assert len(bounded) == 10 and bounded.next_id == 40
    with pytest.raises(looptree.InvalidArgumentError, match="'age' or 'redundancy'"):
        Map.open(tmp_path / "m.map", eviction="luck")


def test_merge_compact_verify_summary_export(tmp_path, route):
    with Map.create(tmp_path / "a.map", words()) as a, Map.create(tmp_path / "b.map", words()) as b:
        a.insert_batch([NewFrame(h) for h in route[:10]])
        b.insert_batch([NewFrame(h, session=3) for h in route[10:20]])
        b.flush()
        merged = a.merge(tmp_path / "b.map")
        assert (merged.first, merged.frames) == (10, 10) and 3 in merged.sessions
        assert a.erase_session(merged.sessions[3]) == 10
        a.compact()
        looptree.export_csv(a, tmp_path / "csv")
        assert (tmp_path / "csv" / "frames.csv").exists()
    summary = looptree.summarize_map(tmp_path / "a.map")
    assert (summary.frames, summary.topology, summary.vocabulary.words) == (10, "d1", 2000)
    storage = looptree.measure_storage(tmp_path / "a.map")
    parts = (storage.vocabulary, storage.words, storage.features, storage.thumbnails, storage.other)
    assert storage.words > 0 and sum(parts) == summary.file_bytes
    told = looptree.verify_map(tmp_path / "a.map")
    assert told.sound and told.problems == [] and told.frames == 10
    with pytest.raises(FileNotFoundError):
        looptree.verify_map(tmp_path / "none.map")
    with pytest.raises(FileNotFoundError):
        Map.open(tmp_path / "none.map")


def test_vocabulary_travels_with_the_map(tmp_path, orb_vocabulary, orb_images):
    with Map.create(tmp_path / "in.map", orb_vocabulary) as m:
        m.insert(orb_vocabulary.histogram(orb_images[0]))
        assert m.load_vocabulary() == orb_vocabulary
    orb_vocabulary.save(tmp_path / "orb.looptree")
    with Map.open_or_create(tmp_path / "out.map", orb_vocabulary,
                            vocabulary_path=tmp_path / "orb.looptree") as m:
        assert m.load_vocabulary() == orb_vocabulary
    with Map.open_or_create(tmp_path / "out.map", orb_vocabulary) as m:
        assert m.vocabulary.path.endswith("orb.looptree")
    with pytest.raises(looptree.InvalidArgumentError):
        Map.open_or_create(tmp_path / "out.map", words(5))


def test_databases_of_dbow(tmp_path, golden):
    database = looptree.read_dbow_database(golden / "voc" / "dbow2_db_nodi.yml.gz")
    assert database.words > 0 and len(database.images) > 0
    with Map.create(tmp_path / "m.map", words(database.words)) as m:
        assert looptree.insert_dbow_database(m, database) == 0
        assert m.query(database.images[2], top_k=1)[0].frame == 2


def test_the_command_line_reads_it(tmp_path, route):
    with Map.create(tmp_path / "m.map", words()) as m:
        m.insert_batch([NewFrame(h) for h in route])
    told = subprocess.run([tool("CLI"), "map", "verify", tmp_path / "m.map"], capture_output=True,
                          text=True)
    assert told.returncode == 0, told.stdout + told.stderr
