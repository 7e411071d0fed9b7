# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Features of OpenCV's detectors. OpenCV itself is not imported here."""
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._core import Features, keypoint_dtype

Descriptors = Union[npt.NDArray[np.uint8], npt.NDArray[np.floating[Any]]]


def features_from_opencv(keypoints: Sequence[Any], descriptors: Optional[Descriptors],
                         shape: Tuple[int, ...]) -> Features:
    """The Features of what detectAndCompute() returned for an image of that shape.

    keypoints are cv2.KeyPoint objects. Where an image has no features OpenCV gives None for the
    descriptors; the Features are then empty.
    """
    rows = np.zeros(len(keypoints), keypoint_dtype)
    for row, k in zip(rows, keypoints):
        # Octaves of SIFT carry the layer and the scale in the higher bits.
        octave = k.octave & 255
        row["x"], row["y"] = k.pt
        row["size"], row["angle"], row["response"] = k.size, k.angle, k.response
        row["octave"] = octave - 256 if octave >= 128 else octave
    if descriptors is None:
        descriptors = np.zeros((0, 32), np.uint8)
    return Features(rows, descriptors, width=shape[1], height=shape[0])
