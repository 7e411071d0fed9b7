# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
import pickle

import numpy as np
import pytest

import looptree
from conftest import random_route
from looptree import Histogram, InvalidArgumentError, PooledIndex, Topology


def test_histograms():
    h = Histogram([2, 5], [1.0, 3.0])
    assert (h.words.tolist(), h.weights.tolist(), h.sum(), len(h)) == ([2, 5], [1, 3], 4, 2)
    assert h.normalized().weights.tolist() == [0.25, 0.75]
    assert h == Histogram(np.array([2, 5]), np.array([1, 3])) and h != Histogram() and h != 3
    assert pickle.loads(pickle.dumps(h)) == h
    assert repr(h) == "Histogram(2 words, sum 4.0)"
    for words, weights in (([5, 2], [1, 1]), ([1, 2], [1.0]), ([1], [-1.0]), ([1], [np.nan])):
        with pytest.raises(InvalidArgumentError):
            Histogram(words, weights)


def test_scores():
    a = Histogram([1, 2], [0.5, 0.5])
    b = Histogram([2, 3], [0.25, 0.75])
    assert looptree.intersection(a, b) == 0.25
    assert looptree.score("l1", a, b) == 0.25
    assert looptree.score("bhattacharyya", a, b) == np.sqrt(0.125)
    with pytest.raises(InvalidArgumentError, match="expected score 'l1'"):
        looptree.score("cosine", a, b)


def test_results_slice_like_lists():
    index = PooledIndex(20)
    for i in range(6):
        index.insert(Histogram([3, 4 + i], [0.5, 0.5]))
    result = index.query(Histogram([3, 5], [0.5, 0.5]), top_k=4)
    assert [m.frame for m in result[1:3]] == [m.frame for m in list(result)[1:3]]
    assert len(result[::-1]) == 4 and result[9:] == []


def test_topologies():
    t = Topology("d2b16-mean")
    assert (t.name, t.depth, t.branching, t.pooling, t.is_exact) == ("d2b16-mean", 2, 16, "mean", False)
    assert Topology() == Topology("d1") and str(t) == t.name and repr(t) == "Topology('d2b16-mean')"
    assert Topology.fixed(3, 4, "max") == Topology("d3b4-max")
    g = Topology.grouped([[0, 0, 1], [0, 0]], "sum")
    assert g.is_grouped and [layer.tolist() for layer in g.groups] == [[0, 0, 1], [0, 0]]
    with pytest.raises(InvalidArgumentError):
        Topology("d2b16")
    with pytest.raises(InvalidArgumentError, match="'mean', 'sum' or 'max'"):
        Topology.fixed(2, 4, "average")


def test_grouping():
    route, weights = random_route(1, 20)
    groups = looptree.random_groups(20, 4, seed=3)
    assert sorted(np.bincount(groups)) == [4] * 5
    assert looptree.label_groups([7, 7, 2, 7]).tolist() == [0, 0, 1, 0]
    affine = looptree.affinity_groups(route, 4)
    pooled = looptree.pool(route, affine, "max")
    assert len(pooled) == affine.max() + 1
    index = PooledIndex(len(weights), topology=Topology.grouped([affine], "max"))
    index.insert_batch(route)
    assert index.query(route[3], top_k=1)[0].frame == 3


def test_results_read_like_python():
    route, weights = random_route(2, 60)
    index = PooledIndex(len(weights), word_weights=weights)
    assert index.insert_batch(route) == range(0, 60)
    result = index.query(route[7], top_k=5)
    assert len(result) == 5 and result
    assert result[0].frame == 7 and result[-1] == list(result)[-1]
    assert [m.frame for m in result] == result.frames.tolist()
    frame, score = result[0]
    assert (frame, score) == (7, 1.0) and "Match(frame=7, score=1.0)" == repr(result[0])
    assert "60 frames" in repr(index) and repr(result).startswith("QueryResult([7: 1.0, ")
    assert result.frames.dtype == np.uint32 and result.scores.dtype == np.float64
    frames = result.frames
    with pytest.raises(ValueError):
        frames[0] = 1
    with pytest.raises(IndexError):
        result[5]
    assert result.layers[0].nodes == 60
    assert not index.query(route[7], threshold=1.0, first=8)


def test_changes():
    route, weights = random_route(3, 30)
    index = PooledIndex(len(weights), word_weights=weights)
    for i, histogram in enumerate(route):
        assert index.insert(histogram, session=i % 3) == i
    assert len(index) == 30 and index.next_id == 30 and 12 in index and 30 not in index
    assert index.session(4) == 1 and index.session(99) is None
    assert index.erase(12) and not index.erase(12) and 12 not in index
    assert index.histogram(12) is None
    kept = index.histogram(4)
    assert kept.words.tolist() == route[4].words.tolist()
    assert np.abs(kept.weights - route[4].weights).max() <= 2.0 ** -31
    memory = index.memory()
    assert memory.frames == 29 and memory.bytes > 0 and memory.bytes_per_frame > 0
    index.clear()
    assert len(index) == 0 and index.next_id == 0
    with pytest.raises(InvalidArgumentError):
        index.insert(Histogram())
    with pytest.raises(InvalidArgumentError):
        index.insert(Histogram([len(weights)], [1.0]))
    with pytest.raises(InvalidArgumentError):
        index.query(route[0], top_k=0)
    with pytest.raises(InvalidArgumentError):
        PooledIndex(10, word_weights=[1.0])


def test_index_of_a_vocabulary(orb_vocabulary, orb_images):
    index = PooledIndex(orb_vocabulary, topology="d2b4-max")
    assert index.vocabulary_size == len(orb_vocabulary)
    assert index.word_weights.tolist() == orb_vocabulary.word_weights.tolist()
    assert index.topology == Topology("d2b4-max")
    index.insert_batch([orb_vocabulary.histogram(each) for each in orb_images])
    assert index.query(orb_vocabulary.histogram(orb_images[3]), top_k=1)[0].frame == 3


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_batches_answer_as_single_queries(threads):
    route, weights = random_route(4, 80)
    index = PooledIndex(len(weights), word_weights=weights)
    index.insert_batch(route)
    many = index.query_batch(route, top_k=4, threads=threads)
    for one, histogram in zip(many, route):
        alone = index.query(histogram, top_k=4)
        assert list(one) == list(alone)


@pytest.mark.parametrize("threads", [1, 0])
def test_predicates(threads):
    route, weights = random_route(5, 80)
    index = PooledIndex(len(weights), word_weights=weights)
    index.insert_batch(route)
    asked = []

    def accept(frame):
        asked.append(frame)
        return np.bool_(frame >= 40)

    result = index.query(route[7], accept=accept, threads=threads)
    assert asked and (result.frames >= 40).all()

    def broken(frame):
        raise ZeroDivisionError("from the predicate")

    for _ in range(3):
        with pytest.raises(ZeroDivisionError, match="from the predicate"):
            index.query(route[7], accept=broken, threads=threads)
        with pytest.raises(ZeroDivisionError, match="from the predicate"):
            index.query_batch(route, accept=broken, threads=threads)
    assert index.query(route[7], top_k=1)[0].frame == 7


def test_ids_of_numpy_are_ids():
    route, weights = random_route(5, 20)
    index = PooledIndex(len(weights), word_weights=weights)
    index.insert_batch(route)
    result = index.query(route[7], top_k=np.int32(3), first=np.int64(1), sessions=np.array([0]))
    assert result.frames[0] in index and index.histogram(result.frames[0]) is not None
    assert index.erase(result.frames[0]) and result.frames[0] not in index
    assert -1 not in index and 2 ** 40 not in index and "7" not in index


def test_type_errors_are_pythons():
    index = PooledIndex(10)
    with pytest.raises(TypeError, match="expected a Vocabulary or a number of words, found str"):
        PooledIndex("ten")
    with pytest.raises(TypeError, match="expected a Topology or its name, found int"):
        PooledIndex(10, topology=2)
    with pytest.raises(TypeError):
        index.insert([1, 2, 3])
    with pytest.raises(TypeError):
        index.query(Histogram([1], [1.0]), 10)
    with pytest.raises(TypeError):
        index.query(Histogram([1], [1.0]), topk=10)
