"""What the pages in doc/ promise: names of files that exist, lines that fit, a reference without a warning, and includes
without a cycle. Each function gives what it finds, a line each."""
import fnmatch
import os
import pathlib
import re
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
MAX_COLUMNS = 100


def pages():
    return sorted((TOP / "doc").rglob("*.md")) + [TOP / "HACKING.md", TOP / "README.md"]


def tree():
    """Files and folders of the checkout, relative to it; sources without their ending too, as pages call a pair of them."""
    found = set()
    for folder in ("src", "include", "launcher", "examples", "tests", "doc", "man", "m4", "cmake", ".ci"):
        for path in (TOP / folder).rglob("*"):
            name = path.relative_to(TOP).as_posix()
            found |= {name, name.rsplit(".", 1)[0]}
        found.add(folder)
    return found | {path.name for path in TOP.iterdir()}


def named_files(text):
    """What stands in backticks and looks like a file of the tree: a slash in it, or the ending of a source. A word in
    capitals stands for a name of the reader's, and what is built is not in the tree."""
    for match in re.finditer(r"`([\w.*+-][\w./*+-]*)`", text):
        name = match[1]
        if ("/" in name or name.endswith((".cpp", ".hpp"))) and not (re.search(r"[A-Z]{4}", name) or name.startswith("build/") or name.endswith(".la")):
            yield text.count("\n", 0, match.start()) + 1, name.rstrip("/")


def names_that_are_missing():
    there, asked, findings = tree(), 0, []
    for page in pages():
        for number, name in named_files(page.read_text()):
            asked += 1
            if not any(fnmatch.fnmatch(each, name) or fnmatch.fnmatch(each, f"*/{name}") for each in there):
                findings.append(f"{page.relative_to(TOP)}:{number}: there is no {name}")
    return findings if asked else ["no page names a file"]


def links_that_lead_nowhere():
    findings = []
    for page in pages():
        prose = re.sub(r"^```.*?^```|^    .*?$|`[^`]*`", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
            if "://" not in target and not (page.parent / target).exists():
                findings.append(f"{page.relative_to(TOP)}: there is no {target}")
    return findings


def long_lines():
    """Rows of tables cannot be broken, nor can a line of one word."""
    findings = []
    for page in pages():
        for number, line in enumerate(page.read_text().splitlines(), 1):
            if len(line) > MAX_COLUMNS and not line.startswith("|") and " " in line.strip():
                findings.append(f"{page.relative_to(TOP)}:{number}: {len(line)} columns")
    return findings


def warnings_of_doxygen(doxygen, doxyfile):
    with tempfile.TemporaryDirectory() as folder:
        text = f"{doxyfile.read_text()}\nOUTPUT_DIRECTORY = {folder}\n"
        run = subprocess.run([doxygen, "-"], input=text, capture_output=True, text=True, cwd=folder)
        made = (pathlib.Path(folder) / "reference/classpeal_1_1communicator.html").is_file()
        warned = run.stderr.replace(f"{TOP}/", "").splitlines()
        return warned or (["doxygen failed, or made no page for communicator"] if run.returncode or not made else [])


def wrong_includes():
    run = subprocess.run([str(TOP / "doc/draw-includes"), "--check"], capture_output=True, text=True, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    return (run.stdout + run.stderr).splitlines() or (["doc/draw-includes --check failed"] if run.returncode else [])


def drawing():
    """That the script draws what is there: well-formed, with a box for each folder."""
    run = subprocess.run([str(TOP / "doc/draw-includes")], capture_output=True, text=True)
    boxes = set(re.findall(r'class="name"[^>]*>([^<]+)/</text>', run.stdout))
    expected = {path.parent.relative_to(TOP).as_posix().removeprefix("src/") for root in ("src", "include", "launcher")
                for path in (TOP / root).rglob("*.[ch]pp")}
    return run.stderr.splitlines() + [f"no box for {name}" for name in sorted(expected - boxes)]
