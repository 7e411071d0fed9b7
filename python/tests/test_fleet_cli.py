# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""looptree-fleet: what it prints, and what it says of mistakes."""
import subprocess
import sys

import numpy as np
import pytest

import looptree
from test_fleet import WORDS, write_drives

if not (looptree.has_store and looptree.has_vision):
    pytest.skip("built without SQLite or OpenCV", allow_module_level=True)
from looptree import fleet as fl
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


def test_numbers_out_of_range_are_explained(tmp_path, capsys):
    fleet, weights = tmp_path / "fleet", tmp_path / "weights.npy"
    for arguments, least in (
            (["create", fleet, "--words", -5], 1), (["build", fleet, "--workers", -1], 0),
            (["close", fleet, "--ask-every", 0], 1), (["close", fleet, "--recent", -1], 0),
            (["close", fleet, "--batch", 0], 1), (["query", fleet, "a", "--top-k", 0], 1),
            (["plan", "--frames", "nan"], 1), (["plan", "--frames", 9, "--machines", 0], 1)):
        with pytest.raises(SystemExit):
            main([str(each) for each in arguments])
        assert f"expected at least {least}, found {arguments[-1]}" in capsys.readouterr().err
    weights.write_text("no array")
    for content, said in ((None, "an array of numpy"), (np.ones(7), "shape (7,)"),
                          (np.full(10, np.nan), "shape (10,) with other values")):
        if content is not None:
            np.save(weights, content)
        code, _, err = run(capsys, "create", fleet, "--words", 10, "--weights", weights)
        assert code == 1 and said in err and not fleet.exists()
    code, _, err = run(capsys, "create", fleet, "--features", "none")
    assert code == 1 and "orb, learned" in err and not fleet.exists()
    with pytest.raises(looptree.InvalidArgumentError, match="most of at least 1"):
        fl.Closing(every=0)
    made = fl.Fleet.create(fleet, 10)
    with pytest.raises(looptree.InvalidArgumentError, match="a batch of at least 1"):
        fl.close(made, batch=0)
    with pytest.raises(looptree.InvalidArgumentError, match="found 10 and 7"):
        fl.query(made, [], threshold=7)


def test_an_address_that_is_none_is_explained(tmp_path, capsys):
    pytest.importorskip("distributed")
    fl.Fleet.create(tmp_path, 10)
    code, _, err = run(capsys, "build", tmp_path, "--scheduler", "hub")
    assert code == 1 and "tcp://host:8786, found 'hub'" in err


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
