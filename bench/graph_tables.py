#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""graph_tables.py BUILD [options]: measures the tables of docs/graph.md and prints them.

BUILD is a build folder with the command line and the benches, build/release say. What programs
print is kept below --work and not made again; delete that folder to measure anew. Rows whose data
is absent are left out, and named.
"""
import argparse
import csv
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

FR1_CAMERA = ("517.3", "516.5", "318.6", "255.3")
FR1_LENS = "0.2624,-0.9531,-0.0054,0.0026,1.1633"

HERE = pathlib.Path(__file__).resolve().parent


class Programs:
    """Runs the programs of a build, each command once."""

    def __init__(self, build, work):
        self.build = build
        self.work = work
        work.mkdir(parents=True, exist_ok=True)

    def output(self, name, program, *arguments):
        """What the program prints; kept as NAME.txt."""
        kept = self.work / f"{name}.txt"
        if kept.exists():
            return kept.read_text()
        command = [str(self.build / program), *map(str, arguments)]
        print("$", " ".join(command), file=sys.stderr, flush=True)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        kept.write_text(done.stdout)
        return done.stdout

    def detect(self, name, sequence, *options):
        """What `looptree detect` prints, and the run folder."""
        run = self.work / name
        if not (self.work / f"{name}.txt").exists():
            shutil.rmtree(run, ignore_errors=True)
        return self.output(name, "looptree", "detect", sequence, "-o", run, *options), run


def closure_row(title, text):
    """A row of the table of closures, from the summary of a detection."""
    of = re.search(r"(\d+) of (\d+) closures with length", text)
    error = re.search(r"median and p90: ([\d.]+) and ([\d.]+) m, ([\d.]+)% and ([\d.]+)% of the "
                      r"distance, ([\d.]+) and ([\d.]+) degrees", text)
    chi = re.search(r"say: ([\d.]+) by the median, ([\d.]+) by the mean", text)
    if not (of and error and chi):
        raise SystemExit(f"error: expected closures with length in the run of {title}, found:\n{text}")
    metres, far, part, _, degrees, turned = error.groups()
    return (f"| {title} | {of[1]} of {of[2]} | {metres}, {far} | {part}% | {degrees}, {turned} "
            f"| {chi[1]}, {chi[2]} |")


def closures(programs, data):
    rows = [("demo world, two cameras", "stereo", "demo:stereo", ()),
            ("demo world, depth images", "depth", "demo:depth", ()),
            ("demo world, one camera, odometry with 0.1 degrees per square root of a metre, 1% too "
             "long", "odometry", "demo",
             ("--drift", "--drift-rotation", "0.1", "--drift-scale", "0.01")),
            ("TUM fr1_desk, depth images of every sixth frame", "desk", data / "tum_fr1_desk",
             ("--calibration", *FR1_CAMERA, "--distortion", FR1_LENS))]
    print("| | closures with length | median, p90, metres | of the distance | degrees "
          "| chi-square, median and mean |\n|---|---|---|---|---|---|")
    for title, name, sequence, options in rows:
        if isinstance(sequence, pathlib.Path) and not sequence.exists():
            print(f"not measured, {sequence} is absent: {title}", file=sys.stderr)
            continue
        print(closure_row(title, programs.detect(name, sequence, *options)[0]), flush=True)


def link_part(world, part, names):
    """A folder of some frames of a sequence in KITTI's layout, from the first one on."""
    shutil.rmtree(part, ignore_errors=True)
    for camera in ("image_0", "image_1"):
        (part / camera).mkdir(parents=True)
        for name in names:
            (part / camera / name).symlink_to((world / camera / name).resolve())
    for file in ("poses.txt", "times.txt"):
        lines = (world / file).read_text().splitlines(keepends=True)
        (part / file).write_text("".join(lines[:len(names)]))
    shutil.copy(world / "calib.txt", part)


def rotation_of(x, y, z, w):
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def error_of(row, truth):
    """Of a line of `looptree query --csv --pose`: x, y, z and the rotation vector, in the frame of
    the camera that was found, as `information` weighs them."""
    found = rotation_of(*(float(row[key]) for key in ("qx", "qy", "qz", "qw")))
    way = [truth[4 * i + 3] - float(row[key]) for i, key in enumerate(("tx", "ty", "tz"))]
    moved = [sum(found[k][i] * way[k] for k in range(3)) for i in range(3)]
    turn = [[sum(found[k][i] * truth[4 * k + j] for k in range(3)) for j in range(3)]
            for i in range(3)]
    axis = [turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]]
    sine = math.hypot(*axis) / 2
    angle = math.atan2(sine, (turn[0][0] + turn[1][1] + turn[2][2] - 1) / 2)
    scale = angle / (2 * sine) if sine > 1e-12 else 0.5
    return moved + [scale * a for a in axis]


def squared_error(error, triangle):
    information = [[0.0] * 6 for _ in range(6)]
    numbers = iter(map(float, triangle.split()))
    for i in range(6):
        for j in range(i, 6):
            information[i][j] = information[j][i] = next(numbers)
    return sum(error[i] * information[i][j] * error[j] for i in range(6) for j in range(6))


def quantile(values, part):
    return sorted(values)[int(part * (len(values) - 1))]


def relocalisation(programs):
    """The first round of the demo's block is the map; frames of the second one are lost in it."""
    world = programs.work / "world"
    programs.output("world-written", "looptree", "world", world, "--baseline", "0.5")
    map_file = programs.work / "block.map"
    names = sorted(path.name for path in (world / "image_0").iterdir())
    if not map_file.exists():
        link_part(world, programs.work / "first-round", names[:200])
    programs.detect("first-round-run", programs.work / "first-round", "--map", map_file)
    camera = (world / "calib.txt").read_text().splitlines()[0].split()[1:]
    calibration = (camera[0], camera[5], camera[2], camera[6])
    lost = [f"{world}/image_0/{name}" for name in names[205:345]]
    text = programs.output("lost", "looptree", "query", map_file, *lost, "--calibration",
                           *calibration, "--pose", "--csv")
    truths = [list(map(float, line.split())) for line in (world / "poses.txt").open()]
    metres, degrees, squared = [], [], []
    for row in csv.DictReader(text.splitlines()):
        if row["rank"] != "1" or not row["tx"]:
            continue
        error = error_of(row, truths[int(pathlib.Path(row["image"]).stem)])
        metres.append(math.hypot(*error[:3]))
        degrees.append(math.degrees(math.hypot(*error[3:])))
        squared.append(squared_error(error, row["information"]))
    print("| lost images with a pose | median, p90, metres | degrees | chi-square, median and mean "
          "|\n|---|---|---|---|")
    print(f"| {len(metres)} of {len(lost)} | {quantile(metres, .5):.3f}, {quantile(metres, .9):.3f} "
          f"| {quantile(degrees, .5):.3f}, {quantile(degrees, .9):.3f} "
          f"| {quantile(squared, .5) / 5.348:.2f}, {sum(squared) / len(squared) / 6:.2f} |",
          flush=True)


DRIFT_LINE = re.compile(r"(.*): (\d+) of (\d+) closures with length \(median error ([\d.]+) m, "
                        r"([\d.]+) degrees\), (\d+) agree; absolute error ([\d.]+) m before, "
                        r"([\d.]+) m after, a factor of [\d.]+; with exact closures ([\d.]+) m")


def kitti(programs, data):
    sequence = data / "kitti00"
    keyframes = data / "orbslam2/kitti00_mono.keyframes.tum"
    if not sequence.exists() or not keyframes.exists():
        print(f"not measured, {sequence} or {keyframes} is absent: drift on KITTI 00",
              file=sys.stderr)
        return
    _, run = programs.detect("kitti00", sequence)
    text = programs.output("drift", "bench/drift_bench", sequence, run, 2)
    levels = {}
    for name, length, of, metres, degrees, agree, before, after, least in DRIFT_LINE.findall(text):
        level = re.search(r"of ([\d.]+) degrees", name)[1]
        levels.setdefault(level, []).append(f"{before}, {after}, {least}")
        print(f"{name}: {length} of {of} closures, {metres} m, {degrees} degrees, {agree} agree",
              file=sys.stderr)
    seeds = range(1, 6)
    print("| drift, degrees per square root of a metre | " +
          " | ".join(f"seed {seed}" for seed in seeds) + " |\n|---|" + "---|" * len(seeds))
    for level, cells in levels.items():
        print(f"| {level} | " + " | ".join(cells) + " |")
    print()
    print(programs.output("keyframes", "bench/drift_bench", sequence, run, 1, keyframes), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    tables = ("closures", "relocalisation", "kitti", "time")
    data = os.environ.get("LOOPTREE_DATA", HERE.parents[1] / "shared/data")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(data))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("runs/graph"))
    parser.add_argument("--tables", nargs="+", choices=tables, default=tables)
    args = parser.parse_args()
    programs = Programs(args.build, args.work)
    if "closures" in args.tables:
        closures(programs, args.data)
        print()
    if "relocalisation" in args.tables:
        relocalisation(programs)
        print()
    if "kitti" in args.tables:
        kitti(programs, args.data)
    if "time" in args.tables:
        print(programs.output("time", "bench/graph_bench"), end="")


if __name__ == "__main__":
    main()
