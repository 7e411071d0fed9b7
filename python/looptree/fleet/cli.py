# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""looptree-fleet: the command."""
from __future__ import annotations

import argparse
import contextlib
import pathlib
import sys
import tempfile
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

import numpy as np

import looptree

from . import (Closed, Closing, Engine, Fleet, FleetMatch, InProcess, Source, build, close, export,
               plan, query)

_INTRODUCTION = """\
Many drives, many machines: every loop between every pair of drives.

A fleet is a folder that all machines see, with one map for each drive or piece of one:

  looptree-fleet create /fleet                       features and vocabulary come with looptree
  looptree-fleet add /fleet monday /images/monday    a drive: a folder of images, KITTI, a video, ...
  looptree-fleet add /fleet tuesday /images/tuesday
  looptree-fleet build /fleet --workers 8            images to maps, on 8 processes of this machine
  looptree-fleet close /fleet --workers 8            all loops: closures.db, closures.csv, runs/
  looptree optimize /fleet/runs/monday /fleet/runs/tuesday --odometry m.txt --odometry t.txt
  looptree-fleet grow /fleet friday /images/friday   a new drive: added, built, closed with the rest
  looptree-fleet query /fleet image.png              where in the whole fleet was this?

Whatever is finished stays finished: a command that broke off goes on where it was, when it is given
again. --workers N runs N processes here; --scheduler tcp://HOST:8786 uses the workers of a scheduler
of Dask, on as many machines as it has; without either the command works alone. docs/fleet.md has all
of it, step by step.
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        return 0
    except looptree.Error as error:
        print(f"error: {error}", file=sys.stderr)
    except (ImportError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nstopped; give the same command again to go on", file=sys.stderr)
    return 1


def _at_least(least: int, kind: Callable[[str], Any] = int) -> Callable[[str], Any]:
    def number(text: str) -> Any:
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"expected at least {least}, found {text}")
        return value
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="looptree-fleet", description=_INTRODUCTION,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=looptree.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Any, text: str, fleet: bool = True) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(run=run)
        if fleet:
            added.add_argument("fleet", help="the folder of the fleet")
        return added

    create = command("create", _create, "make a new fleet")
    create.add_argument("--features", default="learned", help="what images are described by, one of "
                        f"{', '.join(looptree.box_vocabularies())} (default %(default)s)")
    create.add_argument("--vocabulary", help="a vocabulary of these features, instead of the one "
                        "that comes with looptree")
    create.add_argument("--words", type=_at_least(1), help="no images: words of your own, so many")
    create.add_argument("--weights", help="of these words, as a file of numpy (.npy)")
    _drive_options(command("add", _add, "enter a drive; build then makes its maps"))
    _engine_options(command("build", _build, "make the maps that are not there yet"))
    closing = command("close", _close, "find all loops between all drives, and within each")
    growing = command("grow", _grow, "add a drive, build it and close it with the rest")
    _drive_options(growing)
    for each in (closing, growing):
        _closing_options(each)
        _engine_options(each)
    asking = command("query", _query, "where in the fleet was an image taken?")
    asking.add_argument("images", nargs="+", help="images; or a file of words of a fleet of words")
    asking.add_argument("--top-k", type=_at_least(1), default=10, help="(default %(default)s)")
    asking.add_argument("--threshold", type=float, default=0.0, help="of the score, 0 to 1")
    _partial_option(asking)
    _engine_options(asking)
    command("remove", _remove, "remove a drive, its maps and its closures").add_argument("drive")
    command("show", _show, "the drives of a fleet, and what is built")
    planning = command("plan", _plan, "what a fleet of a size needs, measured on this machine",
                       fleet=False)
    planning.add_argument("--frames", type=_at_least(1, float), required=True, help="of the fleet, 1e8 say")
    planning.add_argument("--words", type=_at_least(1, float), default=1e4, help="of the vocabulary; above 1e5 "
                          "that of a million words is measured (default 1e4)")
    planning.add_argument("--keyframes", type=_at_least(1), default=10, metavar="N",
                          help="each so many-th frame is a keyframe (default %(default)s)")
    planning.add_argument("--machines", type=_at_least(1), default=10, help="(default %(default)s)")
    planning.add_argument("--cores", type=_at_least(1), default=16, help="of each (default %(default)s)")
    planning.add_argument("--features", default="learned", help="(default %(default)s)")
    planning.add_argument("--sample", type=_at_least(1000), default=50_000,
                          help="frames to measure queries over (default %(default)s)")
    return parser


def _drive_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("drive", help="a name for it")
    parser.add_argument("source", help="a sequence of images as looptree detect takes it; a file "
                        ".words; or module:function, Python of your own (--kind python)")
    parser.add_argument("--kind", choices=("images", "words", "python"))
    parser.add_argument("--argument", default="", help="what module:function is called with")
    parser.add_argument("--format", default="", help="of the images, where it cannot be told")
    parser.add_argument("--camera", default="left", choices=("left", "right"))
    parser.add_argument("--topic", default="", help="of a bag of ROS")
    parser.add_argument("--every", type=_at_least(1), default=1, metavar="N",
                        help="keep each so many-th frame (default all)")
    parser.add_argument("--piece", type=_at_least(1), default=100_000, metavar="N",
                        help="cut the drive into shards of so many frames (default %(default)s)")
    parser.add_argument("--overlap", type=_at_least(0), default=20, metavar="N",
                        help="of shards, in frames; counted once (default %(default)s)")


def _closing_options(parser: argparse.ArgumentParser) -> None:
    usual = Closing()
    parser.add_argument("--ask-every", type=_at_least(1), default=usual.every, metavar="N",
                        help="ask each so many-th of the frames that are kept (default all)")
    parser.add_argument("--recent", type=_at_least(0), default=usual.recent, metavar="N", help="frames of the "
                        "own drive before a frame that are no loops (default %(default)s)")
    parser.add_argument("--no-verify", action="store_true", help="believe what several queries in a "
                        "row point to, without geometry")
    parser.add_argument("--depth-from-odometry", action="store_true", help="the poses of the drives "
                        "are odometry, and give closures a length")
    _partial_option(parser)


def _partial_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--partial", action="store_true", help="go on without shards that are "
                        "missing or damaged, and name them")


def _engine_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--workers", type=_at_least(0), metavar="N", help="processes on this machine (Dask)")
    group.add_argument("--scheduler", metavar="ADDRESS", help="of Dask, tcp://host:8786")
    parser.add_argument("--batch", type=_at_least(1), default=256, metavar="N",
                        help="frames that are asked together (default %(default)s)")


@contextlib.contextmanager
def _engine(options: argparse.Namespace) -> Iterator[Engine]:
    if not (options.workers or options.scheduler):
        yield InProcess()
        return
    from .on_dask import OnDask
    started = (OnDask.local(options.workers) if options.workers
               else OnDask.connect(options.scheduler))
    with started as engine:
        if engine.dashboard:
            print(f"dashboard: {engine.dashboard}", file=sys.stderr)
        yield engine


class _Progress:
    """One line for each stage, rewritten on a terminal, and printed at its end elsewhere."""

    def __init__(self) -> None:
        self._begin: Dict[str, float] = {}

    def __call__(self, stage: str, done: int, of: int) -> None:
        if of == 0:
            return
        seconds = time.monotonic() - self._begin.setdefault(stage, time.monotonic())
        line = f"{stage:<10} {done:>6}/{of}  {seconds:7.1f} s"
        if done == of:
            print(f"\r{line}" if sys.stderr.isatty() else line, file=sys.stderr)
        elif sys.stderr.isatty():
            print(f"\r{line}", end="", file=sys.stderr, flush=True)


def _create(options: argparse.Namespace) -> None:
    if options.words:
        weights = _weights(options.weights) if options.weights else None
        made = Fleet.create(options.fleet, options.words, word_weights=weights)
    else:
        given = looptree.Vocabulary.load(options.vocabulary) if options.vocabulary else None
        made = Fleet.create(options.fleet, given, features=options.features)
    print(f"a fleet of {made.words.number:,} words in {made.path}")


def _weights(file: str) -> Any:
    try:
        return np.load(file)
    except (OSError, ValueError, EOFError) as error:
        raise looptree.InvalidArgumentError(
            f"{file}: expected an array of numpy, one weight for each word, found: {error}") from None


def _source(options: argparse.Namespace) -> Source:
    kind = options.kind or ("words" if options.source.endswith(".words") else "images")
    return Source(kind, options.source, options.argument, options.format, options.camera,
                  options.topic)


def _add(options: argparse.Namespace) -> None:
    drive = Fleet.open(options.fleet).add(options.drive, _source(options), piece=options.piece,
                                          overlap=options.overlap, every=options.every)
    shards = len(drive.shards())
    print(f"{drive.name}: {drive.frames:,} frames in {shards} shard{'s' * (shards != 1)}")


def _build(options: argparse.Namespace) -> None:
    fleet = Fleet.open(options.fleet)
    with _engine(options) as engine:
        made = build(fleet, engine, progress=_Progress())
    print(f"{made} shard{'s' * (made != 1)} built, {len(fleet.shards())} in all")


def _close(options: argparse.Namespace) -> None:
    with _engine(options) as engine:
        _close_on(engine, options)


def _close_on(engine: Engine, options: argparse.Namespace) -> None:
    fleet = Fleet.open(options.fleet)
    closing = Closing(every=options.ask_every, recent=options.recent, verify=not options.no_verify,
                      depth_from_odometry=options.depth_from_odometry)
    closed = close(fleet, engine, closing, partial=options.partial, batch=options.batch,
                   progress=_Progress())
    export(fleet, closed)
    _print_closed(fleet, closed)


def _print_closed(fleet: Fleet, closed: Closed) -> None:
    pairs: Dict[str, int] = {}
    for query_id, match_id in zip(closed.queries.tolist(), closed.matches.tolist()):
        pair = f"{fleet.frame(query_id)[0]} sees {fleet.frame(match_id)[0]} again"
        pairs[pair] = pairs.get(pair, 0) + 1
    for pair, count in pairs.items():
        print(f"{count:>8,}  {pair}")
    for reason in closed.missing:
        print(f"missing: {reason}", file=sys.stderr)
    print(f"{len(closed):,} closures, in {fleet.path}: closures.db, closures.csv, runs/")


def _grow(options: argparse.Namespace) -> None:
    _add(options)
    with _engine(options) as engine:
        build(Fleet.open(options.fleet), engine, progress=_Progress())
        _close_on(engine, options)


def _query(options: argparse.Namespace) -> None:
    fleet = Fleet.open(options.fleet)
    names, histograms = _histograms(fleet, options.images)
    with _engine(options) as engine:
        found = query(fleet, histograms, engine, top_k=options.top_k, threshold=options.threshold,
                      partial=options.partial, batch=options.batch)
    for name, matches in zip(names, found.matches):
        for match in matches:
            print(f"{name}  {match.score:.6f}  {match.drive}  frame {match.number}")
        if not matches:
            print(f"{name}  seen nowhere")
    for reason in found.missing:
        print(f"missing: {reason}", file=sys.stderr)


def _histograms(fleet: Fleet, images: Sequence[str]) -> Any:
    if fleet.words.is_own:
        rows = [(f"{file}:{i}", histogram) for file in images
                for i, histogram in enumerate(looptree.read_words(file).histograms())]
        return [name for name, _ in rows], [histogram for _, histogram in rows]
    vocabulary = fleet.vocabulary()
    extractor = looptree.FeatureExtractor(fleet.words.features)
    histograms: List[looptree.Histogram] = []
    for image in images:
        features = extractor.extract(looptree.read_image(image))
        if not len(features):
            raise looptree.InvalidArgumentError(
                f"{image}: expected an image with something to see, found no features")
        histograms.append(vocabulary.histogram(features.descriptors))
    return list(images), histograms


def _remove(options: argparse.Namespace) -> None:
    Fleet.open(options.fleet).remove(options.drive)
    print(f"{options.drive} is removed; close again for the closures of the rest")


def _show(options: argparse.Namespace) -> None:
    fleet = Fleet.open(options.fleet)
    kind = "words of your own" if fleet.words.is_own else f"{fleet.words.features} features"
    print(f"{fleet.path}: {fleet.words.number:,} words, {kind}")
    for drive in fleet.drives:
        built = sum(fleet.is_built(shard) for shard in drive.shards())
        print(f"  {drive.name:<20} {drive.frames:>12,} frames  {built}/{len(drive.shards())} shards "
              f"built  {drive.source.path}")


def _plan(options: argparse.Namespace) -> None:
    measured = plan.measure(int(options.words), options.sample, options.features,
                            pathlib.Path(tempfile.gettempdir()))
    wanted = plan.Wanted(options.frames, options.keyframes, options.machines, options.cores)
    print(plan.describe(wanted, measured), end="")


if __name__ == "__main__":
    sys.exit(main())
