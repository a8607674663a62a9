"""Writes cpio archives in the "newc" format, which is what the kernel unpacks as an initramfs.

Units    file modes are those of stat(2).
Errors   none of its own; names and contents are the caller's.
Source   Linux: Documentation/driver-api/early-userspace/buffer-format.rst.
"""

import stat


class Archive:
    """One archive, built in memory. Several archives may follow each other in one initramfs."""

    def __init__(self):
        self.parts = []
        self.inode = 0
        self.folders = set()

    def folder(self, name, mode=0o755):
        """Adds a folder and those above it, each once."""
        above = name.rpartition("/")[0]
        if above:
            self.folder(above)
        if name not in self.folders:
            self.folders.add(name)
            self.entry(name, stat.S_IFDIR | mode, b"")

    def file(self, name, content, mode=0o644):
        above = name.rpartition("/")[0]
        if above:
            self.folder(above)
        self.entry(name, stat.S_IFREG | mode, content)

    def link(self, name, target):
        self.entry(name, stat.S_IFLNK | 0o777, target.encode())

    def device(self, name, mode, major, minor):
        self.entry(name, stat.S_IFCHR | mode, b"", (major, minor))

    def entry(self, name, mode, content, device=(0, 0)):
        self.inode += 1
        encoded = name.encode() + b"\0"
        fields = (self.inode, mode, 0, 0, 1, 0, len(content), 0, 0, device[0], device[1], len(encoded), 0)
        header = b"070701" + b"".join(b"%08x" % field for field in fields)
        self.parts += [padded(header + encoded), padded(content)]

    def bytes(self):
        """The archive, with its end marker."""
        self.entry("TRAILER!!!", 0, b"")
        return b"".join(self.parts)


def padded(data):
    """Headers and contents start at multiples of four bytes."""
    return data + b"\0" * (-len(data) % 4)
