# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Arrays of every layout and type work, or raise an error that says expected and found."""
import re

import numpy as np
import pytest

import looptree
from looptree import InvalidArgumentError


def test_layouts_give_the_same_words(orb_vocabulary, orb_images):
    rows = orb_images[0]
    expected = orb_vocabulary.words(rows).tolist()
    fortran = np.asfortranarray(rows)
    wide = np.repeat(rows, 2, axis=1)[:, ::2]
    reversed_twice = rows[::-1].copy()[::-1]
    read_only = rows.copy()
    read_only.setflags(write=False)
    unaligned = np.frombuffer(b"x" + rows.tobytes(), np.uint8, offset=1).reshape(rows.shape)
    for each in (fortran, wide, reversed_twice, read_only, unaligned, np.ascontiguousarray(rows)):
        assert orb_vocabulary.words(each).tolist() == expected


def test_floats_that_are_not_aligned(golden):
    vocabulary = looptree.Vocabulary.load(golden / "voc" / "dbow3_float.bin")
    rows, _ = looptree.read_descriptor_file(golden / "desc" / "images_float.f32")
    odd = np.frombuffer(b"x" + rows.tobytes(), np.uint8)[1:].view(np.float32).reshape(rows.shape)
    assert not odd.flags.aligned
    assert vocabulary.words(odd).tolist() == vocabulary.words(rows).tolist()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4"])
def test_floats_of_every_size_are_taken(golden, dtype):
    vocabulary = looptree.Vocabulary.load(golden / "voc" / "dbow3_float.bin")
    rows, _ = looptree.read_descriptor_file(golden / "desc" / "images_float.f32")
    converted = rows[:60].astype(dtype)
    expected = vocabulary.words(converted.astype(np.float32))
    assert vocabulary.words(converted).tolist() == expected.tolist()


@pytest.mark.parametrize("rows, found", [
    (np.zeros((3, 32), np.int32), "int32 of shape (3, 32)"),
    (np.zeros((3, 32), np.int8), "int8 of shape (3, 32)"),
    (np.zeros((3, 32), bool), "bool of shape (3, 32)"),
    (np.zeros(32, np.uint8), "uint8 of shape (32,)"),
    (np.zeros((3, 4, 8), np.uint8), "uint8 of shape (3, 4, 8)"),
    (np.zeros((3, 0), np.uint8), "uint8 of shape (3, 0)"),
    (np.zeros((3, 32), complex), "complex128 of shape (3, 32)"),
    ([[0] * 32], "list"),
    (None, "NoneType"),
])
def test_wrong_descriptors(orb_vocabulary, rows, found):
    with pytest.raises(InvalidArgumentError, match="expected descriptors.*found " + re.escape(found)):
        orb_vocabulary.words(rows)


def test_descriptors_of_another_vocabulary(orb_vocabulary):
    with pytest.raises(InvalidArgumentError, match="expected.*found"):
        orb_vocabulary.words(np.zeros((3, 31), np.uint8))
    with pytest.raises(InvalidArgumentError, match="expected.*found"):
        orb_vocabulary.words(np.zeros((3, 32), np.float32))


def test_no_descriptors_give_no_words(orb_vocabulary):
    words = orb_vocabulary.words(np.zeros((0, 32), np.uint8))
    assert words.dtype == np.uint32 and words.shape == (0,)
    assert len(orb_vocabulary.histogram(np.zeros((0, 32), np.uint8))) == 0


def test_not_finite(golden):
    vocabulary = looptree.Vocabulary.load(golden / "voc" / "dbow3_float.bin")
    rows = np.zeros((2, vocabulary.descriptor_width), np.float32)
    rows[1, 3] = np.nan
    with pytest.raises(InvalidArgumentError):
        vocabulary.words(rows)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.int64, np.uint64])
def test_words_of_every_integer_type(dtype):
    histogram = looptree.make_histogram(np.array([3, 1, 3], dtype), [1.0, 2.0, 1.0, 1.0])
    assert histogram.words.tolist() == [1, 3]
    assert histogram.weights.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("words, message", [
    ([-1, 2], "expected words in .* found int64 of shape .* with values from -1 to 2"),
    ([2 ** 32], "expected words in .*4294967296"),
    (np.array([-1], np.int8), "with values from -1 to -1"),
    ([0.5], "expected words as a one-dimensional array of integers, found float64"),
    ([[1, 2]], "expected words as a one-dimensional.*shape \\(1, 2\\)"),
    ("abc", "expected words"),
    ([7], "expected"),
])
def test_wrong_words(words, message):
    with pytest.raises(InvalidArgumentError, match=message):
        looptree.make_histogram(words, [1.0, 1.0])


def test_weights_of_both_floats_and_lists():
    expected = looptree.make_histogram([0, 1, 1], np.array([0.25, 0.5]))
    for weights in ([0.25, 0.5], np.array([0.25, 0.5], np.float32), np.array([0.25, 9, 0.5])[::2]):
        assert looptree.make_histogram([0, 1, 1], weights) == expected
    with pytest.raises(InvalidArgumentError, match="word_weights.*found complex128"):
        looptree.make_histogram([0], np.array([1j]))
    with pytest.raises(InvalidArgumentError, match="word_weights.*shape \\(1, 1\\)"):
        looptree.make_histogram([0], [[1.0]])


def test_views_are_read_only_share_memory_and_outlive_their_owner(orb_vocabulary, orb_images):
    histogram = orb_vocabulary.histogram(orb_images[0])
    words, weights = histogram.words, histogram.weights
    assert np.shares_memory(words, histogram.words)
    assert words.base is not None and not words.flags.writeable and not weights.flags.writeable
    kept = words.tolist(), weights.tolist()
    del histogram
    junk = [np.ones(len(words)) for _ in range(100)]
    assert (words.tolist(), weights.tolist()) == kept and len(junk) == 100
    with pytest.raises(ValueError):
        words[0] = 1


def test_images():
    if not looptree.has_vision:
        pytest.skip("built without OpenCV")
    extractor = looptree.FeatureExtractor()
    noise = np.random.default_rng(1).integers(0, 256, (240, 320), np.uint8)
    blocks = np.kron(noise[:60, :80], np.ones((4, 4), np.uint8))
    features = extractor.extract(blocks)
    assert len(features) > 50 and (features.width, features.height) == (320, 240)
    assert features.points.shape == (len(features), 2)
    assert features.descriptors.shape == (len(features), 32)
    assert features.keypoints["x"].tolist() == features.points[:, 0].tolist()
    strided = np.repeat(blocks, 2, axis=1)[:, ::2]
    assert extractor.extract(strided).points.tolist() == features.points.tolist()
    for wrong, found in ((np.zeros((9, 9, 3), np.uint8), "shape \\(9, 9, 3\\).*grey"),
                         (np.zeros((9, 9)), "float64"), (np.zeros(9, np.uint8), "shape \\(9,\\)"),
                         ([[1]], "list"), (np.zeros((0, 0), np.uint8), "")):
        with pytest.raises(InvalidArgumentError, match=found):
            extractor.extract(wrong)


def test_features_of_ones_own():
    points = np.array([[1, 2], [3, 4]], np.float64)
    rows = np.arange(8, dtype=np.float32).reshape(2, 4)
    features = looptree.Features(points, rows, width=640, height=480)
    assert features.points.tolist() == points.tolist()
    assert features.descriptors.tolist() == rows.tolist()
    again = looptree.Features(features.keypoints, features.descriptors, width=640, height=480)
    assert again.keypoints.tolist() == features.keypoints.tolist()
    with pytest.raises(InvalidArgumentError):
        looptree.Features(points[:1], rows, width=640, height=480)
    with pytest.raises(InvalidArgumentError, match="keypoints.*found float64 of shape \\(2, 3\\)"):
        looptree.Features(np.zeros((2, 3)), rows, width=640, height=480)


def test_poses():
    truth = looptree.evaluate.GroundTruth
    eye = np.tile(np.eye(4), (3, 1, 1))
    eye[2, 0, 3] = 100
    for poses in (eye, eye[:, :3], [each[:3] for each in eye], eye.astype(np.float32)):
        assert truth.by_poses(poses).right_frames(0).tolist() == [0, 1]
    with pytest.raises(InvalidArgumentError, match="poses.*found float64 of shape \\(3, 12\\)"):
        truth.by_poses(np.zeros((3, 12)))


def test_learned_features():
    if not looptree.has_vision:
        pytest.skip("built without OpenCV")
    extractor = looptree.FeatureExtractor("learned", max_features=200)
    assert (extractor.descriptor_type, extractor.descriptor_width) == ("binary", 32)
    noise = np.random.default_rng(1).integers(0, 256, (60, 80), np.uint8)
    blocks = np.kron(noise, np.ones((4, 4), np.uint8))
    features = extractor.extract(blocks)
    assert 20 < len(features) <= 200 and features.descriptors.shape == (len(features), 32)
    assert (extractor.extract(blocks).descriptors == features.descriptors).all()
    with pytest.raises(looptree.NotFoundError):
        looptree.FeatureExtractor("learned", network="nowhere.ltnet")
    with pytest.raises(looptree.NotFoundError):
        looptree.FeatureExtractor("nowhere.onnx")
