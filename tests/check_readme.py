#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Checks that the C++ example of the README is the program that the tests compile and run."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
example = re.search(r"```cpp\n(.*?)```", (root / "README.md").read_text(), re.S)
program = (root / "tests/consumer/main.cpp").read_text()
if not example or example.group(1) != program:
    sys.exit("README.md: its C++ example differs from tests/consumer/main.cpp")
print("README.md: the example is the tested program")
