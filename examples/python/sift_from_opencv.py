#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Detect loops with features of OpenCV in Python, here SIFT.

    sift_from_opencv.py FOLDER_OF_IMAGES

Needs OpenCV for Python (Debian: python3-opencv). Without it, it says so and exits with 77.
"""
import pathlib
import sys
from typing import List

import looptree

try:
    import cv2
except ImportError:
    print("skipped: OpenCV for Python is not installed (Debian: python3-opencv)")
    sys.exit(77)

IMAGES = {".bmp", ".jpg", ".jpeg", ".pgm", ".png", ".tif", ".tiff", ".webp"}
SIFT = cv2.SIFT_create(nfeatures=300)


def features_of(path: pathlib.Path) -> looptree.Features:
    image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if image is None:
        sys.exit(f"error: expected an image in {path}, found none")
    keypoints, descriptors = SIFT.detectAndCompute(image, None)
    return looptree.features_from_opencv(keypoints, descriptors, image.shape)


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    paths: List[pathlib.Path] = sorted(path for path in pathlib.Path(sys.argv[1]).iterdir()
                                       if path.suffix.lower() in IMAGES)
    if not paths:
        sys.exit(f"error: expected images in {sys.argv[1]}, found none")
    route = [features_of(path) for path in paths]
    vocabulary = looptree.train_vocabulary([each.descriptors for each in route[::5]], depth=4)
    print(f"{len(route)} images, {vocabulary}")
    detector = looptree.LoopDetector(vocabulary, exclude_recent=len(route) // 6)
    closures = 0
    for path, features in zip(paths, route):
        detection = detector.process(features, name=path.name)
        if detection.is_closure:
            closures += 1
            print(f"{path.name} was seen before, in {detection.match_name}: "
                  f"{len(detection.verification.inliers)} inliers")
    print(f"{closures} closures")
    return 0 if closures else 1


if __name__ == "__main__":
    sys.exit(main())
