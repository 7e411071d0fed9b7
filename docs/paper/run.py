#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""run.py LOOPTREE [options]: repeats the paper's experiments and writes RESULTS.md.

Runs all that the data allows. Vocabularies, word files and results are kept (--work, default
runs/paper) and not made again: after a change, --again 'sweep*' measures those anew. --quick asks
fewer queries, to try it out, and keeps its results apart; --long adds drives of a million frames;
--write-only runs nothing and writes down what earlier runs left.
"""
import argparse
import fnmatch
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {"10k": 4, "1m": 6}  # words, and the levels of their vocabulary
TABLE = "d1,d2b16-mean,d2b16-sum,d2b16-max"
PAYS = {"10k": (0.05, 0.3, 0.5), "1m": (0.005, 0.1, 0.3)}  # thresholds, from all that share words to near copies
FEATURES = ["--features", "cv-orb"]  # as KITTI 05's words were made, whose images are not here
REDUCED = (5000, 1000)  # words left of 10,000
EXCITING = ("xyz", "desk", "rpy")  # TUM's sequences, by how much the camera turns
MEANS = "d1,d2b4-mean,d2b8-mean,d2b16-mean"
WITH_LISTS = "d1,lists,d2b16-mean,d2b16-sum,d2b16-max"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("looptree", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("LOOPTREE_DATA", HERE.parents[2] / "shared/data")))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("runs/paper"))
    parser.add_argument("-o", "--output", type=pathlib.Path, help="where to write; without it RESULTS.md beside this script")
    parser.add_argument("--again", default="", metavar="PATTERN", help="measure these anew, '*' for all")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--write-only", action="store_true")
    parser.add_argument("--words-only", action="store_true", help="make the word files of the drives, and measure nothing")
    return parser.parse_args()


class Runner:
    """Makes what is missing, each thing once."""

    def __init__(self, args):
        self.args = args
        self.folder = args.work / ("quick" if args.quick else "results")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.failed = {}

    def call(self, *arguments):
        """Runs looptree; a failure is noted, and what needs its output will be missing."""
        command = [str(self.args.looptree), *map(str, arguments)]
        print("$", " ".join(command), flush=True)
        started = time.time()
        done = subprocess.run(command, capture_output=True, text=True)
        print(f"  {time.time() - started:.0f} s", flush=True)
        if done.returncode != 0:
            print(done.stderr.strip(), file=sys.stderr, flush=True)
        return done

    def words(self, name, source, vocabulary, *options):
        """The word file of a sequence; None if the sequence is absent or cannot be read."""
        out = self.args.work / f"{name}.words"
        if not source.exists() and str(source) != "demo":
            return None
        if not out.exists() and not self.args.write_only:
            part = out.with_suffix(".part")
            features = [] if "--features" in options else FEATURES
            done = self.call("words", source, "--vocabulary", self.args.work / vocabulary, "--output", part, *features, *options)
            if done.returncode == 0:
                part.rename(out)
        return out if out.exists() else None

    def run(self, name, *arguments):
        """The metrics of an experiment; None if it could not be run."""
        folder = self.folder / name
        if self.args.again and fnmatch.fnmatch(name, self.args.again) and not self.args.write_only:
            shutil.rmtree(folder, ignore_errors=True)
        if not (folder / "metrics.json").exists():
            if self.args.write_only or None in arguments:
                return None
            shutil.rmtree(folder, ignore_errors=True)
            load = os.getloadavg()[0]
            done = self.call("eval", *arguments, "--output", folder)
            if done.returncode != 0:
                self.failed[name] = done.stderr.strip().splitlines()[-1:]
                return None
            (folder / "load.txt").write_text(f"{load:.1f}\n")
        return json.loads((folder / "metrics.json").read_text())


def trace_words(runner, data):
    """Keyframes that a real ORB-SLAM2 gave its database."""
    trace, poses = data / "orbslam2/kitti00_mono.trace.gz", data / "kitti00/poses.txt"
    out = runner.args.work / "kitti00_keyframes.words"
    if not (trace.exists() and poses.exists()):
        return None
    if not out.exists() and not runner.args.write_only:
        subprocess.run([sys.executable, HERE / "trace_to_words.py", trace, poses, out], check=True)
    return out if out.exists() else None


def training(data, size):
    """Images to train on, none of KITTI 00. A million words need more descriptors than the driving
    excerpts have, so there the desk of TUM and ukbench's objects help out."""
    excerpts = data / "kitti_stereo_excerpts"
    paths = [excerpts / "02_left.mp4", excerpts / "10_left.mp4"]
    if size == "1m":
        paths += [excerpts / "02_right.mp4", excerpts / "10_right.mp4", data / "tum_fr1_rpy", data / "ukbench1000"]
    return [item for path in paths if path.exists() for item in ("--train", path)] + ["--depth", SIZES[size]]


def word_files(runner, data, size):
    """The word files of the drives and of TUM's desk: left and right excerpts by number, KITTI 00, TUM."""
    vocabulary, train = f"words_{size}.voc", training(data, size)
    excerpts = data / "kitti_stereo_excerpts"
    left = {n: runner.words(f"kitti{n}_{size}", excerpts / f"{n}_left.mp4", vocabulary, *train) for n in ("02", "10")}
    right = {n: runner.words(f"kitti{n}_right_{size}", excerpts / f"{n}_right.mp4", vocabulary, *train) for n in ("02", "10")}
    route = runner.words(f"kitti00_{size}", data / "kitti00", vocabulary, *train)
    tum = runner.words(f"tum_{size}", data / "tum_fr1_rpy", vocabulary, *train)
    return left, right, route, tum


def idf(path):
    """The line with a word file's weights: what makes a vocabulary known."""
    with path.open() as lines:
        return next((line for line in lines if line.startswith("idf ")), None)


def stereo(data, size, route):
    """KITTI 05 by both cameras, words that came with the data; none where they are of another vocabulary than the route's."""
    files = [data / "kitti05_words" / f"{side}_{size}.words" for side in ("left", "right")]
    if not all(path.exists() and idf(path) == idf(route) for path in files):
        print(f"no words of KITTI 05 with the vocabulary of {route}")
        return None, None
    return files


def driving(runner, data, size):
    """What is measured on KITTI, for one size of vocabulary."""
    quick = runner.args.quick
    left, _, route, tum = word_files(runner, data, size)
    if not route:
        return
    left05, right05 = stereo(data, size, route)
    sequences = [path for path in (route, left05, left["02"], left["10"]) if path]
    policy = runner.run(f"threshold_{size}", "threshold", *sequences)
    tau = policy["facts"]["threshold"] if policy else None
    few = ["--stages", 4, "--queries", 10 if quick else 40, "--passes", 1 if quick else 2]
    curve = ["--every", 60 if quick else 10, "--passes", 1 if quick else 2]
    runner.run(f"table1_05_{size}", "synthetic", left05, "--right", right05, "--negative", route, "--threshold", tau,
               "--variants", WITH_LISTS, *few)
    runner.run(f"table1_00_{size}", "synthetic", route, "--negative", left05, "--threshold", tau, "--variants", WITH_LISTS, *few)
    runner.run(f"joined_{size}", "synthetic", *sequences, "--negative", tum, "--threshold", tau, "--variants", WITH_LISTS, *few)
    # A curve that is measured point by point loses area between its points: with 20 of them, 0.03.
    runner.run(f"curves_{size}", "incremental", route, "--variants", MEANS, "--every", 60 if quick else 10,
               "--curve-points", 10 if quick else 100, "--passes", 0)
    runner.run(f"sweep_{size}", "sweep", route, "--threshold", tau, "--curve-points", 8 if quick else 20, *curve)
    slacks = [f"d2b16-mean@{slack}" for slack in (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5)]
    runner.run(f"slack_{size}", "incremental", route, "--threshold", tau, "--variants", ",".join(["d1", "d2b16-mean", *slacks]),
               "--curve-points", 2, *curve)
    runner.run(f"statistics_{size}", "statistics", route, "stream:4541" if size == "10k" else "stream-1m:4541",
               "--sample", 20 if quick else 80)
    if size == "10k":
        runner.run("curves_05_10k", "incremental", left05, "--variants", MEANS, "--every", 60 if quick else 10,
                   "--curve-points", 10 if quick else 100, "--passes", 0)
        runner.run("keyframes", "keyframes", route, "--negative", left05, "--threshold", tau, "--variants", TABLE, *few)
        fabmap(runner, data, route, left05)
        groups(runner, data, route, tau)
        reduced(runner, route, left05, curve)
        oxford(runner, data, "words_10k.voc", route, tau, few)


def fabmap(runner, data, route, elsewhere):
    """The rival of the introduction, where frames lie 0.8 m apart and where they are places of their own."""
    quick = runner.args.quick
    often = ["--every", 60 if quick else 5, "--passes", 1, "--curve-points", 10 if quick else 50]
    train = ["--train", elsewhere, "--train-every", 10]
    runner.run("fabmap_kitti00", "incremental", route, "--variants", "d1,d2b16-mean,fabmap", *train, "--same-place", 10, *often)
    runner.run("fabmap_kitti00_frames", "incremental", route, "--variants", "d1,fabmap", *train, *often)
    corridor = runner.words("corridor", data / "rtabmap_corridor", "words_10k.voc")
    indoors = runner.words("tum_10k", data / "tum_fr1_rpy", "words_10k.voc")
    runner.run("corridor", "incremental", corridor, "--variants", "d1,d2b16-mean,d2b16-sum,d2b16-max,fabmap", "--train", indoors,
               "--same-place", 1, "--exclude-recent", 20, "--passes", 1 if quick else 3)


def groups(runner, data, route, tau):
    """Section 4.4 and the abstract: regular groups beside adaptive and agglomerative ones."""
    quick = runner.args.quick
    few = ["--trials", 2 if quick else 3, "--queries", 20 if quick else 100, "--passes", 1 if quick else 2]
    runner.run("adaptive_kitti00", "adaptive", route, "--threshold", tau, "--agglomerative", *few)
    # Groups by pose put both passes of a street together, which nobody can who has not found the loop yet: here is none.
    runner.run("adaptive_once", "adaptive", first_frames(runner, route, 1500), "--threshold", tau, "--agglomerative", *few)
    for name in EXCITING:
        posed = runner.words(f"tum_{name}_posed", data / f"tum_fr1_{name}", "words_10k.voc", "--only-posed")
        # Nearly everything on a desk reaches the threshold of a street: it gets its own, by the same policy.
        near = ["--distance", 0.3, "--angle", 30]
        desk = runner.run(f"threshold_tum_{name}", "threshold", posed, "--exclude-recent", 30, *near)
        runner.run(f"adaptive_tum_{name}", "adaptive", posed, "--threshold", desk["facts"]["threshold"] if desk else None, *near,
                   "--agglomerative", *few)
        if posed:
            (runner.folder / f"motion_{name}.json").write_text(json.dumps(motion(posed)))


def reduced(runner, route, elsewhere, curve):
    """Section 4.4's cut part: fewer words instead of fewer nodes."""
    for count in REDUCED:
        out = runner.args.work / f"kitti00_{count}.words"
        if elsewhere and not out.exists() and not runner.args.write_only:
            runner.call("eval", "reduce", route, "--train", elsewhere, "--words", count, "--output", out)
        if out.exists():
            runner.run(f"reduced_{count}", "incremental", out, "--variants", "d1,d2b16-mean", "--curve-points", 50, *curve)


def first_frames(runner, words, count):
    """The beginning of a word file."""
    out = runner.args.work / f"{words.stem}_{count}.words"
    if not out.exists():
        with words.open() as lines:
            text, frames = [], 0
            for line in lines:
                frames += line.startswith("frame")
                if frames > count:
                    break
                text.append(line)
        out.write_text("".join(text))
    return out


def motion(words):
    """Median centimetres and degrees between consecutive frames of a word file."""
    poses = [[float(field) for field in line.split()[1:]] for line in words.open() if line.startswith("pose ")]
    moves, turns = [], []
    for a, b in zip(poses, poses[1:]):
        moves.append(100 * math.dist(a[3::4], b[3::4]))
        trace = sum(a[4 * i + j] * b[4 * i + j] for i in range(3) for j in range(3))
        turns.append(math.degrees(math.acos(max(-1, min(1, (trace - 1) / 2)))))
    return {"centimetres": statistics.median(moves), "degrees": statistics.median(turns)}


def oxford(runner, data, vocabulary, negative, tau, few):
    """Table 2's other half; the rendered street stands in where the datasets are absent."""
    names = [name for name in ("city_centre", "new_college") if (data / name).exists()]
    for name in names:
        words = runner.words(name, data / name, vocabulary, "--camera", "both")
        runner.run(f"oxford_{name}", "synthetic", words, "--negative", negative, "--threshold", tau,
                   "--variants", WITH_LISTS, *few)
    if not names:
        words = runner.words("demo", pathlib.Path("demo"), vocabulary)
        runner.run("oxford_demo", "synthetic", words, "--negative", negative, "--threshold", tau,
                   "--variants", WITH_LISTS, *few)


def pooling(runner):
    """Is there a threshold at which a pooled tree is worth having? The higher it is, the more a tree can skip."""
    quick = runner.args.quick
    for size, thresholds in PAYS.items():
        million = ["--million-words"] if size == "1m" else []
        for tau in thresholds:
            runner.run(f"pays_{size}_{tau}", "scale", *million, "--frames", 2000 if quick else 10000, "--threshold", tau, "--variants",
                       "d1,d2b2-max,d2b4-max,d2b16-max,d2b16-sum", "--stages", 2, "--queries", 10, "--passes", 1 if quick else 2)


def scaling(runner):
    quick = runner.args.quick
    for size in SIZES:
        million = ["--million-words"] if size == "1m" else []
        few = ["--queries", 5 if quick else 10, "--passes", 1 if quick else 2]
        runner.run(f"scale_{size}", "scale", *million, "--frames", 4000 if quick else 40000, "--variants", TABLE,
                   "--stages", 4, *few)
        if runner.args.long:
            runner.run(f"scale_{size}_long", "scale", *million, "--frames", 1000000, "--variants", "d1",
                       "--stages", 5, *few)


def retrieval(runner, data):
    passes = ["--passes", 1 if runner.args.quick else 3]
    ukbench = data / "ukbench1000"
    images = runner.words("ukbench1000", ukbench, "ukbench.voc", "--train", ukbench, "--depth", 5, "--features", "sift")
    runner.run("ukbench", "retrieval", images, *passes)
    holidays = data / "holidays"
    if (holidays / "siftgeo").exists():
        runner.run("holidays", "retrieval", "--holidays", holidays / "siftgeo", "--vocabulary",
                   holidays / "clust/clust_k100000.fvecs", *passes)


def main():
    import results  # needs what is above
    args = parse()
    runner = Runner(args)
    started = time.time()
    if args.words_only:
        for size in SIZES:
            word_files(runner, args.data, size)
        return
    for size in SIZES:
        driving(runner, args.data, size)
    scaling(runner)
    pooling(runner)
    every = ["--every", 8 if args.quick else 2, "--passes", 1 if args.quick else 3, "--curve-points", 8]
    runner.run("in_the_loop", "in-the-loop", trace_words(runner, args.data), "--exclude-recent", 100,
               "--variants", "d1,lists,d2b4-max,d2b16-max,d2b16-mean", *every)
    retrieval(runner, args.data)
    out = args.output or HERE / "RESULTS.md"
    out.write_text(results.page(runner.folder, args.data, args.quick, runner.failed, out.parent / "pictures"))
    print(f"wrote {out} after {(time.time() - started) / 60:.0f} minutes")
    shown = sorted(str(path.parent) for path in runner.folder.glob("*/metrics.json"))
    if shown and not args.write_only:
        runner.call("report", *shown, "--output", args.work / "report.html")


if __name__ == "__main__":
    main()
