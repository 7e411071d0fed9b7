# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The tasks on Dask's workers. Which worker, when, and again after a worker died, is Dask's."""
from __future__ import annotations

import importlib.util
import itertools
import queue
import time
import uuid
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Type

import looptree

from .engine import Task

try:
    import dask
    import distributed
except ImportError as error:
    raise ImportError("expected Dask, to run on several processes or machines, found none: install "
                      "python3-distributed (Debian) or dask[distributed] (pip)") from error

_AHEAD = 4  # tasks that are under way for each thread of a worker
_LOOK_S = 5  # without a result, until it is asked whether there are workers
_PATIENCE_S = 60  # without any worker


class OnDask:
    """Runs tasks on a cluster of Dask. An open shard is a result that stays with its worker, and
    Dask sends tasks to their data; where a worker dies, another opens the shard again."""

    def __init__(self, client: Any, cluster: Any = None, workers: int = 0) -> None:
        self.client = client
        self._cluster = cluster  # of this machine, with so many workers
        self._workers = workers
        self._kept: Dict[str, Any] = {}  # shards that workers hold open
        self._require_same_version()

    @staticmethod
    def local(workers: int = 2, threads: int = 1) -> OnDask:
        """A cluster on this machine, which ends with this object."""
        with dask.config.set({"distributed.scheduler.allowed-failures": 100}):
            # What a worker maps is no memory it uses, but Dask cannot tell: no limit.
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=threads, memory_limit=0,
                dashboard_address=":0", processes=True, host="127.0.0.1")
        return OnDask(distributed.Client(cluster), cluster, workers)

    @staticmethod
    def connect(address: str) -> OnDask:
        """The cluster of a scheduler that runs, tcp://host:8786."""
        try:
            return OnDask(distributed.Client(address, timeout=10))
        except OSError as error:
            raise looptree.NotFoundError(
                f"expected a scheduler of Dask at {address}, found none ({error}); start one with "
                "dask-scheduler, and workers with dask-worker") from None
        except ValueError as error:
            raise looptree.InvalidArgumentError(
                f"expected the address of a scheduler, tcp://host:8786, found '{address}' "
                f"({error})") from None

    @property
    def dashboard(self) -> str:
        """Its address, or nothing where bokeh is not installed."""
        return str(self.client.dashboard_link) if importlib.util.find_spec("bokeh") else ""

    def close(self) -> None:
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()

    def pids(self) -> List[int]:
        """The processes of a local cluster's workers."""
        known = {each["name"] for each in self.client.scheduler_info()["workers"].values()}
        nannies = self._cluster.workers.items() if self._cluster is not None else ()
        return [nanny.pid for name, nanny in nannies if name in known and nanny.pid]

    def __enter__(self) -> OnDask:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def run(self, tasks: Iterable[Task]) -> Iterator[Tuple[Task, Any]]:
        run = uuid.uuid4().hex[:8]  # so that no result of another run is taken for one of this
        todo = iter(tasks)
        under_way: Dict[str, Task] = {}
        finished: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def begin(count: int) -> None:
            for task in itertools.islice(todo, count):
                future = self._submit(task, run)
                under_way[future.key] = task
                future.add_done_callback(finished.put)

        seen = [time.monotonic()]
        try:
            begin(_AHEAD * max(1, sum(self.client.nthreads().values())))
            while under_way:
                try:
                    future = finished.get(timeout=_LOOK_S)
                    result = future.result(timeout=_LOOK_S)
                except queue.Empty:
                    self._require_workers(seen)
                    continue
                except distributed.TimeoutError:  # lost with its worker, and made again
                    self._require_workers(seen)
                    finished.put(future)
                    continue
                seen[0] = time.monotonic()
                task = under_way.pop(future.key)
                future.release()
                begin(1)
                yield task, result
        except distributed.KilledWorker as error:
            raise looptree.IoError(
                f"a task was lost with its worker again and again ({error}); see the workers' logs "
                "for what kills them: most often it is memory. What is finished is kept: run the "
                "same command again to go on") from None
        except (CancelledError, distributed.comm.CommClosedError) as error:
            raise looptree.IoError(
                f"expected the scheduler at {self._address()}, found that it is gone "
                f"({type(error).__name__}). What is finished is kept in the fleet's folder: start a "
                "scheduler and workers and run the same command again to go on") from None
        except Exception:
            self._require_same_version()  # one that came later may be why
            raise

    def _require_workers(self, seen: List[float]) -> None:
        """Gives up where there has been none for long; seen: when there was one."""
        if self._cluster is not None:
            self._cluster.scale(self._workers)  # starts what was killed while it started
        if self.client.nthreads():
            seen[0] = time.monotonic()
        elif time.monotonic() - seen[0] > _PATIENCE_S:
            raise looptree.IoError(
                f"expected workers at {self._address()}, found that none is left. What is finished "
                "is kept in the fleet's folder: start workers and run the same command again to go "
                "on")

    def _address(self) -> str:
        scheduler = self.client.scheduler
        return str(scheduler.address) if scheduler is not None else "its address"

    def _submit(self, task: Task, run: str) -> Any:
        """A task and those it needs go to the scheduler together: of each apart, the messages and
        the book-keeping would cost more than all else that Dask does."""
        graph: Dict[str, Tuple[Any, ...]] = {}
        return self.client.get(graph, self._enter(task, run, graph), sync=False, retries=2)

    def _enter(self, task: Task, run: str, graph: Dict[str, Tuple[Any, ...]]) -> Any:
        """What stands for the result of a task among the arguments of another."""
        if task.keep:
            return self._keep(task)
        key = f"{task.key}-{run}"
        if key not in graph:
            graph[key] = (_run_as, looptree.__version__, task.function,
                          *[self._enter(each, run, graph) if isinstance(each, Task) else each
                            for each in task.arguments])
        return key

    def _keep(self, task: Task) -> Any:
        future = self._kept.get(task.key)
        if future is None or future.status in ("error", "lost", "cancelled"):
            future = self.client.submit(
                _run_as, looptree.__version__, task.function, *task.arguments, retries=2,
                pure=False, key=f"{task.key}-{uuid.uuid4().hex[:8]}")
            self._kept[task.key] = future
        return future

    def _require_same_version(self) -> None:
        # A lambda travels whole, so that another version need not know it.
        found = self.client.run(lambda: __import__("looptree").__version__, on_error="return")
        for worker, version in found.items():
            if isinstance(version, OSError):
                continue  # it is gone, and does no work
            if isinstance(version, Exception):
                raise looptree.UnsupportedError(
                    f"expected looptree {looptree.__version__} on every worker, found none on "
                    f"{worker}, which says: {version}") from None
            if version != looptree.__version__:
                raise _other_version(looptree.__version__, version, worker)


def _run_as(version: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """On a worker: the work, if this is the looptree that asks for it. Workers may come and go."""
    if version != looptree.__version__:
        raise _other_version(version, looptree.__version__, distributed.get_worker().address)
    return function(*arguments)


def _other_version(expected: str, found: str, worker: str) -> looptree.Error:
    return looptree.UnsupportedError(f"expected looptree {expected} on every worker, found {found} "
                                     f"on {worker}; install the same one everywhere")
