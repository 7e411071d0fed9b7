#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""Checks what can be checked of packaging/ without vcpkg and Conan: syntax, version, options."""
import ast
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = re.search(r"project\(looptree VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
CMAKE = "\n".join(path.read_text() for path in (ROOT / "CMakeLists.txt", ROOT / "looptree" / "CMakeLists.txt"))

wrong = []
port = json.loads((ROOT / "packaging" / "vcpkg" / "vcpkg.json").read_text())
if port["version"] != VERSION:
    wrong.append(f"vcpkg.json: expected version {VERSION}, found {port['version']}")
recipe = (ROOT / "packaging" / "conan" / "conanfile.py").read_text()
ast.parse(recipe)
for feature in port["features"]:
    option = f"LOOPTREE_BUILD_{feature.upper()}"
    if option not in CMAKE:
        wrong.append(f"vcpkg.json: found a feature {feature}, but CMake has no option {option}")
    if option not in (ROOT / "packaging" / "vcpkg" / "portfile.cmake").read_text():
        wrong.append(f"portfile.cmake: expected the feature {feature}, found none")
    if f'"{feature}": [True, False]' not in recipe:
        wrong.append(f"conanfile.py: expected an option {feature}, found none")
print("\n".join(wrong) or "packaging: in order")
sys.exit(bool(wrong))
