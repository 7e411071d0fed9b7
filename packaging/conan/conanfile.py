# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""conan create packaging/conan, from a clone, whose sources it takes."""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class LooptreeConan(ConanFile):
    name = "looptree"
    license = "MIT"
    description = "Visual loop closure: a pooled bag-of-words index"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "store": [True, False], "vision": [True, False],
               "graph": [True, False]}
    default_options = {"shared": False, "store": False, "vision": False, "graph": False}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt"))
        self.version = re.search(r"project\(looptree VERSION ([\d.]+)", text).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "looptree/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("highway/[>=1.0]")
        self.requires("xxhash/[>=0.8]")
        self.requires("zlib/[>=1.2]")
        if self.options.store:
            self.requires("sqlite3/[>=3.37]")
        if self.options.vision:
            for name in ("opencv/[>=4.5 <5]", "lz4/[>=1.9]", "zstd/[>=1.5]", "bzip2/[>=1.0]"):
                self.requires(name)
        if self.options.graph:
            self.requires("ceres-solver/[>=2.0]")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("store", "vision", "graph"):
            toolchain.variables[f"LOOPTREE_BUILD_{part.upper()}"] = bool(getattr(self.options, part))
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # it brings its own package file
        self.cpp_info.builddirs = ["lib/cmake/looptree"]
