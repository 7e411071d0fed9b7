#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Checks the types with mypy, strictly: the package, its stubs and the examples. That the stubs tell
the truth about the compiled module is for test_stubs.py. The argument is a folder for mypy's cache."""
import os
import pathlib
import subprocess
import sys

folder = pathlib.Path(__file__).resolve().parent.parent
cache = sys.argv[1]
mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache]
sources = [str(path) for path in sorted((folder.parent / "examples" / "python").glob("*.py"))]
config = folder / "tests" / "mypy.ini"
environment = {**os.environ, "MYPYPATH": str(folder)}
failed = subprocess.run([*mypy, "--config-file", str(config), "-p", "looptree"],
                        env=environment, cwd=folder).returncode
if sources:
    failed |= subprocess.run([*mypy, "--config-file", str(config), *sources],
                             env=environment, cwd=folder).returncode
sys.exit(failed)
