# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The exceptions of looptree: one class per kind, all of them looptree.Error."""


class Error(Exception):
    """What looptree raises. str() is a sentence: what was expected, what was found."""

    kind: str = "unknown"
    """What went wrong, coarse enough to act on: "invalid argument", "not found", ..."""


class InvalidArgumentError(Error, ValueError):
    """The caller passed something out of contract."""

    kind = "invalid argument"


class NotFoundError(Error, FileNotFoundError):
    """A file or an object that should exist does not."""

    kind = "not found"


class CorruptionError(Error):
    """A file is truncated, altered or contradicts itself."""

    kind = "corruption"


class UnsupportedError(Error):
    """Well-formed, but of a version or kind this build does not handle."""

    kind = "unsupported"


class IoError(Error, OSError):
    """The operating system refused: permission, full disk, ..."""

    kind = "io"


class CancelledError(Error):
    """The caller asked to stop."""

    kind = "cancelled"


for _each in (Error, InvalidArgumentError, NotFoundError, CorruptionError, UnsupportedError,
              IoError, CancelledError):
    _each.__module__ = "looptree"
