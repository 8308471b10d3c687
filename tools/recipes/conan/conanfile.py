"""Conan 2: conan create tools/recipes/conan, from a checkout of the sources."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps


class TareConan(ConanFile):
    name = "tare"
    version = "0.1.0"
    license = "Apache-2.0"
    description = ("INT8 calibration for ONNX models whose inputs change length, and the engine "
                   "that uses it")
    topics = ("int8", "calibration", "onnx", "audio", "nlp")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    requires = ("cjson/1.7.18", "hdf5/1.14.3", "kissfft/131.1.0", "libarchive/3.7.4",
                "libsamplerate/0.2.2", "libsndfile/1.2.2", "onnx/1.16.2", "pcre2/10.42",
                "protobuf-c/1.5.0", "utf8proc/2.9.0", "xxhash/0.8.2", "zlib/[>=1.2.11 <2]")
    tool_requires = ("protobuf-c/1.5.0", "pkgconf/2.2.0")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("tare is for Linux")

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "base/*", "shapes/*",
                        "kernels/*", "datasets/*", "graph/*", "engine/*", "calib/*", "tools/*",
                        "examples/c/*", "docs/man/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TARE_TESTS"] = False
        toolchain.cache_variables["TARE_COMMAND"] = False
        toolchain.cache_variables["TARE_SENTENCEPIECE"] = "OFF"
        proto = self.dependencies["onnx"].cpp_info.includedirs[0]
        toolchain.cache_variables["TARE_ONNX_PROTO"] = os.path.join(proto, "onnx", "onnx.proto")
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["tare"]
        self.cpp_info.set_property("cmake_file_name", "tare")
        self.cpp_info.set_property("cmake_target_name", "tare::tare")
        self.cpp_info.set_property("pkg_config_name", "tare")
