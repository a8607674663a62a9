"""The HPC Challenge: Linpack, transposition, random access, FFT, bandwidths; each of them checks what it has computed."""
import re
import shutil

from suite import Skipped, renamed_flags, require

PACKAGES = ["hpcc"]
MAKEFILE = """SHELL = /bin/sh
CD = cd
CP = cp
LN_S = ln -fs
MKDIR = mkdir -p
RM = rm -f
TOUCH = touch
TOPdir = ../../..
INCdir = $(TOPdir)/include
BINdir = $(TOPdir)/bin/$(ARCH)
LIBdir = $(TOPdir)/lib/$(ARCH)
HPLlib = $(LIBdir)/libhpl.a
LAlib = -lopenblas
HPL_INCLUDES = -I$(INCdir) -I$(INCdir)/$(ARCH)
HPL_LIBS = $(HPLlib) $(LAlib) -lm
HPL_DEFS = -DHPL_CALL_CBLAS {renamed} $(HPL_INCLUDES)
CC = mpicc
CCNOOPT = $(HPL_DEFS)
CCFLAGS = $(HPL_DEFS) -O2 -fcommon -w
LINKER = mpicc
LINKFLAGS = $(CCFLAGS)
ARCHIVER = ar
ARFLAGS = r
RANLIB = echo
ARCH = peal
"""


def run(results, installed, source):
    def builds():
        probe = installed.start(["mpicc", "-x", "c", "/dev/null", "-shared", "-o", "/dev/null", "-lopenblas"], source)
        if probe.returncode:
            raise Skipped("needs OpenBLAS: apt-get install libopenblas-dev")
        (source / "hpl/Make.peal").write_text(MAKEFILE.format(renamed=" ".join(renamed_flags())))
        installed.run(["make", "arch=peal"], source, limit=900)

    def computes(ranks):
        shutil.copy(source / "_hpccinf.txt", source / "hpccinf.txt")
        if ranks == 2:  # the grid of ranks
            text = (source / "_hpccinf.txt").read_text()
            (source / "hpccinf.txt").write_text(re.sub(r"^2(\s+Ps)", r"1\1", text, flags=re.MULTILINE))
        (source / "hpccoutf.txt").unlink(missing_ok=True)
        installed.job(ranks, "./hpcc", cwd=source, limit=900)
        output = (source / "hpccoutf.txt").read_text()
        require("\nSuccess=1\n" in output, output[-6000:])
        wrong = [line for line in output.splitlines() if re.search(r"\bFAILED\b|[1-9]\d* tests completed and failed", line)]
        require(not wrong, "\n".join(wrong))

    if results.case("hpcc: builds", builds):
        for ranks in (2, 4):
            results.case(f"hpcc: all tests are valid -n {ranks}", lambda: computes(ranks))
