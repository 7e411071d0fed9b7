#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""looptree serve under load: serve_load.py LOOPTREE [MAP] [--seconds 600] [--connections 64] [--images 8]

Needs wrk (a Debian package). Without MAP one of 400 places of the demo world is made; a MAP needs 100 places. Asks for words,
places, pictures and the summary in turns; with --images as many more connections look up an image all the time, which takes
all cores. Prints requests, statuses and times, the processor time of the server, and its memory after a warm-up (a tenth of
the time) and at the end. Fails where an answer to anything but an image was an error.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

LUA = pathlib.Path(__file__).with_name("serve_load.lua")


def resident_mb(pid: int) -> float:
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1000


def processor_seconds(pid: int) -> float:
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Wrk:
    """wrk at work; `image` is looked up instead of all else."""

    def __init__(self, url: str, connections: int, seconds: int, image: str | None = None):
        threads = min(2, connections)
        command = ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "-s", str(LUA), url]
        environment = dict(os.environ) | ({"SERVE_LOAD_IMAGE": image} if image else {})
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    def result(self) -> dict:
        said, _ = self.process.communicate()
        if self.process.returncode != 0:
            sys.exit(f"error: expected wrk to measure, found: {said}")
        return json.loads(said.strip().splitlines()[-1])


def tell(name: str, found: dict) -> None:
    statuses = ", ".join(f"{status}: {count}" for status, count in sorted(found["statuses"].items()))
    lost = ", ".join(f"{kind} {found[kind]}" for kind in ("connect", "read", "write", "timeout"))
    rate = found["requests"] / found["seconds"]
    print(f"{name}: {found['requests']} answers in {found['seconds']:.0f} s, {rate:.0f} a second")
    print(f"  by status: {statuses}; errors of sockets, and answers after 2 s: {lost}")
    print("  " + ", ".join(f"{key} {found[key]:.1f} ms" for key in ("p50", "p90", "p99", "longest")))


def demo(looptree: str, folder: str) -> tuple[str, str]:
    """A map of 400 places, and an image of one."""
    world, city = f"{folder}/world", f"{folder}/city.map"
    size = ["--frames", "400", "--width", "640", "--height", "400"]
    for command in (["world", world, *size], ["detect", world, "--map", city, "--output", f"{folder}/run"]):
        subprocess.run([looptree, *command], check=True, stdout=subprocess.DEVNULL)
    return city, f"{world}/image_0/000040.png"


def measure(arguments: argparse.Namespace, server: subprocess.Popen) -> int:
    url = re.search(r"http://\S+", server.stdout.readline()).group(0).rstrip("/")
    warm_up = max(2, arguments.seconds // 10)
    Wrk(url, arguments.connections, warm_up).result()
    memory, processor = [resident_mb(server.pid)], processor_seconds(server.pid)
    cheap = Wrk(url, arguments.connections, arguments.seconds)
    images = Wrk(url, arguments.images, arguments.seconds, arguments.image) if arguments.images else None
    done = threading.Event()

    def watch() -> None:
        while not done.wait(max(1, arguments.seconds / 100)):
            memory.append(resident_mb(server.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    found = cheap.result()
    looked_up = images.result() if images else None
    done.set()
    watcher.join()
    used = processor_seconds(server.pid) - processor
    tell("words, places, pictures, the summary", found)
    if looked_up:
        tell("images", looked_up)
    print(f"processor of the server: {used:.1f} s, {1000 * used / found['requests']:.3f} ms an answer")
    print(f"memory: {memory[0]:.1f} MB before, at most {max(memory):.1f}, {resident_mb(server.pid):.1f} after")
    lost = sum(found[kind] for kind in ("connect", "read", "write", "timeout"))
    return 1 if lost or set(found["statuses"]) != {"200"} else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("looptree")
    parser.add_argument("map", nargs="?")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--images", type=int, default=0, help="connections that look up an image")
    parser.add_argument("--image", help="the image; by default one of the demo world")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        if not arguments.map or (arguments.images and not arguments.image):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            city, image = demo(arguments.looptree, folder)
            arguments.map, arguments.image = arguments.map or city, arguments.image or image
        command = [arguments.looptree, "serve", arguments.map, "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            return measure(arguments, server)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
