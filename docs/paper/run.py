#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""run.py LOOPTREE [options]: repeats the paper's experiments and writes RESULTS.md.

Runs all that the data allows. Vocabularies, word files and results are kept (--work, default
runs/paper) and not made again: after a change, --again 'sweep*' measures those anew. --only
'threshold*,sweep*' runs these and takes the rest as earlier runs left it (most need a threshold).
--quick asks fewer queries, to try it out, and keeps its results apart; --long adds drives of a
million frames; --write-only runs nothing and writes down what earlier runs left.
"""
import argparse
import os
import pathlib
import time

import experiments
import page
from runner import Runner

HERE = pathlib.Path(__file__).resolve().parent


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    data = os.environ.get("LOOPTREE_DATA", HERE.parents[2] / "shared/data")
    parser.add_argument("looptree", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(data))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("runs/paper"))
    parser.add_argument("-o", "--output", type=pathlib.Path,
                        help="where to write; without it RESULTS.md beside this script")
    parser.add_argument("--again", default="", metavar="PATTERN",
                        help="measure these anew, '*' for all")
    parser.add_argument("--only", default="*", metavar="PATTERNS",
                        help="run these alone, with commas")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--write-only", action="store_true")
    parser.add_argument("--words-only", action="store_true",
                        help="make the word files of the drives, and measure nothing")
    return parser.parse_args()


def main():
    args = parse()
    runner = Runner(args.looptree, args.work, args.quick, args.again, args.only, args.write_only)
    if args.words_only:
        for size in experiments.SIZES:
            experiments.Words(runner, args.data, size)
        return
    started = time.time()
    experiments.all_of_them(runner, args.data, args.long)
    out = args.output or HERE / "RESULTS.md"
    out.write_text(page.page(runner, args.data, out.parent / "pictures"))
    print(f"wrote {out} after {(time.time() - started) / 60:.0f} minutes")
    shown = sorted(str(path.parent) for path in runner.folder.glob("*/metrics.json"))
    if shown and not args.write_only:
        runner.call("report", *shown, "--output", args.work / "report.html")


if __name__ == "__main__":
    main()
