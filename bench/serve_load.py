#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""looptree serve under load: serve_load.py LOOPTREE MAP [--seconds 600] [--connections 64]

Needs wrk (a Debian package) and a map with at least 100 places. Prints what wrk measured, and the
memory of the server after a warm-up, in between, and at the end. Fails where an answer was an error.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import threading
import time

LUA = pathlib.Path(__file__).with_name("serve_load.lua")


def resident_mb(pid: int) -> float:
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1000


def wrk(url: str, connections: int, seconds: int) -> str:
    command = ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(LUA), url]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("looptree")
    parser.add_argument("map")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--connections", type=int, default=64)
    arguments = parser.parse_args()
    command = [arguments.looptree, "serve", arguments.map, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", server.stdout.readline()).group(0).rstrip("/")
        wrk(url, arguments.connections, max(2, arguments.seconds // 10))
        memory = [resident_mb(server.pid)]
        done = threading.Event()

        def watch() -> None:
            while not done.wait(max(1, arguments.seconds / 8)):
                memory.append(resident_mb(server.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        said = wrk(url, arguments.connections, arguments.seconds)
        done.set()
        watcher.join()
        time.sleep(1)
        memory.append(resident_mb(server.pid))
    finally:
        server.terminate()
        server.wait()
    print(said)
    told = ", ".join(f"{mb:.1f}" for mb in memory)
    print(f"memory (MB), from the warm-up to a second after the end: {told}")
    return 1 if "Non-2xx" in said or "Socket errors" in said else 0


if __name__ == "__main__":
    sys.exit(main())
