# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
import pickle

import numpy as np
import pytest

import looptree
from looptree import Vocabulary

from conftest import GOLDEN

FILES = sorted(path.name for path in (GOLDEN / "voc").iterdir() if "_db_" not in path.name)


@pytest.mark.parametrize("name", FILES)
def test_every_golden_file_loads_and_comes_back(name, tmp_path):
    if "qlz" in name:
        with pytest.raises(looptree.UnsupportedError):
            Vocabulary.load(GOLDEN / "voc" / name)
        return
    vocabulary = Vocabulary.load(GOLDEN / "voc" / name)
    assert vocabulary.format in looptree.vocabulary_formats()
    vocabulary.save(tmp_path / "own.looptree")
    again = Vocabulary.load(str(tmp_path / "own.looptree"))
    assert again == vocabulary and hash(again) == hash(vocabulary)
    assert again.format == "looptree"
    assert again.word_weights.tolist() == vocabulary.word_weights.tolist()
    data = (tmp_path / "own.looptree").read_bytes()
    assert Vocabulary.from_bytes(data) == vocabulary
    assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary


@pytest.mark.parametrize("format", ["orbslam-text", "dbow2-yaml", "dbow3-yaml", "dbow3-binary",
                                    "openvslam-binary"])
def test_other_formats_are_written(orb_vocabulary, orb_images, format, tmp_path):
    orb_vocabulary.save(tmp_path / "file", format)
    again = Vocabulary.load(tmp_path / "file")
    assert again.format == format
    rows = orb_images[0]
    assert again.words(rows).tolist() == orb_vocabulary.words(rows).tolist()


def test_what_is_known_of_it(orb_vocabulary):
    v = orb_vocabulary
    assert (v.descriptor_type, v.descriptor_width) == ("binary", 32)
    assert (v.weighting, v.scoring) == ("tf-idf", "l1")
    assert len(v.word_weights) == len(v) and v.word_weights.dtype == np.float64
    assert sum(v.leaves_by_level()) >= len(v) and v.node_count > len(v)
    assert f"{len(v)} words" in repr(v) and v.memory_bytes > 0


def test_quantize(orb_vocabulary, orb_images):
    words, weights, nodes = orb_vocabulary.quantize(orb_images[0], levels_up=1)
    assert words.tolist() == orb_vocabulary.words(orb_images[0]).tolist()
    assert weights.tolist() == orb_vocabulary.word_weights[words].tolist()
    assert len(nodes) == len(words)


def test_cut_and_stopped(orb_vocabulary):
    cut = orb_vocabulary.cut(1)
    assert len(cut) < len(orb_vocabulary) and cut.format is None
    stopped = orb_vocabulary.stopped(most_frequent=0.5)
    assert (stopped.word_weights == 0).sum() > (orb_vocabulary.word_weights == 0).sum()
    with pytest.raises(looptree.InvalidArgumentError):
        orb_vocabulary.cut(0)


def test_training_is_the_same_from_images_and_from_rows(golden):
    rows, per_image = looptree.read_descriptor_file(golden / "desc" / "train_bin.u8")
    images = np.split(rows, np.cumsum(per_image[:-1]).astype(int))
    told = []
    a = looptree.train_vocabulary(images, branching=6, depth=3, seed=7,
                                  progress=lambda done, total: told.append((done, total)))
    b = looptree.train_vocabulary(rows, per_image, branching=6, depth=3, seed=7, threads=1)
    assert a == b and len(a) > 100
    assert told and told[-1][0] == told[-1][1]


def test_training_wants_images(golden):
    rows, per_image = looptree.read_descriptor_file(golden / "desc" / "train_bin.u8")
    with pytest.raises(looptree.InvalidArgumentError, match="rows_per_image"):
        looptree.train_vocabulary(rows)
    with pytest.raises(looptree.InvalidArgumentError, match="no image"):
        looptree.train_vocabulary([])
    with pytest.raises(looptree.InvalidArgumentError, match="expected.*found"):
        looptree.train_vocabulary([rows[:5], rows[:5].astype(np.float32)])
    with pytest.raises(looptree.InvalidArgumentError):
        looptree.train_vocabulary(rows, per_image[:-1])
    with pytest.raises(looptree.InvalidArgumentError, match="'tf-idf', 'tf', 'idf' or 'binary'"):
        looptree.train_vocabulary(rows, per_image, weighting="tfidf")


def test_progress_cancels_and_its_exceptions_come_through(golden):
    rows, per_image = looptree.read_descriptor_file(golden / "desc" / "train_bin.u8")
    with pytest.raises(looptree.CancelledError) as caught:
        looptree.train_vocabulary(rows, per_image, progress=lambda done, total: False)
    assert caught.value.kind == "cancelled"

    def broken(done, total):
        raise KeyError("from the callback")

    with pytest.raises(KeyError, match="from the callback"):
        looptree.train_vocabulary(rows, per_image, progress=broken)


def test_descriptor_files(tmp_path, orb_images):
    rows = np.concatenate(orb_images)
    looptree.write_descriptor_file(tmp_path / "rows.u8", rows, [len(each) for each in orb_images])
    again, per_image = looptree.read_descriptor_file(tmp_path / "rows.u8")
    assert (again == rows).all() and per_image.tolist() == [len(each) for each in orb_images]


def test_errors_have_kinds(tmp_path, orb_vocabulary):
    with pytest.raises(FileNotFoundError) as missing:
        Vocabulary.load(tmp_path / "nothing")
    assert isinstance(missing.value, looptree.NotFoundError)
    assert isinstance(missing.value, looptree.Error) and missing.value.kind == "not found"
    orb_vocabulary.save(tmp_path / "cut")
    data = (tmp_path / "cut").read_bytes()
    (tmp_path / "cut").write_bytes(data[:len(data) // 2])
    with pytest.raises(looptree.CorruptionError) as damaged:
        Vocabulary.load(tmp_path / "cut")
    assert damaged.value.kind == "corruption"
    with pytest.raises(looptree.InvalidArgumentError, match="expected format 'looptree'"):
        orb_vocabulary.save(tmp_path / "x", "zip")
    with pytest.raises(looptree.UnsupportedError):
        orb_vocabulary.save(tmp_path / "x", "fbow")
    with pytest.raises(OSError):
        orb_vocabulary.save(tmp_path / "no" / "such" / "folder")
