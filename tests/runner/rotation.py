"""Which of the rare combinations are tested with a commit. A default check runs those of whose names the commit makes one in so many, so that each of
them has its turn within some commits, and the same commit always runs the same ones.

TEST_COMMIT overrides what git says; without git all commits are one. TEST_TURNS: on a slow machine long cases take turns, too, and a commit runs one in
so many of them; bootstrap sets it.
"""

import functools
import hashlib
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]


@functools.cache
def commit():
    """What names the state of the sources: the commit, or "none"."""
    if named := os.environ.get("TEST_COMMIT"):
        return named
    try:
        told = subprocess.run(["git", "-C", SOURCE, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        return told.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"


def draw(name, parts):
    """A number below `parts` that depends on the commit and the name alone."""
    return int.from_bytes(hashlib.sha256(f"{commit()} {name}".encode()).digest()[:8], "big") % parts


def turns():
    """One in how many of the long cases a commit runs."""
    return max(1, int(os.environ.get("TEST_TURNS") or 1))


def has_its_turn(name, parts):
    """Whether what is called so is one of those, one in `parts`, that this commit runs."""
    return draw(name, parts) == 0
