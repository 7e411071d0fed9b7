# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Many drives, many machines: a fleet is a folder of maps that Dask's workers build, ask and close.

docs/fleet.md is the tour, looptree-fleet the command. Without Dask everything runs in this process.
"""
import looptree

if not (looptree.has_store and looptree.has_vision):
    raise ImportError("looptree.fleet needs a looptree built with SQLite and OpenCV: see "
                      "looptree.has_store and looptree.has_vision")

from .closing import Closing
from .engine import Engine, InProcess, Task
from .export import export
from .folder import Drive, Fleet, Shard, Source
from .jobs import Closed, FleetMatch, Found, build, close, query
from .sources import Frames

__all__ = ["Closed", "Closing", "Drive", "Engine", "Fleet", "FleetMatch", "Found", "Frames",
           "InProcess", "Shard", "Source", "Task", "build", "close", "export", "query"]
