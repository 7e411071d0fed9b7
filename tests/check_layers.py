#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Checks that the folders of the library follow the data flow.

A folder may include itself and the folders above it in the list, and so may the rooms of the index
among themselves; private headers (detail/, the rooms) stay in their folder; OpenCV appears only
where it is allowed. Prints every offence and exits 1 if there are any.
"""
import pathlib
import re
import sys

ORDER = ["common", "features", "vocabulary", "histogram", "index", "store", "detect", "graph",
         "dataset", "evaluate", "compat"]
ROOMS = ["core", "kernels", "frames", "search", "tree", "snapshot"]  # of index/, all private
OPENCV = ("features/opencv/", "detect/", "dataset/")

root = pathlib.Path(__file__).resolve().parent.parent
offences = []
for path in sorted((root / "looptree").rglob("*.[ch]pp")):
    folder, *inside = path.relative_to(root / "looptree").parts
    room = inside[0] if folder == "index" and inside[0] in ROOMS else None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.relative_to(root)}:{number}"
        if match := re.match(r'#include "looptree/(\w+)/(.*)"', line):
            other, rest = match.groups()
            if ORDER.index(other) > ORDER.index(folder):
                offences.append(f"{where}: {folder}/ may not include {other}/, which comes after it")
            first = rest.split("/")[0]
            private = "detail/" in rest or (other == "index" and first in ROOMS)
            if private and other != folder:
                offences.append(f"{where}: {other}/{first}/ is private to {other}/")
            if room and other == "index" and first in ROOMS and ROOMS.index(first) > ROOMS.index(room):
                offences.append(f"{where}: index/{room}/ may not include index/{first}/, a later room")
        if re.match(r'#include <opencv2/', line) and not str(
                path.relative_to(root / "looptree")).startswith(OPENCV):
            offences.append(f"{where}: this folder must build without OpenCV")
print("\n".join(offences) or "layers: in order")
sys.exit(bool(offences))
