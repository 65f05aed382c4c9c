# Spack's recipe: copy it to packages/tview/package.py of a repository of yours, and say there where the sources are.
from spack.package import *


class Tview(MakefilePackage):
    """Shows where the time of an MPI program goes, in a terminal: records runs, corrects clocks, removes measurement
    overhead, finds wait states and their causes; opens OTF2 archives and PICL files."""

    license("BSD-3-Clause")
    # `make dist` writes it: spack mirror, or file:///folder/tview-0.1.0.tar.gz
    url = "file:///opt/sources/tview-0.1.0.tar.gz"
    version("0.1.0")

    variant("replay", default=True, description="tview-replay, which needs MPICH")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("uthash", type="build")
    depends_on("ncurses")
    depends_on("pcre2")
    depends_on("otf2@3:")
    depends_on("zstd")
    depends_on("zlib-api")
    depends_on("sqlite")
    depends_on("utf8proc")
    depends_on("jansson")
    depends_on("xxhash")
    depends_on("libinih")
    depends_on("elfutils")
    depends_on("llvm +clang")
    depends_on("mpich", when="+replay")

    @property
    def build_targets(self):
        return [
            "NO_INSTALL=1",
            f"PREFIX={self.prefix}",
            f"LLVM={self.spec['llvm'].prefix}",
            "all",
        ]

    @property
    def install_targets(self):
        return self.build_targets[:-1] + ["install"]
