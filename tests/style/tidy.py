#!/usr/bin/env python3
"""clang-tidy over the library and its programs, a folder at a time: a unit.cpp includes the sources
beside it, so the headers that they share, which take most of the time, are read once.

    tidy.py BUILD [WORD ...]    what clang-tidy finds in the sources whose name holds one of the words
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
INCLUDED = re.compile(r'^#include "([^"]+\.cpp)"', re.M)


def tool():
    """clang-tidy 19, whose findings are the ones that the sources are free of; None elsewhere."""
    found = shutil.which("clang-tidy-19") or shutil.which("clang-tidy")
    told = subprocess.run([found, "--version"], capture_output=True, text=True).stdout if found else ""
    return found if "version 19." in told else None


def included_by(source):
    """The sources that this one includes, by the folders in which its quotes are looked up."""
    for name in INCLUDED.findall(source.read_text()):
        folders = (source.parent, TOP / "src", TOP / "launcher/pealrun")
        yield next(folder / name for folder in folders if (folder / name).is_file())


def translation_units():
    """What the compiler is called with: sources that no other one includes."""
    sources = sorted(path for folder in ("src", "launcher") for path in (TOP / folder).rglob("*.cpp"))
    included = {each for source in sources for each in included_by(source)}
    return [source for source in sources if source not in included]


def flags(build):
    """As in the Makefile of `build`; headers of others are system headers, of which nothing is told."""
    makefile = (build / "Makefile").read_text()
    words = ["-std=c++20", "-DHAVE_CONFIG_H", f"-I{build}", f"-I{TOP}/include", f"-I{TOP}/src", f"-I{TOP}/launcher/pealrun",
             '-DPEAL_PMIX_LIBDIR="/usr/lib"']
    for variable in ("PMIX_CFLAGS", "HWLOC_CFLAGS", "IBVERBS_CFLAGS", "FMT_CFLAGS"):
        for word in re.search(rf"^{variable} = ?(.*)$", makefile, re.M)[1].split():
            words += ["-isystem", word[2:]] if word.startswith("-I") else [word]
    return words


def findings(source, build):
    """One line each; what a header does is found by all that include it."""
    command = [tool(), "--quiet", str(source), "--"] + flags(build)
    run = subprocess.run(command, capture_output=True, text=True, cwd=TOP)
    lines = {line.replace(f"{TOP}/", "") for line in run.stdout.splitlines() if re.search(r": (warning|error): ", line)}
    return sorted(lines) or (run.stderr.splitlines()[-5:] if run.returncode else [])


def all_findings(sources, build):
    """Pairs of a source and what was found in it, in the order of `sources`."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from zip(sources, pool.map(lambda source: findings(source, build), sources))


if __name__ == "__main__":
    words = sys.argv[2:] or [""]
    wanted = [source for source in translation_units() if any(word in str(source.relative_to(TOP)) for word in words)]
    for source, found in all_findings(wanted, pathlib.Path(sys.argv[1]).resolve()):
        print(f"{source.relative_to(TOP)}: {len(found)}", *found, sep="\n", flush=True)
