# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Where frames come from: images, files of words, or an object of the user's own."""
from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Protocol, Tuple

import numpy as np
import numpy.typing as npt

import looptree

from .folder import Fleet, Source, Words


class Frames(Protocol):
    """What a source of the user's own returns: the frames of a drive by their numbers, which count
    from 0. frames() gives a NewFrame for each number asked for, or None for one without words."""

    def __len__(self) -> int: ...

    def frames(self, numbers: npt.NDArray[np.int64]) -> Iterator[Optional[looptree.NewFrame]]: ...


@dataclass(frozen=True)
class Described:
    frames: int
    calibration: Optional[Tuple[float, ...]] = None
    lens: str = ""


def describe(source: Source, words: Words) -> Described:
    """How long a drive is, and its camera. Throws for what cannot be read."""
    if source.kind == "images":
        if words.is_own:
            raise looptree.InvalidArgumentError(
                "expected a source of words for a fleet of words of your own, found images")
        sequence = _open(source)
        camera = sequence.calibration
        if camera is None:
            return Described(len(sequence))
        numbers = (camera.fx, camera.fy, camera.cx, camera.cy, *camera.distortion)
        return Described(len(sequence), numbers, camera.lens)
    return Described(len(_frames(source)))


def frames_of(source: Source, fleet: Fleet,
              numbers: npt.NDArray[np.int64]) -> Iterator[Optional[looptree.NewFrame]]:
    """A NewFrame for each number, or None for a frame without words."""
    if source.kind == "images":
        return _described(source, fleet, numbers)
    return _frames(source).frames(numbers)


def _open(source: Source) -> looptree.Sequence:
    camera: Any = source.camera
    return looptree.open_sequence(source.path, format=source.format, camera=camera,
                                  topic=source.topic)


def _described(source: Source, fleet: Fleet,
               numbers: npt.NDArray[np.int64]) -> Iterator[Optional[looptree.NewFrame]]:
    sequence = _open(source)
    vocabulary = fleet.vocabulary()
    extractor = looptree.FeatureExtractor(fleet.words.features)
    for number in numbers.tolist():
        try:
            frame = sequence[number]
        except looptree.CorruptionError:
            yield None  # an image that cannot be read; the shard names it
            continue
        features = extractor.extract(frame.image)
        histogram = vocabulary.histogram(features.descriptors) if len(features) else None
        yield looptree.NewFrame(histogram, time_s=frame.time_s, pose=frame.pose, name=frame.name,
                                features=features, number=number) if histogram else None


class _WordFile:
    """A file of words, docs/formats/words.md."""

    def __init__(self, path: str) -> None:
        self._words = looptree.read_words(path)
        self._weights = self._words.word_weights

    def __len__(self) -> int:
        return len(self._words)

    def frames(self, numbers: npt.NDArray[np.int64]) -> Iterator[Optional[looptree.NewFrame]]:
        poses = self._words.poses
        known = [] if len(self._weights) else self._words.histograms()
        for number in numbers.tolist():
            histogram = known[number] if known else looptree.make_histogram(
                self._words.words(number), self._weights)
            pose = None if poses is None else poses[number]
            yield looptree.NewFrame(histogram, pose=pose, number=number) if histogram else None


class _Stream:
    """A piece of the made-up drive, "seed,first,frames": what bench/fleet.py measures with."""

    def __init__(self, argument: str) -> None:
        seed, self._first, self._frames = (int(each) for each in argument.split(","))
        self._stream = looptree.WordStream(seed=seed)

    def __len__(self) -> int:
        return self._frames

    def frames(self, numbers: npt.NDArray[np.int64]) -> Iterator[Optional[looptree.NewFrame]]:
        for number in numbers.tolist():
            at = self._first + number
            yield looptree.NewFrame(self._stream.histograms(at, at + 1)[0], number=number)


def stream(argument: str) -> Frames:
    return _Stream(argument)


def _frames(source: Source) -> Frames:
    if source.kind == "words":
        return _WordFile(source.path)
    if source.kind != "python":
        raise looptree.InvalidArgumentError(
            f"expected a source of images, words or python, found '{source.kind}'")
    module, _, function = source.path.partition(":")
    try:
        make = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise looptree.NotFoundError(
            f"expected a function '{source.path}' that makes the frames of a drive, found: {error}; "
            "the module must be importable on every worker") from None
    frames: Frames = make(source.argument)
    return frames
