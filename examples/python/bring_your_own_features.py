#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Bring your own features: keypoints and descriptors of any detector, as numpy arrays.

Here 64 floats made up on the spot stand where a learned detector's would be.
"""
import sys

import numpy as np

import looptree

DIMENSION, POINTS = 64, 300
WIDTH, HEIGHT, FOCAL = 640, 480, 500


def look(place: int, step: float) -> looptree.Features:
    """What a camera sees at a place: points in front of it, shifted a little by `step`."""
    rng = np.random.default_rng(place)
    depth = rng.uniform(4, 20, POINTS)
    x = rng.uniform(-6, 6, POINTS) - step
    y = rng.uniform(-4, 4, POINTS)
    points = np.stack([WIDTH / 2 + FOCAL * x / depth, HEIGHT / 2 + FOCAL * y / depth], axis=1)
    noise = np.random.default_rng(int(step * 100)).normal(0, 0.02, (POINTS, DIMENSION))
    descriptors = (rng.uniform(0, 1, (POINTS, DIMENSION)) + noise).astype(np.float32)
    return looptree.Features(points, descriptors, width=WIDTH, height=HEIGHT)


def main() -> int:
    # A walk through 40 places, and back to the first ten a step to the side.
    walk = [look(place, 0.0) for place in range(40)] + [look(place, 0.5) for place in range(10)]
    vocabulary = looptree.train_vocabulary([each.descriptors for each in walk], depth=3)
    detector = looptree.LoopDetector(vocabulary, exclude_recent=20)
    detections = [detector.process(each) for each in walk]
    for detection in detections:
        print(detection.explain())

    # Or take the parts by themselves: histograms, an index, a query.
    index = looptree.PooledIndex(vocabulary)
    index.insert_batch([vocabulary.histogram(each.descriptors) for each in walk[:40]])
    result = index.query(vocabulary.histogram(walk[43].descriptors), top_k=3)
    print("frame 43 looks like", ", ".join(f"{m.frame} ({m.score:.2f})" for m in result))

    found = [detection.match for detection in detections if detection.is_closure]
    return 0 if found == list(range(10)) and result[0].frame == 3 else 1


if __name__ == "__main__":
    sys.exit(main())
