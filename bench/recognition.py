#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""What each kind of features recognises with default options and the vocabulary in the box.

    bench/recognition.py LOOPTREE DATA [--features orb,learned] [--only NAME,...] [--work FOLDER]

LOOPTREE is the program, DATA the folder of the sequences (docs/features.md says which). Prints the
table of docs/features.md. Runs stay in FOLDER, and what is there is not run again.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


class Runs:
    """Runs looptree, each thing once, and keeps what it said."""

    def __init__(self, program, work):
        self.program = program
        self.work = work
        work.mkdir(parents=True, exist_ok=True)

    def call(self, name, *arguments):
        """What looptree printed, and the processor seconds it took in a last line."""
        log = self.work / f"{name}.txt"
        if not log.exists():
            command = [str(self.program), *map(str, arguments)]
            print("$", " ".join(command), file=sys.stderr, flush=True)
            with tempfile.TemporaryFile("w+") as said:
                child = subprocess.Popen(command, stdout=said, stderr=subprocess.DEVNULL)
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
                if child.returncode != 0:
                    raise SystemExit(f"{' '.join(command)}: failed")
                said.seek(0)
                log.write_text(said.read() + f"processor {usage.ru_utime + usage.ru_stime:.1f} s\n")
        return log.read_text()

    def detect(self, name, kind, sequence):
        """What `looptree detect` said, and its closures as pairs of frame numbers."""
        run = self.work / f"{name}-{kind}"
        said = self.call(f"{name}-{kind}", "detect", sequence, "--features", kind, "--output", run)
        with open(run / "closures.csv", newline="", encoding="utf-8") as rows:
            pairs = [(int(row["query"]), int(row["match"])) for row in csv.DictReader(rows)]
        return said, pairs


def by_truth(said):
    """A cell from what `looptree detect` says of the truth."""
    right = re.search(r"truth: (\d+) of (\d+) closures right.*?, (\d+) of (\d+) .*? found \((.*?)%\)", said)
    good, claims, found, revisits, percent = right.groups()
    wrong = int(claims) - int(good)
    return f"{float(percent) / 100:.3f} ({found} of {revisits}); {claims} claims, {wrong} wrong"


def truth_of_sequence(runs, name, kind, sequence):
    """KITTI 00, the corridor, the demo: looptree has their poses or their mask."""
    return by_truth(runs.detect(name, kind, sequence)[0])


def poses_of_tum(folder):
    """Times, positions and orientations of the frames, from the nearest rows of the truth."""
    def rows(path):
        return [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    times = np.array([float(row[0]) for row in rows(folder / "rgb.txt")])
    truth = np.array([[float(value) for value in row] for row in rows(folder / "groundtruth.txt")])
    nearest = np.abs(truth[:, 0][None, :] - times[:, None]).argmin(axis=1)
    return times, truth[nearest, 1:4], truth[nearest, 4:8]


def tum(runs, name, kind, folder):
    """A revisit lies within 0.3 m and 20 degrees of a frame 10 s older; a claim is right within 0.9
    m and 40 degrees, as three times the distance and twice the angle are elsewhere."""
    times, positions, quaternions = poses_of_tum(folder)
    metres = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    degrees = np.degrees(2 * np.arccos(np.clip(np.abs(quaternions @ quaternions.T), 0, 1)))
    older = times[:, None] - times[None] > 10
    revisit = (older & (metres < 0.3) & (degrees < 20)).any(axis=1)
    pairs = runs.detect(name, kind, folder)[1]
    right = [(q, m) for q, m in pairs if metres[q, m] < 0.9 and degrees[q, m] < 40]
    found = {q for q, _ in right if revisit[q]}
    return (f"{len(found) / revisit.sum():.3f} ({len(found)} of {revisit.sum()}); "
            f"{len(pairs)} claims, {len(pairs) - len(right)} wrong")


def ukbench(runs, name, kind, folder):
    """Four images in a row show one object."""
    pairs = runs.detect(name, kind, folder)[1]
    return f"{len(pairs)} claims, {sum(q // 4 != m // 4 for q, m in pairs)} between different objects"


def sessions(runs, name, kind, folder):
    """Two drives, claims right within 25 frames."""
    said = runs.call(f"{name}-{kind}", "eval", "sessions", folder / "reference", folder / "query", "--truth",
                     folder / "truth.csv", "--features", kind, "--output", runs.work / f"{name}-{kind}")
    value = {m[1]: float(m[2]) for m in re.finditer(r"\| (\w+) \| ([-+.\de]+) \|", said)}
    return (f"{value['recall_at_full_precision']:.4f} ({value['recall']:.4f} as claimed; "
            f"{value['claims']:.0f} claims, {value['false_alarms']:.0f} wrong)")


SEQUENCES = {
    "stlucia": ("St Lucia, 08:45 to 14:10", sessions),
    "kitti00": ("KITTI 00, same direction", truth_of_sequence),
    "rtabmap_corridor": ("corridor", truth_of_sequence),
    "tum_fr1_desk": ("TUM fr1_desk", tum),
    "tum_fr1_xyz": ("TUM fr1_xyz", tum),
    "demo": ("demo world", truth_of_sequence),
    "ukbench1000": ("ukbench1000 as a sequence", ukbench),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("looptree", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--features", default="orb,learned")
    parser.add_argument("--only", default=",".join(SEQUENCES))
    parser.add_argument("--work", type=Path, default=Path("runs/recognition"))
    arguments = parser.parse_args()
    runs = Runs(arguments.looptree, arguments.work)
    kinds = arguments.features.split(",")
    rows = [f"| sequence | {' | '.join(kinds)} |", "|---" * (len(kinds) + 1) + "|"]
    for name in arguments.only.split(","):
        title, judge = SEQUENCES[name]
        source = "demo" if name == "demo" else arguments.data / name
        if name != "demo" and not source.exists():
            print(f"{source}: not there, left out", file=sys.stderr)
            continue
        rows.append(f"| {title} | {' | '.join(judge(runs, name, kind, source) for kind in kinds)} |")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
