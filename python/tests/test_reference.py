# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The same answers as C++, bit by bit: tests/reference.cpp says what those are."""
import subprocess

import numpy as np
import pytest

import looptree
from conftest import GOLDEN, random_route, tool

CASES = [
    ("dbow2_orb.yml.gz", "images_bin.u8"),
    ("dbow2_orb_IDF.yml.gz", "images_bin.u8"),
    ("dbow3_float.bin", "images_float.f32"),
    ("fbow_orb.fbow", "images_bin.u8"),
]


def pairs(fields):
    """(number, double) pairs of fields like 17:0x1.8p-4."""
    split = [field.split(":") for field in fields]
    return [int(a) for a, _ in split], [float.fromhex(b) for _, b in split]


@pytest.mark.parametrize("topology", ["d1", "d2b4-max", "d2b4-mean", "d3b2-sum"])
@pytest.mark.parametrize("vocabulary_name, rows_name", CASES)
def test_cpp_and_python_agree_to_the_bit(vocabulary_name, rows_name, topology):
    vocabulary_path = GOLDEN / "voc" / vocabulary_name
    rows_path = GOLDEN / "desc" / rows_name
    answer = subprocess.run([tool("REFERENCE"), vocabulary_path, rows_path, topology], check=True,
                            capture_output=True, text=True).stdout
    lines = iter(line.split() for line in answer.splitlines())

    vocabulary = looptree.Vocabulary.load(vocabulary_path)
    rows, per_image = looptree.read_descriptor_file(rows_path)
    index = looptree.PooledIndex(vocabulary, topology=topology)
    histograms = []
    start = 0
    for count in per_image.astype(int):
        descriptors = rows[start:start + count]
        start += count
        words = vocabulary.words(descriptors)
        kind, *expected = next(lines)
        assert kind == "words" and words.tolist() == [int(word) for word in expected]
        histogram = looptree.make_histogram(words, vocabulary.word_weights,
                                            weighting=vocabulary.weighting)
        assert histogram == vocabulary.histogram(descriptors)
        kind, *expected = next(lines)
        assert kind == "histogram"
        assert (histogram.words.tolist(), histogram.weights.tolist()) == pairs(expected)
        histograms.append(histogram)
        kind, *expected = next(lines)
        scores = [looptree.intersection(histogram, histograms[0])]
        scores += [looptree.score(name, histogram, histograms[0])
                   for name in ("l1", "chi-square", "kl", "bhattacharyya")]
        assert scores == [float.fromhex(each) for each in expected]
        index.insert(histogram)
    for histogram in histograms:
        kind, *expected = next(lines)
        result = index.query(histogram, top_k=7, threshold=0.05)
        assert kind == "matches"
        assert (result.frames.tolist(), result.scores.tolist()) == pairs(expected)
    assert next(lines, None) is None


@pytest.mark.parametrize("topology", ["d1", "d2b4-max", "d3b3-sum"])
@pytest.mark.parametrize("seed", range(3))
def test_exact_topologies_equal_the_oracle(topology, seed):
    route, weights = random_route(seed, 150)
    index = looptree.PooledIndex(len(weights), topology=topology, word_weights=weights)
    oracle = looptree.ExhaustiveIndex(len(weights))
    rng = np.random.default_rng(seed)
    for i, histogram in enumerate(route):
        for options in ({}, {"top_k": None, "threshold": 0.2},
                        {"top_k": 3, "exclude_recent": 20, "first": 5, "last": 100},
                        {"sessions": [1, 2]}, {"accept": lambda frame: frame % 3 != 0}):
            a, b = index.query(histogram, **options), oracle.query(histogram, **options)
            assert a.frames.tolist() == b.frames.tolist()
            assert a.scores.tolist() == b.scores.tolist()
        assert index.insert(histogram, session=i % 4) == oracle.insert(histogram, session=i % 4)
        if i % 7 == 3:
            frame = int(rng.integers(0, i))
            assert index.erase(frame) == oracle.erase(frame)
        assert len(index) == len(oracle)


def test_words_of_the_command_line(world, tmp_path):
    """Images to words, by `looptree words` and by Python."""
    if not looptree.has_vision:
        pytest.skip("built without OpenCV")
    extractor = looptree.FeatureExtractor("orb", max_features=500)
    sequence = looptree.open_sequence(world)
    rows = [frame.features.descriptors
            for frame in looptree.extract_features(sequence, extractor, stride=30)]
    vocabulary = looptree.train_vocabulary(rows, branching=8, depth=3)
    vocabulary.save(tmp_path / "orb.looptree")
    subprocess.run([tool("CLI"), "words", world, "--vocabulary", tmp_path / "orb.looptree", "--output",
                    tmp_path / "words.txt", "--max-features", "500"], check=True,
                   stdout=subprocess.DEVNULL)
    words = looptree.read_words(tmp_path / "words.txt")
    assert len(words) == len(sequence)
    for number in range(0, len(sequence), 20):
        features = extractor.extract(sequence.image(number))
        assert vocabulary.words(features.descriptors).tolist() == words.words(number).tolist()
