"""Source packages of Debian, fetched by apt-get source and unpacked. Where the system's own list has no sources, the same places are asked for them."""
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

LIMIT = 600  # seconds for a download


class NotThere(Exception):
    """Why a package cannot be had here."""


def _list_of_sources(folder):
    """The system's places of packages, as places of sources, in a folder of its own."""
    parts = folder / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    for path in [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]:
        if path.suffix not in (".list", ".sources") or not path.is_file() or "debian" not in path.read_text():
            continue
        text = re.sub(r"^deb\b(?!-src)", "deb-src", path.read_text(), flags=re.MULTILINE)
        (parts / path.name).write_text(re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.MULTILINE))
    return parts


def _complaint(output):
    """The last error in what apt-get has said, since a reason is one line."""
    lines = [line for line in output.splitlines() if line.strip()] or ["nothing"]
    return next((line for line in reversed(lines) if line.startswith("E: ")), lines[-1])


class Sources:
    def __init__(self, folder):
        self.folder = folder
        self.apt = folder / "apt"
        self.loaded = folder / "loaded"
        self.environment = None

    def _prepare(self):
        if shutil.which("apt-get") is None:
            raise NotThere("needs apt-get")
        for part in ("lists/partial", "cache/archives/partial"):
            (self.apt / part).mkdir(parents=True, exist_ok=True)
        config = self.apt / "apt.conf"
        config.write_text(f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{_list_of_sources(self.apt)}";\n'
                          f'Dir::State::Lists "{self.apt}/lists";\nDir::Cache "{self.apt}/cache";\nAPT::Sandbox::User "root";\n')
        self.environment = {**os.environ, "APT_CONFIG": str(config)}
        self.loaded.mkdir(exist_ok=True)
        done = self._apt("update")
        if done.returncode:
            raise NotThere(f"needs a list of source packages; apt-get update said {_complaint(done.stdout)}")

    def _apt(self, *words):
        command = ["apt-get", "-q", *words]
        try:
            return subprocess.run(command, env=self.environment, cwd=self.loaded, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 1, stdout=f"nothing within {LIMIT} s")

    def _load(self, name):
        """What apt-get has said. Only what was loaded to its end lies beside the others."""
        shutil.rmtree(self.loaded, ignore_errors=True)
        self.loaded.mkdir()
        done = self._apt("source", "--download-only", "--tar-only", name)
        if done.returncode == 0:
            for each in self.loaded.iterdir():
                each.replace(self.folder / each.name)
        shutil.rmtree(self.loaded, ignore_errors=True)
        return done.stdout

    def unpacked(self, *names):
        """The folder with the sources of the first of these packages that there is. They are as their authors published them: without what Debian
        adds."""
        self.folder.mkdir(parents=True, exist_ok=True)
        said = ""
        for name in names:
            folder = self.folder / name
            if folder.is_dir():
                return folder
            if not self._archive(name):
                if self.environment is None:
                    self._prepare()
                said += self._load(name)
            archive = self._archive(name)
            if archive:
                return self._unpack(archive, folder)
        raise NotThere(f"needs the source package {' or '.join(names)}; apt-get source said {_complaint(said)}")

    def _archive(self, name):
        return next(iter(sorted(self.folder.glob(f"{name}_*.orig.tar.*"))), None)

    def _unpack(self, archive, folder):
        scratch = self.folder / f"{folder.name}.new"
        shutil.rmtree(scratch, ignore_errors=True)
        with tarfile.open(archive) as packed:
            packed.extractall(scratch)
        inside = list(scratch.iterdir())
        (inside[0] if len(inside) == 1 else scratch).rename(folder)
        shutil.rmtree(scratch, ignore_errors=True)
        return folder
