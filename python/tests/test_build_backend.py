# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""What pip shows of a build."""
import io
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "build_backend"))
import looptree_build  # noqa: E402


@pytest.mark.parametrize("line, part", [("[34/283] Building CXX object a.o", 12), ("[ 50%] Linking", 50),
                                        ("[283/283] Linking", 100), ("warning: [1/2]", None)])
def test_how_far_a_build_is(line, part):
    assert looptree_build.part_done(line) == part


def test_a_build_is_shown_and_its_failure_told(capfd):
    terminal = io.StringIO()
    looptree_build.run_shown(["sh", "-c", "echo '[1/2] one'; echo '[2/2] two'"], terminal)
    assert "50 %" in terminal.getvalue() and "100 %" in terminal.getvalue()
    with pytest.raises(SystemExit, match="its messages are above"):
        looptree_build.run_shown(["sh", "-c", "echo broken; exit 1"], terminal)
    assert "broken" in capfd.readouterr().out
