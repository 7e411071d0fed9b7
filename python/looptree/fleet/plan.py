# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""What a fleet of a size needs, from figures measured on the machine this runs on."""
from __future__ import annotations

import pathlib
import tempfile
import time
from dataclasses import dataclass
from typing import Any, Callable, List

import numpy as np

import looptree


@dataclass(frozen=True)
class Measured:
    """Of one frame, on one core of this machine."""

    words: int  # of the vocabulary that was measured with
    sample: int  # frames that the query was measured over
    extract_s: float  # image to features and words
    insert_s: float  # into a map on disk
    query_s: float  # per million frames that are asked, the best 100
    verify_s: float  # of the candidates of a frame, 8 of them, 7 refused at first sight
    index_bytes: float  # mapped
    map_bytes: float  # on disk, without the snapshot, which is as large as the index
    features_bytes: float  # on disk, of these


@dataclass(frozen=True)
class Wanted:
    frames: float
    keyframes_every: int = 10  # of the frames, each so many-th is asked in close
    machines: int = 10
    cores: int = 16


def measure(words: int, sample: int, features: str, folder: pathlib.Path) -> Measured:
    """Takes about a minute for a sample of 50,000 frames."""
    stream = looptree.WordStream(million=words > 100_000)
    insert_s, map_bytes = _insertion(stream, folder)
    query_s, index_bytes = _query(stream, sample)
    extract_s, verify_s, features_bytes = _images(features)
    return Measured(stream.vocabulary_size, sample, extract_s, insert_s, query_s, verify_s,
                    index_bytes, map_bytes, features_bytes)


def _timed(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _insertion(stream: looptree.WordStream, folder: pathlib.Path, frames: int = 2000) -> List[float]:
    with tempfile.TemporaryDirectory(dir=folder) as name:
        path = pathlib.Path(name) / "map"
        vocabulary = looptree.MapVocabulary(stream.vocabulary_size,
                                            word_weights=stream.word_weights.astype(np.float64))
        rows = [looptree.NewFrame(each) for each in stream.histograms(0, frames)]
        with looptree.Map.create(path, vocabulary, commit_every=None, threads=1) as made:
            made.flush()
            empty = path.stat().st_size
            begin = time.perf_counter()
            made.insert_batch(rows)
            made.flush()
            seconds = time.perf_counter() - begin
        return [seconds / frames, (path.stat().st_size - empty) / frames]


def _query(stream: looptree.WordStream, sample: int, queries: int = 20) -> List[float]:
    index = looptree.PooledIndex(stream.vocabulary_size,
                                 word_weights=stream.word_weights.astype(np.float64))
    for begin in range(0, sample, 1000):
        index.insert_batch(stream.histograms(begin, min(begin + 1000, sample)))
    asked = stream.histograms(sample, sample + queries)
    index.query_batch(asked, top_k=100, threads=1)
    seconds = min(_timed(lambda: index.query_batch(asked, top_k=100, threads=1)) for _ in range(3))
    return [seconds / queries * 1e6 / sample, index.memory().bytes_per_frame]


def _images(kind: str) -> List[float]:
    world = looptree.open_demo_world(frames=60, width=1240, height=376)
    images = [world[i].image for i in (0, 1, 20, 30, 40, 50)]
    extractor, vocabulary = looptree.FeatureExtractor(kind), looptree.box_vocabulary(kind)
    vocabulary.histogram(extractor.extract(images[0]).descriptors)
    features: List[looptree.Features] = []

    def extract() -> None:
        for image in images:
            features.append(extractor.extract(image))
            vocabulary.histogram(features[-1].descriptors)

    extract_s = _timed(extract) / len(images)
    same = _timed(lambda: looptree.verify(features[0], features[1]))
    other = _timed(lambda: [looptree.verify(features[0], each) for each in features[3:]]) / 3
    stored = 450 * (8 + int(features[0].descriptors.shape[1]))
    return [extract_s, same + 7 * other, float(stored)]


def describe(wanted: Wanted, m: Measured) -> str:
    """What a cluster needs, with the arithmetic."""
    frames, cores = wanted.frames, wanted.machines * wanted.cores
    keyframes = frames / wanted.keyframes_every
    index, disk = frames * m.index_bytes, frames * (m.map_bytes + m.index_bytes + m.features_bytes)
    build = frames * (m.extract_s + m.insert_s)

    def hours(seconds: float) -> str:
        return f"{seconds / 3600 / cores:,.1f} h"

    def close(asked: float, held: float) -> float:
        return asked * (m.query_s * held / 1e6 / 2 + m.verify_s)  # each pair of drives once: half

    latency = m.query_s * frames / 1e6
    return f"""\
measured here, on one core, with {m.words:,} words:
  a frame: {m.extract_s * 1e3:.1f} ms to describe, {m.insert_s * 1e3:.2f} ms to insert, \
{m.index_bytes / 1e3:.1f} KB of index, {m.map_bytes / 1e3:.1f} KB of words, \
{m.features_bytes / 1e3:.1f} KB of features
  a query: {m.query_s * 1e3:.1f} ms per million frames (over {m.sample:,}; the best 100); \
{m.verify_s * 1e3:.1f} ms to verify 8 candidates
for {frames:,.0f} frames on {wanted.machines} machines of {wanted.cores} cores:
  memory   {index / 1e9:,.0f} GB of index, {index / wanted.machines / 1e9:,.0f} GB on each \
machine to keep all shards open
  disk     {disk / 1e9:,.0f} GB: words {frames * m.map_bytes / 1e9:,.0f}, snapshots \
{index / 1e9:,.0f}, features {frames * m.features_bytes / 1e9:,.0f}
  build    {hours(build)} of all cores = {frames:.3g} x ({m.extract_s * 1e3:.1f} + \
{m.insert_s * 1e3:.2f}) ms / {cores}
  query    {latency * 1e3:,.0f} ms of one core in all; {latency / cores * 1e3:,.1f} ms where it is \
spread over {cores}
  close    one in {wanted.keyframes_every} frames kept and asked: {hours(close(keyframes, keyframes))}
           all kept, one in {wanted.keyframes_every} asked:        {hours(close(keyframes, frames))}
           all kept, all asked:             {hours(close(frames, frames))}
           = asked x (query / 2 + verify) / {cores}; each pair of drives is looked at once
"""
