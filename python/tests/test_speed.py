# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""1000 descriptors from numpy to words take less than twice the time of C++."""
import pathlib
import subprocess
import sys

from conftest import tool

BENCH = pathlib.Path(__file__).resolve().parent.parent / "bench" / "words.py"


def test_words_in_less_than_twice_the_time():
    done = subprocess.run([sys.executable, BENCH, tool("WORDS_TIMER"), "--rounds", "60", "--check"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
