# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""How good are the matches? Ground truth, precision-recall curves, retrieval figures."""
from ._core import (
    Curve,
    CurvePoint,
    GroundTruth,
    average_precision,
    point_at,
    precision_recall,
    ranked_average_precision,
    recall_at_full_precision,
    right_in_top_four,
    safe_threshold,
)

__all__ = [
    "Curve", "CurvePoint", "GroundTruth", "average_precision", "point_at", "precision_recall",
    "ranked_average_precision", "recall_at_full_precision", "right_in_top_four", "safe_threshold",
]
