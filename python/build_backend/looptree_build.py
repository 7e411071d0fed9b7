# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Builds the wheel with cmake and nothing but Python's own library, so that pip needs no network.

The interpreter that runs this is the one that is built for. What is found on the machine decides
what the package holds: without OpenCV no LoopDetector, without SQLite no Map. The build folder,
build/pip, is kept, so a second run is short.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME = "looptree"


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(looptree VERSION ([\d.]+)", text).group(1)


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\n"
            "Summary: Visual loop closure: a pooled bag-of-words index\nLicense: MIT\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\n"
            "Provides-Extra: fleet\nRequires-Dist: distributed; extra == 'fleet'\n"
            "Description-Content-Type: text/markdown\n\n"
            + (ROOT / "docs" / "python.md").read_text())


def configure(build, *options):
    command = ["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
               "-DLOOPTREE_PYTHON=ON", "-DLOOPTREE_INSTALL=OFF",
               f"-DPython_EXECUTABLE={sys.executable}", *options]
    if shutil.which("ninja") and not (build / "Makefile").exists():
        command += ["-G", "Ninja"]
    if shutil.which("ccache"):
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    return subprocess.run(command).returncode == 0


def part_done(line):
    """Per cent, by a line of ninja ("[34/283] Building ...") or make ("[ 12%] Building ..."), else None."""
    found = re.match(r"\[\s*(\d+)(?:/(\d+)|%)\]", line)
    if not found:
        return None
    done, total = int(found.group(1)), int(found.group(2) or 100)
    return 100 * done // max(1, total)


def terminal_behind_pip():
    """pip keeps the output of a build to itself, and minutes of silence look like a hang. None without a terminal."""
    try:
        return open("/dev/tty", "w") if sys.stderr is None or not sys.stderr.isatty() else None
    except OSError:
        return None


def run_shown(command, terminal=None):
    """Runs a build, and says on the terminal how far it is."""
    terminal = terminal or terminal_behind_pip()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as build:
        for line in build.stdout:
            print(line, end="", flush=True)
            if terminal and part_done(line) is not None:
                print(f"\r  compiling looptree: {part_done(line)} % ", end="", file=terminal, flush=True)
    if terminal:
        print("\r" + " " * 40 + "\r", end="", file=terminal, flush=True)
    if build.returncode:
        raise SystemExit(f"error: {' '.join(command)} failed; its messages are above")


def build_package():
    """The folder that holds looptree/, compiled."""
    missing = [tool for tool in ("cmake", "c++") if not shutil.which(tool)]
    if missing:
        raise SystemExit(f"error: expected {' and '.join(missing)} to build with, found none. "
                         "On Debian, ./dev setup installs all that is needed.")
    build = ROOT / "build" / "pip" / tag()
    for store, vision in (("ON", "ON"), ("ON", "OFF"), ("OFF", "ON"), ("OFF", "OFF")):
        parts = (f"-DLOOPTREE_BUILD_STORE={store}", f"-DLOOPTREE_BUILD_VISION={vision}")
        if configure(build, *parts):
            break
        print(f"looptree: cannot be configured with {' '.join(parts)}, see above", flush=True)
    else:
        raise SystemExit("error: cmake refused every way to build looptree; its messages are above."
                         " On Debian, ./dev setup installs all that is needed.")
    run_shown(["cmake", "--build", str(build), "--parallel", str(os.cpu_count() or 1),
               "--target", "looptree_python"])
    staged = build / "wheel"
    shutil.rmtree(staged, ignore_errors=True)
    subprocess.run(["cmake", "--install", str(build), "--component", "python", "--strip",
                    "--prefix", str(staged)], check=True)
    return staged


def write_wheel(directory, files):
    """A wheel of {path in it: bytes}; returns its name."""
    info = f"{NAME}-{version()}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: looptree_build\n"
                              f"Root-Is-Purelib: false\nTag: {tag()}\n").encode()
    files[f"{info}/entry_points.txt"] = (
        b"[console_scripts]\nlooptree-fleet = looptree.fleet.cli:main\n")
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"{NAME}-{version()}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name


# What pip calls (PEP 517 and PEP 660).

def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_editable(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path(metadata_directory) / f"{NAME}-{version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata())
    return info.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    staged = build_package()
    return write_wheel(wheel_directory, {
        str(path.relative_to(staged)): path.read_bytes()
        for path in sorted(staged.rglob("*")) if path.is_file()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Points to the build folder: `cmake --build` there and the next import has the change."""
    staged = build_package()
    package = staged.parent / "python"
    return write_wheel(wheel_directory, {f"__editable__.{NAME}.pth": f"{package}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    """The files that git tracks, or, without git, all but build folders."""
    name = f"{NAME}-{version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True)
    if listed.returncode == 0:
        paths = [path for path in listed.stdout.decode().split("\0") if path]
    else:
        paths = [str(path.relative_to(ROOT)) for path in sorted(ROOT.rglob("*"))
                 if path.is_file() and path.relative_to(ROOT).parts[0] not in ("build", ".git")]
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in paths:
            if (ROOT / path).is_file():
                archive.add(ROOT / path, f"{name}/{path}")
        package_info = pathlib.Path(sdist_directory) / "PKG-INFO"
        package_info.write_text(metadata())
        archive.add(package_info, f"{name}/PKG-INFO")
        package_info.unlink()
    return f"{name}.tar.gz"
