# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Runs looptree, each thing once: word files and the folders of experiments."""
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

FEATURES = ["--features", "cv-orb"]  # as KITTI 05's words were made, whose images are not here


class Runner:
    """Makes what is missing below a folder, and notes what it took."""

    def __init__(self, looptree, work, quick=False, again="", only="*", write_only=False):
        self.looptree = looptree
        self.work = work
        self.quick = quick
        self.again = again
        self.only = only.split(",")
        self.write_only = write_only
        self.folder = work / ("quick" if quick else "results")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.failed = {}

    def few(self, quick, full):
        """What to ask for in a quick run, and in a full one."""
        return quick if self.quick else full

    def call(self, *arguments):
        """Runs looptree; returns its exit code, its last lines and the processor seconds."""
        command = [str(self.looptree), *map(str, arguments)]
        print("$", " ".join(command), flush=True)
        started = time.time()
        with tempfile.TemporaryFile("w+") as errors:
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            said = errors.read().strip().splitlines()[-1:]
        seconds = usage.ru_utime + usage.ru_stime
        print(f"  {time.time() - started:.0f} s, {seconds:.0f} s of processor time", flush=True)
        if child.returncode != 0:
            print(*said, file=sys.stderr, flush=True)
        return child.returncode, said, seconds

    def make(self, out, *arguments):
        """Makes a word file by `looptree ... --output OUT`; None if it fails."""
        if not out.exists() and not self.write_only:
            part = out.with_suffix(".part")
            code, _, seconds = self.call(*arguments, "--output", part)
            if code == 0:
                part.rename(out)
                out.with_suffix(".seconds").write_text(f"{seconds:.1f}\n")
        return out if out.exists() else None

    def words(self, name, source, vocabulary, *options):
        """The word file of a sequence; None if the sequence is absent or cannot be read."""
        if not source.exists() and str(source) != "demo":
            return None
        features = [] if "--features" in options else FEATURES
        return self.make(self.work / f"{name}.words", "words", source, "--vocabulary",
                         self.work / vocabulary, *features, *options)

    def run(self, name, *arguments):
        """The metrics of an experiment; None if it could not be run."""
        folder = self.folder / name
        asked = any(fnmatch.fnmatch(name, one) for one in self.only) and not self.write_only
        if asked and self.again and fnmatch.fnmatch(name, self.again):
            shutil.rmtree(folder, ignore_errors=True)
        if not (folder / "metrics.json").exists():
            if not asked or None in arguments:
                return None
            shutil.rmtree(folder, ignore_errors=True)
            load = os.getloadavg()[0]
            code, said, seconds = self.call("eval", *arguments, "--output", folder)
            if code != 0:
                self.failed[name] = said
                return None
            (folder / "run.json").write_text(json.dumps({"load": load, "seconds": seconds}))
        return json.loads((folder / "metrics.json").read_text())
