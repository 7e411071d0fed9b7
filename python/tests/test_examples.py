# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The examples run, on the demo world; those that need what is not installed say so."""
import pathlib
import subprocess
import sys

import pytest

import looptree

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"

if not looptree.has_vision:
    pytest.skip("built without OpenCV", allow_module_level=True)


def run(name, *arguments):
    done = subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)],
                          capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_example_is_run_here():
    text = pathlib.Path(__file__).read_text()
    assert [path.name for path in EXAMPLES.glob("*.py") if f'"{path.name}"' not in text] == []


def test_detect_on_a_folder(world):
    told = run("detect_on_a_folder.py", world)
    assert int(told.splitlines()[-1].split()[0]) > 50


def test_bring_your_own_features():
    assert "frame 43 looks like 3 " in run("bring_your_own_features.py")


def test_sift_from_opencv(world, tmp_path):
    for image in sorted((world / "image_0").iterdir())[::4]:  # SIFT takes its time
        (tmp_path / image.name).symlink_to(image)
    assert "was seen before" in run("sift_from_opencv.py", tmp_path)


def test_plot_precision_recall(world, tmp_path):
    told = run("plot_precision_recall.py", world, "--output", tmp_path / "curve.png")
    assert "d1 " in told
    assert "not drawn" in told or (tmp_path / "curve.png").stat().st_size > 5000


def test_the_tour_of_the_documentation(world, tmp_path):
    text = (EXAMPLES.parents[1] / "docs" / "python.md").read_text()
    code = text.split("```python\n")[1].split("```")[0].replace('"demo"', repr(str(world)))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("7 1.0") and "Match(frame=7, score=1.0)" in done.stdout
