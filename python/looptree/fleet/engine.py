# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Who runs the tasks: this process, one after another (the oracle), or the workers of Dask."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, Protocol, Tuple


@dataclass(frozen=True)
class Task:
    """A call of a plain function. Tasks among its arguments run first and stand for their results.
    `keep`: the result is kept for other tasks that name this key, where it was made."""

    key: str
    function: Callable[..., Any]
    arguments: Tuple[Any, ...]
    keep: bool = False


class Engine(Protocol):
    def run(self, tasks: Iterable[Task]) -> Iterator[Tuple[Task, Any]]:
        """Runs all of them, some at a time, and yields each with its result, in any order."""


class InProcess:
    """One after another, here. What any other engine returns must equal this."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Tuple[Task, Any]]:
        for task in tasks:
            yield task, _evaluate(task, {})


def _evaluate(task: Task, known: Dict[str, Any]) -> Any:
    if task.key not in known:
        arguments = [_evaluate(each, known) if isinstance(each, Task) else each
                     for each in task.arguments]
        known[task.key] = task.function(*arguments)
    return known[task.key]
