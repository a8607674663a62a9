"""The frequency of this machine's time stamp counter.

An emulated CPU's counter is the host's own, so a node is told its frequency. Left to find it by itself, against an emulated timer on a
host that is busy, a kernel gets it wrong or gives up, and then stands still for ever (seen with other work on two cores).

Units    kHz.
Errors   none: None where it cannot be measured (not x86-64, or executable memory is forbidden); the kernel then tries for itself.
Source   Intel SDM volume 2, RDTSC; Linux: kernel-parameters.txt, tsc_early_khz.
"""

import ctypes
import mmap
import platform
import time

# rdtsc; shl rdx, 32; or rax, rdx; ret
READ_COUNTER = bytes.fromhex("0f31 48c1e220 4809d0 c3")
# Long enough that what two readings of the clock cost (under 1 µs) is below a hundred-thousandth.
INTERVAL = 0.05
TRIES = 20


def counter_khz():
    if platform.machine() != "x86_64":
        return None
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:
        return None
    page.write(READ_COUNTER)
    read_counter = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    first_time, first_count = reading(read_counter)
    time.sleep(INTERVAL)
    last_time, last_count = reading(read_counter)
    return round((last_count - first_count) * 1_000_000 / (last_time - first_time))


def reading(read_counter):
    """(nanoseconds, count) of one moment: the tightest of several readings, so that losing the CPU between the two does no harm."""
    best = None
    for _ in range(TRIES):
        before = time.monotonic_ns()
        count = read_counter()
        after = time.monotonic_ns()
        if best is None or after - before < best[0]:
            best = (after - before, (before + after) // 2, count)
    return best[1:]
