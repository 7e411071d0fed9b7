#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""How well do scores alone tell loops? A precision-recall curve of a sequence that has poses.

    plot_precision_recall.py [SEQUENCE] [--output PICTURE]

The best match of every frame, more than `exclude_recent` frames older, is right if it lies within 15 m. Needs
matplotlib to draw (Debian: python3-matplotlib); without it, it prints the figures and says so.
"""
import argparse
import sys
from typing import List, Tuple

import looptree
from looptree import evaluate

TOPOLOGIES = ["d1", "d2b8-mean"]


def words_of(sequence: looptree.Sequence) -> Tuple[looptree.Vocabulary, List[looptree.Histogram]]:
    orb = looptree.FeatureExtractor("orb", max_features=1000)
    rows = [frame.features.descriptors for frame in looptree.extract_features(sequence, orb)]
    vocabulary = looptree.train_vocabulary(rows[::10], depth=4)
    return vocabulary, [vocabulary.histogram(each) for each in rows]


def curve_of(histograms: List[looptree.Histogram], truth: evaluate.GroundTruth, topology: str,
             vocabulary: looptree.Vocabulary, exclude_recent: int) -> evaluate.Curve:
    index = looptree.PooledIndex(vocabulary, topology=topology)
    scores, right = [], []
    for number, histogram in enumerate(histograms):
        for match in index.query(histogram, top_k=1, threshold=0.05, exclude_recent=exclude_recent):
            scores.append(match.score)
            right.append(truth.is_right(number, match.frame))
        index.insert(histogram)
    return evaluate.precision_recall(scores, right, int(truth.revisits(exclude_recent).sum()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sequence", nargs="?", default="demo", help="a sequence with poses")
    parser.add_argument("--exclude-recent", type=int, default=60, help="newest frames that are no loops")
    parser.add_argument("-o", "--output", default="precision_recall.png", help="the picture")
    arguments = parser.parse_args()

    sequence = looptree.open_sequence(arguments.sequence)
    if sequence.poses is None:
        sys.exit(f"error: expected a sequence with poses, found {sequence} without")
    truth = evaluate.GroundTruth.by_poses(sequence.poses)
    vocabulary, histograms = words_of(sequence)
    curves = {name: curve_of(histograms, truth, name, vocabulary, arguments.exclude_recent)
              for name in TOPOLOGIES}
    for name, curve in curves.items():
        print(f"{name:10} average precision {evaluate.average_precision(curve):.3f}, "
              f"recall without a false alarm {evaluate.recall_at_full_precision(curve):.3f}")

    try:
        import matplotlib
    except ImportError:
        print("not drawn: matplotlib is not installed (Debian: python3-matplotlib)")
        return 0
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    for name, curve in curves.items():
        plt.step(curve.recall, curve.precision, where="post", label=name)
    plt.xlabel("recall")
    plt.ylabel("precision")
    plt.legend()
    plt.savefig(arguments.output, dpi=120)
    print(f"drawn in {arguments.output}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except looptree.Error as error:
        sys.exit(f"error: {error}")
