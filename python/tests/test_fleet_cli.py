# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""looptree-fleet: what it prints, and what it says of mistakes."""
import subprocess
import sys

import pytest

import looptree
from test_fleet import WORDS, write_drives

if not (looptree.has_store and looptree.has_vision):
    pytest.skip("built without SQLite or OpenCV", allow_module_level=True)
from looptree.fleet.cli import main


def run(capsys, *arguments):
    code = main([str(each) for each in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_from_words_to_closures(tmp_path, capsys):
    files = write_drives(tmp_path, 31, [60, 50, 40])
    fleet = tmp_path / "fleet"
    assert run(capsys, "create", fleet, "--words", WORDS)[0] == 0
    for name, file in zip("ab", files):
        assert "60 frames in 3 shards\n" in run(capsys, "add", fleet, name, file, "--piece", 20)[1] \
            or name == "b"
    code, out, err = run(capsys, "build", fleet)
    assert (code, out) == (0, "6 shards built, 6 in all\n") and "build           6/6" in err
    assert "b sees a again" in run(capsys, "close", fleet)[1]
    code, out, _ = run(capsys, "grow", fleet, "c", files[2], "--piece", 20)
    assert code == 0 and "c sees a again" in out and (fleet / "closures.db").exists()
    assert "3/3 shards built" in run(capsys, "show", fleet)[1]
    out = run(capsys, "query", fleet, files[0], "--top-k", 1)[1].splitlines()
    assert len(out) == 60 and "1.000000  a  frame 0" in out[0]
    assert run(capsys, "remove", fleet, "c")[0] == 0
    code, _, err = run(capsys, "remove", fleet, "c")
    assert code == 1 and err == "error: expected a drive of the fleet (a, b), found 'c'\n"


def test_mistakes_are_explained(tmp_path, capsys):
    assert "no fleet.json" in run(capsys, "build", tmp_path)[2]
    assert run(capsys, "create", tmp_path / "f", "--words", 10)[0] == 0
    assert "no.words" in run(capsys, "add", tmp_path / "f", "a", tmp_path / "no.words")[2]
    assert "a function" in run(capsys, "add", tmp_path / "f", "a", "nowhere:make", "--kind",
                               "python")[2]
    with pytest.raises(SystemExit):
        main(["nothing"])


def test_a_plan_says_what_it_measured(tmp_path, capsys):
    code, out, _ = run(capsys, "plan", "--frames", "1e8", "--sample", 1000, "--features", "orb")
    assert code == 0 and "for 100,000,000 frames on 10 machines of 16 cores" in out
    assert all(word in out for word in ("memory", "disk", "build", "query", "close"))


def test_dask_is_needed_by_nobody_else():
    code = ("import sys; sys.modules['dask'] = sys.modules['distributed'] = None; import looptree, "
            "looptree.fleet, looptree.fleet.cli; assert 'looptree.fleet' in sys.modules\n"
            "try: import looptree.fleet.on_dask\n"
            "except ImportError as error: print(error)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "install python3-distributed" in done.stdout
    done = subprocess.run([sys.executable, "-c", "import looptree, sys; print(sorted(name for name "
                           "in sys.modules if 'fleet' in name or 'dask' in name))"],
                          capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
