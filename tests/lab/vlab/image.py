"""The kernel of the nodes, its modules, and the first file system of a node (the initramfs).

Debian's stock kernel package is downloaded once and unpacked, never installed; the kernel proper is unpacked too, so that no node spends
seconds of emulated time on it. Everything lies in one cache folder: $XDG_CACHE_HOME/peal/lab, else ~/.cache/peal/lab.

Threads  several runs may want the cache at the same time: the first fills it under a lock, and a half-filled one is never seen.
Errors   LabError, with the remedy.
Source   Linux: Documentation/arch/x86/boot.rst (where in a bzImage the compressed kernel lies).
"""

import fcntl
import lzma
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from vlab.cpio import Archive
from vlab.errors import LabError

# What a node loads, by the list's name, in this order, each after what it depends on. base comes first; devices at the same time as the
# file systems are laid; link when `lab-link` first touches the link. crc32_generic: without a crc32, rxe cannot add a device.
MODULES = {
    "base": "virtio_pci 9pnet_virtio 9p overlay".split(),
    "devices": "virtio_console virtio_net dummy crc32_generic crc32c_generic rdma_rxe ib_uverbs rdma_ucm".split(),
    "link": "sch_netem sch_ingress cls_matchall act_gact".split(),
}

# Part of the cache folder's name: raised when what the cache holds changes.
LAYOUT = 1
GUEST = Path(__file__).resolve().parent.parent / "guest"
# Where a file of GUEST goes, when not into lab/.
PLACES = {"init": "init"} | {name: f"lab/bin/{name}" for name in ("lab-barrier", "lab-cases", "lab-leaks", "lab-link", "lab-node")}


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "peal" / "lab"


class Image:
    """The kernel and the modules, as they lie in the cache."""

    def __init__(self, folder):
        self.kernel = folder / "vmlinux"
        self.modules = folder / "modules"
        self.busybox = folder / "busybox"
        self.release = (folder / "release").read_text().strip()

    def initramfs(self, extra):
        """The first file system: busybox, the modules, the guest's scripts and `extra`, a {name: (content, mode)} of this run."""
        archive = Archive()
        for name in ("proc", "sys", "dev", "lower", "rw", "root"):
            archive.folder(name)
        archive.device("dev/console", 0o600, 5, 1)
        archive.file("bin/busybox", self.busybox.read_bytes(), 0o755)
        done = set()
        for step, modules in MODULES.items():
            names = [name for name in load_order(self.modules, modules) if name not in done]
            done.update(names)
            for name in names:
                archive.file(f"modules/{name}.ko", (self.modules / f"{name}.ko").read_bytes())
            archive.file(f"modules/{step}", "".join(f"{name}\n" for name in names).encode())
        for path in sorted(GUEST.iterdir()):
            archive.file(PLACES.get(path.name, f"lab/{path.name}"), path.read_bytes(), 0o755)
        for name, (content, mode) in extra.items():
            archive.file(name, content, mode)
        return archive.bytes()


def obtain(say):
    """The image, from the cache; filled first where it is empty. `say` takes a line for the user."""
    base = cache_folder()
    base.mkdir(parents=True, exist_ok=True)
    folder = base / f"image.{LAYOUT}"
    if not folder.is_dir():
        with open(base / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():
                fill(folder, say)
    return Image(folder)


def fill(folder, say):
    """Downloads the two packages and lays out `folder`, which appears complete or not at all."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="filling.") as work:
        work = Path(work)
        package = kernel_package()
        say(f"downloading {package} (once, into {folder})")
        download(package, work)
        download("busybox-static", work)
        root = work / "root"
        for archive in work.glob("*.deb"):
            checked(["dpkg", "-x", str(archive), str(root)])
        release = next((root / "lib" / "modules").iterdir()).name
        made = work / "made"
        (made / "modules").mkdir(parents=True)
        pick_modules(root / "lib" / "modules" / release, made / "modules")
        (made / "vmlinux").write_bytes(unpacked_kernel((root / "boot" / f"vmlinuz-{release}").read_bytes()))
        shutil.copy(root / "bin" / "busybox", made / "busybox")
        (made / "release").write_text(release + "\n")
        made.rename(folder)


def kernel_package():
    """The package behind linux-image-amd64. Debian's cloud kernel would lack rdma_rxe."""
    listing = checked(["apt-cache", "depends", "linux-image-amd64"])
    found = re.search(r"Depends: (linux-image-\d\S*)", listing)
    if not found:
        raise LabError("apt knows no linux-image-amd64 (run `apt-get update`; the lab needs Debian on x86-64)")
    return found.group(1)


def download(package, folder):
    checked(["apt-get", "download", "-q", package], cwd=folder)


def checked(command, **options):
    """The output of a command; LabError with its error output when it fails or is missing."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    except FileNotFoundError:
        raise LabError(f"{command[0]} is not installed (tests/lab/setup installs what the lab needs)") from None
    if done.returncode != 0:
        raise LabError(f"`{' '.join(command)}` failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def unpacked_kernel(image):
    """The ELF kernel in a bzImage: QEMU boots it directly, through the entry point that Xen's PVH defines."""
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    kernel = lzma.LZMADecompressor().decompress(image[start : start + length])
    if not kernel.startswith(b"\x7fELF"):
        raise LabError("the kernel in the package is not an xz-packed ELF file, which Debian's has been since 2013")
    return kernel


def dependencies(module):
    """What a module file says that it needs, by name."""
    found = re.search(rb"\0depends=([^\0]*)\0", b"\0" + module.read_bytes())
    return [name.decode() for name in found.group(1).split(b",") if name] if found else []


def plain(name):
    """Module names mix - and _ freely; file names have either."""
    return name.replace("-", "_")


def pick_modules(source, target):
    """Copies the modules and all that they need; what is built into the kernel needs no file."""
    files = {plain(path.stem): path for path in source.rglob("*.ko")}
    builtin = {plain(Path(line).stem) for line in (source / "modules.builtin").read_text().split()}
    wanted, done = sum(MODULES.values(), []), set()
    while wanted:
        name = plain(wanted.pop())
        if name in done or name in builtin:
            continue
        if name not in files:
            raise LabError(f"the kernel package has no module {name}")
        done.add(name)
        shutil.copy(files[name], target / f"{name}.ko")
        wanted += dependencies(files[name])


def load_order(folder, modules):
    """The modules and what they need, each once and after what it needs itself."""
    order = []

    def visit(name):
        path = folder / f"{name}.ko"
        if name in order or not path.exists():
            return
        for needed in dependencies(path):
            visit(plain(needed))
        order.append(name)

    for name in modules:
        visit(plain(name))
    return order
