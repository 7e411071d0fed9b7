#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Checks the types: mypy over the package and the examples, stubtest of the stubs against the
compiled module. The argument is a folder for mypy's cache."""
import os
import pathlib
import subprocess
import sys

folder = pathlib.Path(__file__).resolve().parent.parent
cache = sys.argv[1]
mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache]
sources = [str(path) for path in sorted((folder / "examples").glob("*.py"))]
config = folder / "tests" / "mypy.ini"
environment = {**os.environ, "MYPYPATH": str(folder)}
environment.pop("PYTHONPATH", None)
failed = subprocess.run([*mypy, "--config-file", str(config), "-p", "looptree"],
                        env=environment, cwd=folder).returncode
if sources:
    failed |= subprocess.run([*mypy, "--config-file", str(config), *sources],
                             env=environment, cwd=folder).returncode
# The compiled module beside its stub; signatures are not to be had of it, names are.
failed |= subprocess.run([sys.executable, "-m", "mypy.stubtest", "looptree", "--mypy-config-file",
                          str(config), "--allowlist", str(folder / "tests" / "stubtest.txt")],
                         env={**os.environ, "MYPYPATH": os.environ["PYTHONPATH"]}).returncode
sys.exit(failed)
