# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The paper's experiments: what words they take, and how each is asked for."""
import json
import math
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {"10k": 4, "1m": 6}  # words, and the levels of their vocabulary
EXACT = "d1,d2b16-mean,d2b16-sum,d2b16-max"
WITH_LISTS = "d1,lists,d2b16-mean,d2b16-sum,d2b16-max"
MEANS = "d1,d2b4-mean,d2b8-mean,d2b16-mean"
TREES = "d1,d2b2-max,d2b4-max,d2b16-max,d2b16-sum"
SLACKS = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5)
# Thresholds, from all that share words to near copies.
PAYS = {"10k": (0.05, 0.3, 0.5), "1m": (0.005, 0.1, 0.3)}
REDUCED = (5000, 1000)  # words left of 10,000
EXCITING = ("xyz", "desk", "rpy")  # TUM's sequences, by how much the camera turns


# Words


def training(data, size):
    """Images to train on, none of KITTI 00. A million words need more descriptors than the driving
    excerpts have, so there the desk of TUM and ukbench's objects help out."""
    excerpts = data / "kitti_stereo_excerpts"
    paths = [excerpts / "02_left.mp4", excerpts / "10_left.mp4"]
    if size == "1m":
        paths += [excerpts / "02_right.mp4", excerpts / "10_right.mp4"]
        paths += [data / "tum_fr1_rpy", data / "ukbench1000"]
    chosen = [item for path in paths if path.exists() for item in ("--train", path)]
    return [*chosen, "--depth", SIZES[size]]


class Words:
    """The word files of one size of vocabulary; None for what is not here."""

    def __init__(self, runner, data, size):
        vocabulary, train = f"words_{size}.voc", training(data, size)
        excerpts = data / "kitti_stereo_excerpts"
        make = lambda name, source: runner.words(f"{name}_{size}", source, vocabulary, *train)
        self.excerpts = [make(f"kitti{n}", excerpts / f"{n}_left.mp4") for n in ("02", "10")]
        self.route = make("kitti00", data / "kitti00")
        self.tum = make("tum", data / "tum_fr1_rpy")
        self.left, self.right = stereo(data, size, self.route) if self.route else (None, None)
        self.drives = [path for path in (self.route, self.left, *self.excerpts) if path]


def idf(path):
    """The line with a word file's weights: what makes a vocabulary known."""
    with path.open() as lines:
        return next((line for line in lines if line.startswith("idf ")), None)


def stereo(data, size, route):
    """KITTI 05 by both cameras, words that came with the data; none where they are of another
    vocabulary than the route's."""
    files = [data / "kitti05_words" / f"{side}_{size}.words" for side in ("left", "right")]
    if not all(path.exists() and idf(path) == idf(route) for path in files):
        print(f"no words of KITTI 05 with the vocabulary of {route}")
        return None, None
    return files


def trace_words(runner, data):
    """Keyframes that a real ORB-SLAM2 gave its database."""
    trace, poses = data / "orbslam2/kitti00_mono.trace.gz", data / "kitti00/poses.txt"
    out = runner.work / "kitti00_keyframes.words"
    if not (trace.exists() and poses.exists()):
        return None
    if not out.exists() and not runner.write_only:
        subprocess.run([sys.executable, HERE / "trace_to_words.py", trace, poses, out], check=True)
    return out if out.exists() else None


def first_frames(runner, words, count):
    """The beginning of a word file."""
    out = runner.work / f"{words.stem}_{count}.words"
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
    with words.open() as lines:
        poses = [[float(field) for field in line.split()[1:]]
                 for line in lines if line.startswith("pose ")]
    moves, turns = [], []
    for a, b in zip(poses, poses[1:]):
        moves.append(100 * math.dist(a[3::4], b[3::4]))
        trace = sum(a[4 * i + j] * b[4 * i + j] for i in range(3) for j in range(3))
        turns.append(math.degrees(math.acos(max(-1, min(1, (trace - 1) / 2)))))
    return {"centimetres": statistics.median(moves), "degrees": statistics.median(turns)}


# Experiments


def driving(runner, words, size, tau):
    """What is measured on KITTI with either vocabulary."""
    few = ["--stages", 4, "--queries", runner.few(10, 40), "--passes", runner.few(1, 2)]
    ask = ["--threshold", tau, "--variants", WITH_LISTS, *few]
    runner.run(f"table1_05_{size}", "synthetic", words.left, "--right", words.right,
               "--negative", words.route, *ask)
    runner.run(f"table1_00_{size}", "synthetic", words.route, "--negative", words.left, *ask)
    runner.run(f"joined_{size}", "synthetic", *words.drives, "--negative", words.tum, *ask)
    # A curve that is measured point by point loses area between its points: with 20 of them, 0.03.
    curve = ["--variants", MEANS, "--every", runner.few(60, 10), "--passes", 0,
             "--curve-points", runner.few(10, 100)]
    runner.run(f"curves_{size}", "incremental", words.route, *curve)
    runner.run(f"curves_05_{size}", "incremental", words.left, *curve)
    timed = ["--threshold", tau, "--every", runner.few(60, 10), "--passes", runner.few(1, 2)]
    runner.run(f"sweep_{size}", "sweep", words.route, "--curve-points", runner.few(5, 10), *timed)
    slacks = ",".join(["d1", "d2b16-mean", *(f"d2b16-mean@{slack}" for slack in SLACKS)])
    runner.run(f"slack_{size}", "incremental", words.route, "--variants", slacks,
               "--curve-points", 2, *timed)
    stream = "stream:4541" if size == "10k" else "stream-1m:4541"
    runner.run(f"statistics_{size}", "statistics", words.route, stream,
               "--sample", runner.few(20, 80))


def fabmap(runner, data, words):
    """The rival of the introduction, where frames lie 0.8 m apart and where they are places of
    their own."""
    often = ["--every", runner.few(60, 5), "--passes", 1, "--curve-points", runner.few(10, 50)]
    train = ["--train", words.left, "--train-every", 10]
    runner.run("fabmap_kitti00", "incremental", words.route, "--variants",
               "d1,d2b16-mean,fabmap", *train, "--same-place", 10, *often)
    runner.run("fabmap_kitti00_frames", "incremental", words.route, "--variants", "d1,fabmap",
               *train, *often)
    corridor = runner.words("corridor", data / "rtabmap_corridor", "words_10k.voc")
    runner.run("corridor", "incremental", corridor, "--variants",
               "d1,d2b16-mean,d2b16-sum,d2b16-max,fabmap", "--train", words.tum,
               "--same-place", 1, "--exclude-recent", 20, "--passes", runner.few(1, 3))


def groups(runner, data, route, tau):
    """Section 4.4 and the abstract: regular groups beside adaptive and agglomerative ones."""
    few = ["--agglomerative", "--trials", runner.few(2, 3), "--queries", runner.few(20, 100),
           "--passes", runner.few(1, 2)]
    runner.run("adaptive_kitti00", "adaptive", route, "--threshold", tau, *few)
    # Groups by pose put both passes of a street together, which nobody can who has not found the
    # loop yet: here is none.
    runner.run("adaptive_once", "adaptive", first_frames(runner, route, 1500), "--threshold", tau,
               *few)
    for name in EXCITING:
        posed = runner.words(f"tum_{name}_posed", data / f"tum_fr1_{name}", "words_10k.voc",
                             "--only-posed")
        # Nearly everything on a desk reaches the threshold of a street: it gets its own, by the
        # same policy.
        near = ["--distance", 0.3, "--angle", 30]
        desk = runner.run(f"threshold_tum_{name}", "threshold", posed, "--exclude-recent", 30,
                          *near)
        runner.run(f"adaptive_tum_{name}", "adaptive", posed, "--threshold",
                   desk["facts"]["threshold"] if desk else None, *near, *few)
        if posed:
            (runner.folder / f"motion_{name}.json").write_text(json.dumps(motion(posed)))


def reduced(runner, route, elsewhere):
    """Section 4.4's cut part: fewer words instead of fewer nodes."""
    if not elsewhere:
        return
    for count in REDUCED:
        out = runner.make(runner.work / f"kitti00_{count}.words", "eval", "reduce", route,
                          "--train", elsewhere, "--words", count)
        runner.run(f"reduced_{count}", "incremental", out, "--variants", "d1,d2b16-mean",
                   "--curve-points", runner.few(10, 50), "--every", runner.few(60, 10),
                   "--passes", runner.few(1, 2))


def keyframes(runner, data, words, tau):
    """Table 2; the rendered street stands in where Oxford's datasets are absent."""
    few = ["--threshold", tau, "--stages", 4, "--queries", runner.few(10, 40),
           "--passes", runner.few(1, 2)]
    runner.run("keyframes", "keyframes", words.route, "--negative", words.left, "--variants",
               EXACT, *few)
    names = [name for name in ("city_centre", "new_college") if (data / name).exists()]
    for name in names or ["demo"]:
        source = data / name if names else pathlib.Path("demo")
        both = ["--camera", "both"] if names else []
        asked = runner.words(name, source, "words_10k.voc", *both)
        runner.run(f"oxford_{name}", "synthetic", asked, "--negative", words.route, "--variants",
                   WITH_LISTS, *few)


def pooling(runner):
    """Is there a threshold at which a pooled tree is worth having? The higher it is, the more a
    tree can skip."""
    for size, thresholds in PAYS.items():
        million = ["--million-words"] if size == "1m" else []
        for tau in thresholds:
            runner.run(f"pays_{size}_{tau}", "scale", *million, "--frames",
                       runner.few(2000, 10000), "--threshold", tau, "--variants", TREES,
                       "--stages", 2, "--queries", 10, "--passes", runner.few(1, 2))


def scaling(runner, long):
    for size in SIZES:
        million = ["--million-words"] if size == "1m" else []
        few = ["--queries", runner.few(5, 10), "--passes", runner.few(1, 2)]
        runner.run(f"scale_{size}", "scale", *million, "--frames", runner.few(4000, 40000),
                   "--variants", EXACT, "--stages", 4, *few)
        if long:
            runner.run(f"scale_{size}_long", "scale", *million, "--frames", 1000000,
                       "--variants", "d1", "--stages", 5, *few)


def retrieval(runner, data):
    passes = ["--passes", runner.few(1, 3)]
    ukbench = data / "ukbench1000"
    images = runner.words("ukbench1000", ukbench, "ukbench.voc", "--train", ukbench, "--depth", 5,
                          "--features", "sift")
    runner.run("ukbench", "retrieval", images, *passes)
    holidays = data / "holidays"
    if (holidays / "siftgeo").exists():
        runner.run("holidays", "retrieval", "--holidays", holidays / "siftgeo", "--vocabulary",
                   holidays / "clust/clust_k100000.fvecs", *passes)


def all_of_them(runner, data, long):
    for size in SIZES:
        words = Words(runner, data, size)
        if not words.route:
            continue
        policy = runner.run(f"threshold_{size}", "threshold", *words.drives)
        tau = policy["facts"]["threshold"] if policy else None
        driving(runner, words, size, tau)
        if size == "10k":
            fabmap(runner, data, words)
            groups(runner, data, words.route, tau)
            reduced(runner, words.route, words.left)
            keyframes(runner, data, words, tau)
    scaling(runner, long)
    pooling(runner)
    runner.run("in_the_loop", "in-the-loop", trace_words(runner, data), "--exclude-recent", 100,
               "--variants", "d1,lists,d2b4-max,d2b16-max,d2b16-mean", "--every",
               runner.few(8, 2), "--passes", runner.few(1, 3), "--curve-points", 8)
    retrieval(runner, data)
