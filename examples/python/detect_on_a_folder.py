#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Detect loops in a folder of images, a video or a dataset; without an argument, in the demo world.

    detect_on_a_folder.py [FOLDER] [--vocabulary FILE]
"""
import argparse
import sys

import looptree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="demo", help="images, a video or a dataset")
    parser.add_argument("--vocabulary", help="of ORB features, any format; default: in the box")
    arguments = parser.parse_args()

    sequence = looptree.open_sequence(arguments.folder)
    orb = looptree.FeatureExtractor("orb")
    vocabulary = (looptree.Vocabulary.load(arguments.vocabulary) if arguments.vocabulary
                  else looptree.box_vocabulary("orb"))
    print(f"{sequence}, {vocabulary}")

    # What the camera has just left is no loop; a short walk may come back soon.
    detector = looptree.LoopDetector(vocabulary, exclude_recent=min(100, len(sequence) // 4),
                                     calibration=sequence.calibration)
    closures = 0
    # Frames come in order, their features worked out ahead on all cores. To feed images of your
    # own instead: detector.process(image), a grey image as a numpy array.
    for frame in looptree.extract_features(sequence, orb):
        if frame.error:
            print(frame.error, file=sys.stderr)
            continue
        detection = detector.process(frame.features, number=frame.number, name=frame.name)
        if detection.is_closure:
            closures += 1
            print(f"{frame.name}: {detection.explain()}")
    print(f"{closures} closures")
    return 0 if closures else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except looptree.Error as error:
        sys.exit(f"error: {error}")
