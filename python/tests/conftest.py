# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""What the tests share: golden files, made-up routes, the demo world."""
import os
import pathlib
import subprocess

import numpy as np
import pytest

import looptree

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"


@pytest.fixture(scope="session")
def golden():
    return GOLDEN


@pytest.fixture(scope="session")
def orb_vocabulary():
    return looptree.Vocabulary.load(GOLDEN / "voc" / "dbow2_orb.yml.gz")


@pytest.fixture(scope="session")
def orb_images():
    """The descriptors of each golden image."""
    rows, per_image = looptree.read_descriptor_file(GOLDEN / "desc" / "images_bin.u8")
    return np.split(rows, np.cumsum(per_image[:-1]).astype(int))


def tool(name):
    """A program of the build, given by ctest in LOOPTREE_<NAME>; skips the test without."""
    path = os.environ.get("LOOPTREE_" + name)
    if not path or not os.path.exists(path):
        pytest.skip(f"LOOPTREE_{name} does not name a program: run by ctest")
    return path


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """The demo world as a folder of images, written by the command line."""
    folder = tmp_path_factory.mktemp("world")
    subprocess.run([tool("CLI"), "world", folder, "--frames", "300", "--width", "480", "--height",
                    "270"], check=True, stdout=subprocess.DEVNULL)
    return folder


def random_route(seed, frames, words=2000, per_frame=120, revisit=0.3):
    """Histograms along a made-up route that comes back to some of its places."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 8, words)
    route = []
    for i in range(frames):
        if i > 10 and rng.random() < revisit:
            old = seen[rng.integers(len(seen))]
            drawn = np.where(rng.random(per_frame) < 0.6, old, rng.integers(0, words, per_frame))
        else:
            drawn = rng.integers(0, words, per_frame)
        seen = [drawn] if i == 0 else seen + [drawn]
        route.append(looptree.make_histogram(drawn, weights))
    return route, weights
