# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Results that are no more than a few arrays."""
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Quantized(NamedTuple):
    """Words, weights and nodes of a batch of descriptors, one of each per row."""

    words: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64]
    """The word's weight; 0 for a stopped word."""
    nodes: npt.NDArray[np.uint32]
    """The node some levels above the word, see Vocabulary.quantize()."""
