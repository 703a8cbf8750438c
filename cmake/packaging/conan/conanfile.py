# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A recipe for Conan 2, which packs the headers and takes the libraries of glt::io from Conan. In the folder of glt:
#   conan create cmake/packaging/conan -s compiler.cppstd=20 [-o "glt/*:io=False"]
# MPI, METIS, PT-Scotch and LibTorch are those of the system: a program finds them itself and links them beside glt::mpi.
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load


class GltConan(ConanFile):
    name = "glt"
    license = "Apache-2.0 WITH LLVM-exception"
    description = "Header-only C++20 library that partitions graphs, samples neighbourhoods and collects features over MPI"
    topics = ("graph", "graph neural networks", "mpi", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"io": [True, False]}
    default_options = {"io": True}
    no_copy_source = True

    @property
    def _root(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", "..", ".."))

    def set_version(self):
        text = load(self, os.path.join(self._root, "include", "glt", "version.hpp"))
        self.version = ".".join(re.findall(r"#define GLT_VERSION_\w+ (\d+)", text))

    def export_sources(self):
        copy(self, "include/*", self._root, self.export_sources_folder)
        copy(self, "LICENSE", self._root, self.export_sources_folder)

    def requirements(self):
        if self.options.io:
            self.requires("zlib/[>=1.2.11 <2]")
            self.requires("libzip/[>=1.7 <2]")
            self.requires("nlohmann_json/[>=3.11 <4]")
            self.requires("xxhash/[>=0.8 <1]")

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "*", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.settings.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "glt")
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "glt::glt")
        core.set_property("pkg_config_name", "glt")
        core.bindirs = core.libdirs = []
        if self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["pthread", "rt"]
        mpi = self.cpp_info.components["mpi"]
        mpi.set_property("cmake_target_name", "glt::mpi")
        mpi.requires = ["core"]
        mpi.defines = ["OMPI_SKIP_MPICXX", "MPICH_SKIP_MPICXX"]
        mpi.bindirs = mpi.libdirs = []
        if self.options.io:
            io = self.cpp_info.components["io"]
            io.set_property("cmake_target_name", "glt::io")
            io.set_property("pkg_config_name", "glt-io")
            io.requires = ["core", "zlib::zlib", "libzip::libzip", "nlohmann_json::nlohmann_json", "xxhash::xxhash"]
            io.bindirs = io.libdirs = []
