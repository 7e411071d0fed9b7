#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Collects the images that the learned features and the vocabularies in the box are trained on, into one file.

    python3 training/collect_images.py --looptree build/release/looptree images.npz

Downloads the Debian packages of sources.py (or uses what the cache folder holds of them), takes photographs and surfaces
out, cuts several views from large ones, drops flat, small and repeated ones, adds views of the rendered world under other seeds
than the demo's, and writes grey JPEGs into one file; beside it, OUT.md, the table of what came from where. Needs a Debian 12 machine with apt and
dpkg, and the packages python3-pil and python3-numpy. The same packages give the same file. training/README.md describes it."""

import argparse
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from sources import SOURCES

LONG_SIDE = 640
QUALITIES = (88, 78, 68)
LARGEST = 40_000  # bytes of a JPEG that is written at a lower quality if it can be smaller
FORMATS = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".tga", ".bmp", ".rgb")
RENDERED = ((7, 48), (41, 48), (99, 48), (1234, 48))  # seed, images; the demo and the tests use 2016
Image.MAX_IMAGE_PIXELS = 300_000_000


@dataclass
class View:
    """One image of the file: the JPEG, and a thumbnail to tell repetitions by."""

    name: str
    jpeg: bytes
    thumbnail: np.ndarray
    detail: float


@dataclass
class Taken:
    package: str
    version: str = ""
    what: str = ""
    licence: str = ""
    views: list = field(default_factory=list)


def package_file(package, cache):
    """The .deb of a package, downloaded unless the cache holds one."""
    found = sorted(cache.glob(f"{package}_*.deb"))
    if not found:
        subprocess.run(["apt-get", "download", "-qq", package], cwd=cache, check=True)
        found = sorted(cache.glob(f"{package}_*.deb"))
    return found[-1]


def unpack(deb, folder):
    """Writes the images of a package under a folder."""
    tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE)
    wildcards = [f"*{e}" for e in FORMATS] + [f"*{e.upper()}" for e in FORMATS]
    subprocess.run(["tar", "-x", "-C", str(folder), "--wildcards", "--no-anchored", *wildcards], stdin=tar.stdout,
                   stderr=subprocess.DEVNULL, check=False)  # a wildcard that matches nothing is no mistake
    tar.stdout.close()
    if tar.wait() not in (0, -13):
        raise SystemExit(f"cannot read {deb}")


def chosen_paths(source, folder):
    paths = []
    for path in sorted(folder.rglob("*")):
        inside = str(path.relative_to(folder))
        if path.is_symlink() or not path.is_file() or path.suffix.lower() not in FORMATS:
            continue
        if any(re.search(p, inside) for p in source.include) and not any(re.search(p, inside) for p in source.exclude):
            paths.append(inside)
    return paths


def read_grey(path):
    """The image in grey levels, what is transparent cut off or, where little is left, None."""
    with Image.open(path) as image:
        image.draft("L", (2560, 2560))  # a large JPEG is decoded at half size or less, which is fast
        image.load()
        box = None
        if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
            alpha = np.asarray(image.convert("RGBA"))[:, :, 3]
            if (alpha > 250).mean() < 0.98:
                box = largest_opaque_box(alpha > 250)
                if box is None:
                    return None
        grey = image.convert("RGB").convert("L")
    return grey.crop(box) if box else grey


def largest_opaque_box(opaque):
    """Rows that are opaque across the whole width, None if they are few."""
    full = opaque.mean(axis=1) > 0.995
    rows = np.flatnonzero(full)
    if len(rows) < 240:
        return None
    return (0, int(rows[0]), opaque.shape[1], int(rows[-1]) + 1) if full[rows[0] : rows[-1] + 1].all() else None


def gradient(pixels):
    p = pixels.astype(np.int16)
    return np.abs(np.diff(p, axis=1))[:-1, :] + np.abs(np.diff(p, axis=0))[:, :-1]


def detail_of(view):
    """The share of 32 x 32 cells that hold structure; 0 for what is drawn with flat areas or has few grey levels."""
    pixels = np.asarray(view)
    histogram = np.bincount(pixels.ravel(), minlength=256) / pixels.size
    entropy = -sum(h * np.log2(h) for h in histogram if h > 0)
    g = gradient(pixels)
    rows, columns = g.shape[0] // 32, g.shape[1] // 32
    cells = g[: rows * 32, : columns * 32].reshape(rows, 32, columns, 32).swapaxes(1, 2).reshape(-1, 1024)
    if entropy < 5.0 or (g == 0).mean() > 0.5:
        return 0.0
    return float(((cells > 12).mean(axis=1) > 0.06).mean())


def boxes_of(size, crops, detail_at):
    """The whole image and up to `crops` parts of it: for a panorama windows side by side, else parts of a half and of a
    quarter of its width, those with most detail first, with little overlap."""
    width, height = size
    if width > 2.2 * height:
        step = height * 4 // 3
        parts = [(x, 0, x + step, height) for x in range(0, width - step + 1, max(step * 3 // 4, 1))]
    else:
        parts = []
        for part in (2, 4):
            w, h = width // part, height // part
            if min(w, h) < 360:
                continue
            parts += [(x, y, x + w, y + h) for y in range(0, height - h + 1, h) for x in range(0, width - w + 1, w)]
    ranked = sorted(parts, key=lambda b: (-detail_at(b) * (b[2] - b[0]) ** 0.5, b))[:crops]
    return ([(0, 0, width, height)] if width <= 2.2 * height else []) + ranked


def jpeg_of(view):
    """The JPEG at the best quality that is small enough; a view of fine structure throughout is reduced as well."""
    for quality in QUALITIES:
        buffer = io.BytesIO()
        view.save(buffer, "JPEG", quality=quality, optimize=True)
        if buffer.tell() <= LARGEST:
            return buffer.getvalue()
    reduced = view.resize((view.width * 4 // 5, view.height * 4 // 5), Image.LANCZOS)
    buffer = io.BytesIO()
    reduced.save(buffer, "JPEG", quality=QUALITIES[-1], optimize=True)
    return buffer.getvalue()


def views_of(job):
    """The views of one file, cut, reduced and judged."""
    path, name, crops, smallest, least_detail = job
    try:
        grey = read_grey(path)
    except (OSError, ValueError, SyntaxError, EOFError):
        return []
    if grey is None or min(grey.size) < smallest:
        return []
    small = gradient(np.asarray(grey.resize((256, 256), Image.BILINEAR)))

    def detail_at(box):
        sx, sy = 255 / grey.size[0], 255 / grey.size[1]
        part = small[int(box[1] * sy) : int(box[3] * sy) + 1, int(box[0] * sx) : int(box[2] * sx) + 1]
        return float(np.minimum(part, 40).mean())

    views = []
    for box in boxes_of(grey.size, crops, detail_at):
        scale = min(1.0, LONG_SIDE / max(box[2] - box[0], box[3] - box[1]))
        size = (max(1, round((box[2] - box[0]) * scale)), max(1, round((box[3] - box[1]) * scale)))
        view = grey.resize(size, Image.LANCZOS, box=box)
        detail = detail_of(view)
        if min(size) < 224 or detail < least_detail:
            continue
        thumbnail = np.asarray(view.resize((24, 24), Image.BOX), np.float32).ravel()
        thumbnail -= thumbnail.mean()
        thumbnail /= np.linalg.norm(thumbnail) + 1e-6
        views.append(View(f"{name}#{box[0]},{box[1]},{box[2]},{box[3]}", jpeg_of(view), thumbnail, detail))
    return views


class Seen:
    """Tells views that are nearly the same as an earlier one: correlation of thumbnails, as they lie and mirrored."""

    def __init__(self):
        self.thumbnails = np.zeros((0, 24 * 24), np.float32)

    def is_new(self, thumbnail):
        mirrored = thumbnail.reshape(24, 24)[:, ::-1].ravel()
        if len(self.thumbnails) and max((self.thumbnails @ thumbnail).max(), (self.thumbnails @ mirrored).max()) > 0.93:
            return False
        self.thumbnails = np.vstack([self.thumbnails, thumbnail])
        return True


def spread(views, most):
    """At most so many views: of every file its first ones before the second ones of any. The order in which files come
    is by a hash of their names, so that a cut does not prefer the beginning of the alphabet."""
    by_file = {}
    for view in views:
        by_file.setdefault(view.name.split("#")[0], []).append(view)
    files = sorted(by_file, key=lambda f: hashlib.sha256(f.encode()).digest())
    rounds = max((len(v) for v in by_file.values()), default=0)
    ranked = [by_file[f][i] for i in range(rounds) for f in files if i < len(by_file[f])]
    return ranked[:most]


def collect_package(source, cache, pool, seen):
    deb = package_file(source.package, cache)
    version = subprocess.run(["dpkg-deb", "-f", str(deb), "Version"], capture_output=True, text=True, check=True).stdout.strip()
    taken = Taken(source.package, version, source.what, source.licence)
    with tempfile.TemporaryDirectory() as folder:
        unpack(deb, Path(folder))
        paths = chosen_paths(source, Path(folder))
        paths.sort(key=lambda p: hashlib.sha256(p.encode()).digest())
        paths = paths[: 4 * source.most]
        jobs = [(os.path.join(folder, p), f"{source.package}/{p}", source.crops, source.smallest, source.detail) for p in paths]
        views = [view for found in pool.map(views_of, jobs, chunksize=2) for view in found]
    new = [view for view in views if seen.is_new(view.thumbnail)]
    taken.views = spread(new, source.most)
    print(f"{source.package} {version}: {len(paths)} files, {len(views)} views, {len(taken.views)} taken", flush=True)
    return taken


def render_world(looptree, pool):
    taken = Taken("looptree world", "", "our rendered streets, seeds " + ", ".join(str(s) for s, _ in RENDERED), "MIT (ours)")
    for seed, frames in RENDERED:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([looptree, "world", folder, "--frames", str(frames), "--height", "480", "--seed", str(seed)],
                           check=True, stdout=subprocess.DEVNULL)
            jobs = [(str(p), f"world/seed{seed}/{p.name}", 0, 320, 0.0) for p in sorted(Path(folder, "image_0").glob("*.png"))]
            taken.views += [view for found in pool.map(views_of, jobs, chunksize=4) for view in found]
    print(f"rendered world: {len(taken.views)} taken", flush=True)
    return taken


def write_npz(path, all_taken):
    """bytes and offsets of the JPEGs, their names, and the file each was cut from; written under another name first, so that a
    reader never sees half a file."""
    views = [view for taken in all_taken for view in taken.views]
    offsets = np.cumsum([0] + [len(v.jpeg) for v in views]).astype(np.int64)
    origins = [v.name.split("#")[0] for v in views]
    group = np.unique(origins, return_inverse=True)[1].astype(np.int32)
    partial = path.with_suffix(".partial")
    with open(partial, "wb") as file:
        np.savez(file, bytes=np.frombuffer(b"".join(v.jpeg for v in views), np.uint8), offsets=offsets,
                 names=np.array([v.name for v in views]), group=group)
    os.replace(partial, path)
    print(f"{path}: {len(views)} images of {len(set(origins))} files, {path.stat().st_size / 2**20:.1f} MiB", flush=True)


def write_table(path, all_taken):
    lines = ["| package | version | what | images | licence |", "|---|---|---|---|---|"]
    for t in all_taken:
        lines.append(f"| {t.package} | {t.version} | {t.what} | {len(t.views)} | {t.licence} |")
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="the .npz file to write")
    parser.add_argument("--cache", type=Path, default=Path("debian-packages"), help="folder of downloaded packages")
    parser.add_argument("--looptree", help="the looptree binary that renders; without it nothing is rendered")
    parser.add_argument("--packages", nargs="*", help="only these packages")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    all_taken, seen = [], Seen()
    with ProcessPoolExecutor(arguments.workers) as pool:
        for source in SOURCES:
            if arguments.packages and source.package not in arguments.packages:
                continue
            all_taken.append(collect_package(source, arguments.cache, pool, seen))
        if arguments.looptree:
            all_taken.append(render_world(arguments.looptree, pool))
    write_npz(arguments.output, all_taken)
    write_table(arguments.output.with_suffix(".md"), all_taken)


if __name__ == "__main__":
    sys.exit(main())
