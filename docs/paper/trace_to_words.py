#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""trace_to_words.py TRACE.gz POSES WORDS: the keyframes of an ORB-SLAM2 trace as a word file.

The trace holds what a running SLAM system gave its keyframe database, keyframe by keyframe; POSES
is the sequence's ground truth, a 3x4 row per frame. Keyframes are written in the order they were
added.
"""
import gzip
import sys

trace, poses_path, out_path = sys.argv[1:]
poses = [line.strip() for line in open(poses_path) if line.strip()]
weights, keyframes, added = [], {}, []
with gzip.open(trace, "rt") as lines:
    for line in lines:
        kind, _, rest = line.rstrip("\n").partition(" ")
        if kind == "V":
            weights = rest.split()[1:]
        elif kind == "K":
            number, _, frame, _, _, _, *deltas = rest.split()
            words, word = [], -1
            for delta in deltas:
                step, _, times = delta.partition("x")
                word += int(step)
                words.append(f"{word}x{times}" if times else str(word))
            keyframes[number] = (int(frame), words)
        elif kind == "A":
            added.append(rest.split()[0])

with open(out_path, "w") as out:
    out.write(f"looptree-words 1\nvocabulary {len(weights)}\nidf {' '.join(weights)}\n")
    for number in added:
        frame, words = keyframes[number]
        out.write(f"frame {' '.join(words)}\npose {poses[frame]}\n")
