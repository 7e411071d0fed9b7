#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Writes the images of images.npz as JPEG files, those of one size in a folder of their own, since a sequence has images of one
size:

    python3 training/unpack_images.py images.npz FOLDER"""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image


def main():
    packed, folder = np.load(sys.argv[1]), Path(sys.argv[2])
    data, offsets = packed["bytes"], packed["offsets"]
    for i in range(len(offsets) - 1):
        jpeg = data[offsets[i] : offsets[i + 1]].tobytes()
        width, height = Image.open(io.BytesIO(jpeg)).size
        to = folder / f"{width}x{height}"
        to.mkdir(parents=True, exist_ok=True)
        (to / f"{i:05d}.jpg").write_bytes(jpeg)


if __name__ == "__main__":
    main()
