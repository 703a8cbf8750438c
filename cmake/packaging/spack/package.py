# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A recipe for Spack. In a repository of yours: spack repo create glt-repo; copy this folder to
# glt-repo/packages/glt; spack repo add glt-repo; spack dev-build glt@0.1.0 in the folder of glt, or set `url` and a
# checksum where you keep archives of it.
from spack.package import *


class Glt(CMakePackage):
    """Header-only C++20 library that partitions graphs, samples neighbourhoods and collects features over MPI."""

    homepage = "https://example.invalid/glt"
    url = "https://example.invalid/glt/archive/v0.1.0.tar.gz"
    git = "https://example.invalid/glt.git"

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("io", default=True, description="Readers of data sets and glt-parts folders")
    variant("metis", default=True, description="The METIS partitioner")
    variant("mpi", default=True, description="The MPI communicator")
    variant("ptscotch", default=False, when="+mpi", description="The PT-Scotch partitioner")
    variant("torch", default=False, description="Tensors of LibTorch and layers over batches")
    variant("tools", default=True, when="+io", description="Build glt-partition")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("zlib-api", when="+io")
    depends_on("libzip", when="+io")
    depends_on("nlohmann-json", when="+io")
    depends_on("xxhash", when="+io")
    depends_on("cli11", when="+tools", type="build")
    depends_on("metis@5.1:", when="+metis")
    depends_on("mpi@3.1:", when="+mpi")
    depends_on("scotch@7.0:+mpi", when="+ptscotch")
    depends_on("py-torch", when="+torch")

    conflicts("%gcc@:11", msg="glt needs the C++20 of g++ 12 or newer")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("GLT_IO", "io"),
            self.define_from_variant("GLT_METIS", "metis"),
            self.define_from_variant("GLT_MPI", "mpi"),
            self.define("GLT_PTSCOTCH", "+ptscotch" in self.spec),
            self.define_from_variant("GLT_TORCH", "torch"),
            self.define_from_variant("GLT_BUILD_PARTITION", "tools"),
        ]
        for off in ("THRUST", "CUDA", "NCCL", "DLPACK", "BUILD_TESTS", "BUILD_BENCHMARKS", "BUILD_EXAMPLES"):
            args.append(self.define("GLT_" + off, False))
        return args
