# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
import numpy as np
import pytest

import looptree
from looptree import InvalidArgumentError, evaluate


def curve_by_hand(scores, right, positives):
    points = []
    for threshold in sorted(set(scores), reverse=True):
        believed = scores >= threshold
        r, w = int((believed & right).sum()), int((believed & ~right).sum())
        points.append((threshold, r, w, r / (r + w), r / positives))
    return points


@pytest.mark.parametrize("seed", range(5))
def test_curve_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 30, 200) / 30
    right = rng.random(200) < scores
    curve = evaluate.precision_recall(scores, right, 150)
    expected = curve_by_hand(scores, right, 150)
    found = zip(curve.thresholds.tolist(), curve.right.tolist(), curve.wrong.tolist(),
                curve.precision.tolist(), curve.recall.tolist())
    assert list(found) == expected
    recall = np.array([0] + [point[4] for point in expected])
    precision = np.array([point[3] for point in expected])
    assert evaluate.average_precision(curve) == pytest.approx((np.diff(recall) * precision).sum())
    clean = [point[4] for point in expected if point[2] == 0]
    assert evaluate.recall_at_full_precision(curve) == max(clean, default=0)
    safe = evaluate.safe_threshold(scores, right)
    if safe is not None:
        assert not (~right & (scores >= safe)).any()
        assert evaluate.point_at(scores, right, 150, safe).wrong == 0
    assert len(curve) == len(curve.points) and "points" in repr(curve)


def test_claims_are_checked():
    with pytest.raises(InvalidArgumentError, match="found 2 and 1"):
        evaluate.precision_recall([0.5, 0.6], [True], 3)
    with pytest.raises(InvalidArgumentError, match="right.*found float64"):
        evaluate.precision_recall([0.5], [0.5], 3)
    with pytest.raises(InvalidArgumentError):
        evaluate.precision_recall([np.nan], [True], 3)
    assert len(evaluate.precision_recall([], [], 0)) == 0


def test_ground_truth():
    poses = np.tile(np.eye(4), (40, 1, 1))
    poses[:, 0, 3] = 10 * np.minimum(np.arange(40), 39 - np.arange(40))
    truth = evaluate.GroundTruth.by_poses(poses, max_distance_m=5)
    assert truth.right_frames(30).tolist() == [9, 30]
    assert truth.right_frames(30, 30).tolist() == [9]
    assert truth.is_right(30, 9) and not truth.has_right_frame(10, 10)
    assert truth.revisits(5).tolist() == [i >= 23 for i in range(40)]
    matrix = np.zeros((2, 3), np.uint8)
    matrix[1, 2] = 255
    assert evaluate.GroundTruth.by_matrix(matrix).right_frames(1).tolist() == [2]
    assert evaluate.GroundTruth.by_labels([5], [4, 5]).right_frames(0).tolist() == [1]
    other = evaluate.GroundTruth.by_poses(poses, queries=poses[:2])
    assert (other.queries, other.frames) == (2, 40)
    with pytest.raises(InvalidArgumentError):
        truth.is_right(0, 40)


def test_retrieval():
    assert evaluate.ranked_average_precision([True, True], 2) == 1
    assert evaluate.right_in_top_four([True, False, True, True, True]) == 3


def test_word_files(tmp_path):
    poses = np.tile(np.eye(4), (2, 1, 1))
    sequence = looptree.WordSequence(10, [[3, 1, 3], np.array([9])], word_weights=np.arange(10),
                                     poses=poses, labels=[4, 4])
    looptree.write_words(tmp_path / "words.txt", sequence)
    again = looptree.read_words(tmp_path / "words.txt")
    assert sorted(again.words(0)) == [1, 3, 3] and again.vocabulary_size == 10
    assert again.poses.tolist() == poses.tolist() and again.labels.tolist() == [4, 4]
    assert again.histograms()[0] == looptree.make_histogram([3, 1, 3], np.arange(10.0))
    with pytest.raises(IndexError):
        again.words(2)
