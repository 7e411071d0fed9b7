# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The folder of a fleet: its manifest, its vocabulary, its shards. docs/fleet.md shows one.

Everything here is written whole or not at all: under another name first, then renamed. What lies
under its own name is finished, so whoever goes on looks at names and not into files.
"""
from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import uuid
from dataclasses import asdict, dataclass, replace
from typing import Any, Callable, Dict, IO, Iterator, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

import looptree

VERSION = 1
"""Of the folder; a newer looptree reads older ones."""
_GAP = 1000  # ids between two drives, more than any temporal window
_LAST_ID = 2**31  # frames of a fleet have ids below this

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Source:
    """Where the frames of a drive come from.

    kind "images": `path` is a sequence as looptree.open_sequence() takes it; "words": a file of
    words; "python": `path` is "module:function", which is called with `argument` on the workers and
    returns an object with len() and frames(numbers), an iterator of NewFrame or None.
    """

    kind: str
    path: str
    argument: str = ""
    format: str = ""
    camera: str = "left"
    topic: str = ""


@dataclass(frozen=True)
class Shard:
    """A piece of a drive, and a map of its own: it owns the frames from begin up to end, and holds
    some on either side, so that a frame at the border has its neighbours beside it. Only what it
    owns is ever returned."""

    drive: Drive
    begin: int
    end: int

    @property
    def name(self) -> str:
        return f"{self.drive.folder}/{self.begin:09d}-{self.end:09d}"

    @property
    def held(self) -> npt.NDArray[np.int64]:
        """The numbers of the frames it may hold: keyframes, those of the overlap included."""
        first = max(0, self.begin - self.drive.overlap)
        last = min(self.drive.frames, self.end + self.drive.overlap)
        every = self.drive.every
        return np.arange(-(-first // every) * every, last, every, np.int64)


@dataclass(frozen=True)
class Drive:
    """One run of one camera. `first` is the fleet's id of its frame 0, and never given again."""

    name: str
    first: int
    frames: int
    source: Source
    piece: int  # frames of a shard
    overlap: int  # frames on either side that a shard holds and does not own
    every: int  # keyframes: each frame whose number this divides
    calibration: Optional[Tuple[float, ...]] = None  # fx fy cx cy, then the lens
    lens: str = ""

    @property
    def folder(self) -> str:
        return f"{self.first:010d}-{self.name}"

    @property
    def last(self) -> int:
        return self.first + self.frames

    def shards(self) -> List[Shard]:
        return [Shard(self, begin, min(begin + self.piece, self.frames))
                for begin in range(0, self.frames, self.piece)]

    def camera(self) -> Optional[looptree.Calibration]:
        if self.calibration is None:
            return None
        fx, fy, cx, cy, *distortion = self.calibration
        return looptree.Calibration(fx, fy, cx, cy, distortion, self.lens)


@dataclass(frozen=True)
class Words:
    """What all maps of the fleet count: a vocabulary in the file `vocabulary`, or words of the
    user's own, of which only the number, perhaps with weights in `weights.npy`, is known."""

    number: int
    hash: int
    features: str = ""  # the kind that images are described by; empty: no images

    @property
    def is_own(self) -> bool:
        return not self.features


class Fleet:
    """A fleet on disk. Made by create() or open(); every method reads the folder as it is now.

    One process changes the manifest at a time, which lasts milliseconds; builds, closings and
    queries may run meanwhile.
    """

    def __init__(self, path: Path) -> None:
        self.path = pathlib.Path(path).absolute()
        self._read()

    @staticmethod
    def create(path: Path, vocabulary: Union[looptree.Vocabulary, int, None] = None, *,
               features: str = "learned", word_weights: Optional[npt.ArrayLike] = None) -> Fleet:
        """A new fleet. For images: of features of a kind, with the vocabulary given or the one in
        the box for them. For words of the user's own: their number, and what each weighs."""
        folder = pathlib.Path(path).absolute()
        if (folder / "fleet.json").exists():
            raise looptree.InvalidArgumentError(
                f"{folder}: expected no fleet, found one; open it, or choose another folder")
        if isinstance(vocabulary, int):
            words = _own_words(vocabulary)
            if word_weights is not None:
                weights = _checked_weights(vocabulary, word_weights)
                write_whole(folder / "weights.npy", lambda file: np.save(file, weights))
        else:
            trained = vocabulary or looptree.box_vocabulary(features)
            _make_folder(folder)
            trained.save(folder / "vocabulary.part")
            os.replace(folder / "vocabulary.part", folder / "vocabulary")
            words = Words(len(trained), trained.content_hash, features)
        manifest = {"version": VERSION, "words": asdict(words), "next_id": 0, "drives": []}
        write_whole(folder / "fleet.json", lambda file: file.write(_encode(manifest)))
        return Fleet(folder)

    @staticmethod
    def open(path: Path) -> Fleet:
        return Fleet(path)

    def _read(self) -> Dict[str, Any]:
        """The manifest; fills words and drives."""
        file = self.path / "fleet.json"
        try:
            manifest: Dict[str, Any] = json.loads(file.read_text())
            version = int(manifest["version"])
            if version > VERSION:
                raise looptree.UnsupportedError(
                    f"{file}: expected a fleet of version {VERSION} or older, found version "
                    f"{version}; use the looptree that made it, or a newer one")
            self.words = Words(**manifest["words"])
            self.drives = [_drive(each) for each in manifest["drives"]]
        except FileNotFoundError:
            raise looptree.NotFoundError(
                f"{self.path}: expected a fleet, found no fleet.json; looptree-fleet create makes "
                "one") from None
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, looptree.Error):
                raise
            raise looptree.CorruptionError(
                f"{file}: expected the manifest of a fleet, found {error!r}; put back a copy of "
                "it, or create the fleet again and move the folder shards into it") from None
        return manifest

    @contextlib.contextmanager
    def _change(self) -> Iterator[Dict[str, Any]]:
        """The manifest, to change it; nobody else does meanwhile."""
        with open(self.path / "fleet.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            manifest = self._read()
            yield manifest
            write_whole(self.path / "fleet.json", lambda file: file.write(_encode(manifest)))
            self._read()

    def add(self, name: str, source: Source, *, piece: int = 100_000, overlap: int = 20,
            every: int = 1) -> Drive:
        """Enters a drive, whose maps build() then makes. Entering the same drive again changes
        nothing. piece: frames of a shard; every: only each so many-th frame is kept."""
        if not re.fullmatch(r"[\w.+-]{1,100}", name):
            raise looptree.InvalidArgumentError(
                f"expected a name of a drive of letters, digits and . + - _, found '{name}'")
        if piece < 1 or overlap < 0 or every < 1:
            raise looptree.InvalidArgumentError(
                f"expected piece and every of at least 1 and overlap of at least 0, found "
                f"{piece}, {every} and {overlap}")
        if source.kind != "python" and os.path.exists(source.path):
            source = replace(source, path=os.path.abspath(source.path))
        from . import sources
        opened = sources.describe(source, self.words)
        with self._change() as manifest:
            new = Drive(name, int(manifest["next_id"]), opened.frames, source, piece, overlap,
                        every, opened.calibration, opened.lens)
            for drive in self.drives:
                if drive.name != name:
                    continue
                if replace(drive, first=new.first) != new:
                    raise looptree.InvalidArgumentError(
                        f"expected a new name for a drive, found '{name}', which this fleet has "
                        "with other frames or options; remove it first, or choose another name")
                return drive
            if new.last >= _LAST_ID:
                raise looptree.InvalidArgumentError(
                    f"expected a fleet of at most {_LAST_ID} frames, found more; make a second one")
            manifest["drives"].append(asdict(new))
            manifest["next_id"] = new.last + _GAP
        return new

    def remove(self, name: str) -> None:
        """Removes a drive, its maps and its closures. The maps of others stay as they are."""
        drive = self.drive(name)
        with self._change() as manifest:
            manifest["drives"] = [each for each in manifest["drives"] if each["name"] != name]
        shutil.rmtree(self.path / "shards" / drive.folder, ignore_errors=True)

    def drive(self, name: str) -> Drive:
        for drive in self.drives:
            if drive.name == name:
                return drive
        known = ", ".join(each.name for each in self.drives) or "none"
        raise looptree.NotFoundError(f"expected a drive of the fleet ({known}), found '{name}'")

    def shards(self) -> List[Shard]:
        return [shard for drive in self.drives for shard in drive.shards()]

    def folder_of(self, shard: Shard) -> pathlib.Path:
        return self.path / "shards" / shard.name

    def is_built(self, shard: Shard) -> bool:
        return (self.folder_of(shard) / "shard.json").exists()

    def kept(self, drive: Drive) -> npt.NDArray[np.int64]:
        """The numbers of the frames that the drive's maps hold, of those that are built."""
        parts = [np.zeros(0, np.int64)]
        for shard in filter(self.is_built, drive.shards()):
            held = np.setdiff1d(shard.held, Record.read(self.folder_of(shard)).skipped)
            parts.append(held[(held >= shard.begin) & (held < shard.end)])
        return np.concatenate(parts)

    def frame(self, id: int) -> Tuple[str, int]:
        """The drive of a fleet's id, and the number of the frame in it."""
        for drive in self.drives:
            if drive.first <= id < drive.last:
                return drive.name, id - drive.first
        raise looptree.NotFoundError(f"expected the id of a frame of this fleet, found {id}")

    def vocabulary(self) -> looptree.Vocabulary:
        if self.words.is_own:
            raise looptree.InvalidArgumentError(
                f"{self.path}: expected a fleet with a vocabulary, found one of words of your own")
        return looptree.Vocabulary.load(self.path / "vocabulary")

    def map_vocabulary(self) -> looptree.MapVocabulary:
        """What a map of words of the user's own is made with."""
        weights = self.path / "weights.npy"
        return looptree.MapVocabulary(
            self.words.number, self.words.hash,
            word_weights=np.load(weights) if weights.exists() else None)


def _own_words(number: int) -> Words:
    if number < 1:
        raise looptree.InvalidArgumentError(f"expected at least one word, found {number}")
    return Words(number, number)


def _checked_weights(words: int, given: npt.ArrayLike) -> npt.NDArray[np.float64]:
    weights = np.asarray(given, np.float64)
    if weights.shape != (words,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise looptree.InvalidArgumentError(
            f"expected a finite weight of at least 0 for each of the {words} words, found an array "
            f"of shape {weights.shape}"
            f"{' with other values' if weights.shape == (words,) else ''}")
    return weights


def _make_folder(folder: pathlib.Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise looptree.IoError(f"{folder}: expected to make this folder, found that the system "
                               f"refused: {error}") from None


def _drive(entry: Dict[str, Any]) -> Drive:
    calibration = entry.get("calibration")
    typed: Dict[str, Any] = {"source": Source(**entry["source"]),
                             "calibration": tuple(calibration) if calibration else None}
    drive = Drive(**{**entry, **typed})
    numbers = (drive.first, drive.frames, drive.overlap, drive.piece - 1, drive.every - 1)
    if not all(isinstance(each, int) and each >= 0 for each in numbers):
        raise ValueError(f"a drive of other numbers, {entry}")
    return drive


@dataclass(frozen=True)
class Record:
    """What shard.json says of a finished shard."""

    owned: int  # frames that are its own
    held: int  # and with those beside them
    skipped: Tuple[int, ...]  # numbers of frames without words
    files: Dict[str, int]  # names and sizes

    @staticmethod
    def read(folder: pathlib.Path) -> Record:
        """Throws FileNotFoundError where there is none."""
        file = folder / "shard.json"
        try:
            told = json.loads(file.read_text())
            return Record(int(told["owned"]), int(told["held"]),
                          tuple(int(each) for each in told["skipped"]),
                          {str(name): int(size) for name, size in told["files"].items()})
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise looptree.CorruptionError(
                f"{file}: expected what a shard holds, found {error!r}; remove {folder} and run "
                "looptree-fleet build, which makes it again") from None

    def write(self, folder: pathlib.Path) -> None:
        told = {"looptree": looptree.__version__, **asdict(self)}
        write_whole(folder / "shard.json", lambda file: file.write(json.dumps(told).encode()))


def _encode(manifest: Any) -> bytes:
    return (json.dumps(manifest, indent=1) + "\n").encode()


def temporary(path: pathlib.Path) -> pathlib.Path:
    """A name beside `path` that nobody else has."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.part")


def write_whole(path: pathlib.Path, write: Callable[[IO[bytes]], object]) -> None:
    """A file under its name once all of it is on disk."""
    part = temporary(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        raise _refused(path, error) from None
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def folder_whole(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A folder under its name once all in it is written. Of two who write it, the first wins."""
    part = temporary(path)
    try:
        part.mkdir(parents=True)
        yield part
        with contextlib.suppress(OSError):
            os.rename(part, path)
        if not path.exists():
            raise looptree.IoError(f"{path}: expected to write it, could not rename {part} to it")
    except OSError as error:
        raise _refused(path, error) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _refused(path: pathlib.Path, error: OSError) -> looptree.Error:
    """A full disk, say: nothing is left under that name, and what was finished before stays."""
    if isinstance(error, looptree.Error) and not isinstance(error, looptree.IoError):
        return error
    return looptree.IoError(f"{path}: expected to write it, found that the system refused: {error}. "
                            "What was finished before is kept: make room and run the same command "
                            "again to go on")
