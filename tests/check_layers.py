#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Checks that the folders of the library follow the data flow.

A folder may include itself and the folders above it in the list; private headers (detail/) stay in
their folder; OpenCV appears only where it is allowed. Prints every offence and exits 1 if there are any.
"""
import pathlib
import re
import sys

ORDER = ["common", "features", "vocabulary", "histogram", "index", "store", "detect", "graph",
         "dataset", "evaluate", "compat"]
OPENCV = {"features", "detect", "dataset"}

root = pathlib.Path(__file__).resolve().parent.parent
offences = []
for path in sorted((root / "looptree").rglob("*.[ch]pp")):
    folder = path.relative_to(root / "looptree").parts[0]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.relative_to(root)}:{number}"
        if match := re.match(r'#include "looptree/(\w+)/(.*)"', line):
            other, rest = match.groups()
            if ORDER.index(other) > ORDER.index(folder):
                offences.append(f"{where}: {folder}/ may not include {other}/, which comes after it")
            if rest.startswith("detail/") and other != folder:
                offences.append(f"{where}: {other}/detail/ is private to {other}/")
        if re.match(r'#include <opencv2/', line) and folder not in OPENCV:
            offences.append(f"{where}: {folder}/ must build without OpenCV")
print("\n".join(offences) or "layers: in order")
sys.exit(bool(offences))
