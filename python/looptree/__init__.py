# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""looptree finds the place a camera has been before.

Descriptors become words (Vocabulary), words a histogram (make_histogram), histograms are kept and
searched (PooledIndex, or Map on disk), and matches become closures (LoopDetector). looptree.evaluate
judges the result. docs/python.md is the tour.
"""
from typing import TYPE_CHECKING

from . import _core
from ._core import (
    Calibration,
    ExhaustiveIndex,
    Features,
    Histogram,
    LayerStats,
    Match,
    MemoryUsage,
    PooledIndex,
    QueryResult,
    Topology,
    Vocabulary,
    WordSequence,
    WordStream,
    __version__,
    affinity_groups,
    box_vocabularies,
    box_vocabulary,
    correspondence_dtype,
    intersection,
    keypoint_dtype,
    label_groups,
    make_histogram,
    match_descriptors,
    pool,
    random_groups,
    read_descriptor_file,
    read_words,
    score,
    select_candidates,
    simd_level,
    simd_levels,
    train_vocabulary,
    vocabulary_formats,
    write_descriptor_file,
    write_words,
)
from ._errors import (
    CancelledError,
    CorruptionError,
    Error,
    InvalidArgumentError,
    IoError,
    NotFoundError,
    UnsupportedError,
)
from ._results import Quantized

has_store: bool = hasattr(_core, "Map")
"""Whether this build has the map on disk."""
has_vision: bool = hasattr(_core, "LoopDetector")
"""Whether this build has what needs OpenCV: FeatureExtractor, LoopDetector, Sequence."""

if has_store:
    from ._core import (
        DbowDatabase,
        FrameInfo,
        Map,
        MapClosure,
        MapSession,
        MapStorage,
        MapSummary,
        MapVocabulary,
        MergeResult,
        NewFrame,
        VerifyResult,
        export_csv,
        insert_dbow_database,
        measure_storage,
        read_dbow_database,
        summarize_map,
        verify_map,
    )
if has_vision:
    from ._core import (
        Detection,
        FeatureExtractor,
        Frame,
        FrameFeatures,
        LiveSource,
        LoopDetector,
        MetricPose,
        RelativePose,
        Sequence,
        StageTimes,
        Verification,
        export_kitti,
        extract_features,
        make_thumbnail,
        metric_pose,
        open_demo_world,
        open_live,
        open_sequence,
        read_calibration,
        read_image,
        sequence_formats,
        verify,
    )
if has_store and has_vision:
    from ._core import PairVerdict, Relocation, choose_closures, relocalize, verify_pairs

from . import evaluate
from .opencv import features_from_opencv

__all__ = [
    "CancelledError", "Calibration", "CorruptionError", "DbowDatabase", "Detection", "Error",
    "ExhaustiveIndex", "FeatureExtractor", "Features", "Frame", "FrameFeatures", "FrameInfo",
    "Histogram", "InvalidArgumentError", "IoError", "LayerStats", "LiveSource", "LoopDetector", "Map",
    "MapClosure", "MapSession", "MapStorage", "MapSummary", "MapVocabulary", "Match", "MemoryUsage",
    "MergeResult", "MetricPose", "NewFrame", "NotFoundError", "PairVerdict", "PooledIndex",
    "Quantized",
    "QueryResult", "RelativePose", "Relocation", "Sequence", "StageTimes", "Topology",
    "UnsupportedError", "Verification", "VerifyResult", "Vocabulary", "WordSequence", "WordStream",
    "__version__",
    "affinity_groups", "box_vocabularies", "box_vocabulary", "choose_closures",
    "correspondence_dtype", "evaluate",
    "export_csv", "export_kitti", "extract_features", "features_from_opencv", "has_store",
    "has_vision", "insert_dbow_database", "intersection", "keypoint_dtype", "label_groups",
    "make_histogram", "make_thumbnail", "match_descriptors", "measure_storage", "metric_pose",
    "open_demo_world", "open_live",
    "open_sequence", "pool", "random_groups", "read_calibration", "read_dbow_database",
    "read_descriptor_file", "read_image", "read_words", "relocalize", "score", "select_candidates",
    "sequence_formats",
    "simd_level", "simd_levels", "summarize_map",
    "train_vocabulary", "verify", "verify_map", "verify_pairs", "vocabulary_formats", "write_descriptor_file",
    "write_words",
]
if not TYPE_CHECKING:
    _left_out = [name for name in __all__ if name not in globals()]
    __all__ = [name for name in __all__ if name in globals()]

    def __getattr__(name):
        if name in _left_out:
            raise AttributeError(f"looptree.{name} is not in this build, which was made without "
                                 "SQLite or OpenCV: see looptree.has_store and has_vision")
        raise AttributeError(f"module 'looptree' has no attribute '{name}'")
