"""What bash and zsh offer after a part of a command line of pealrun."""
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import time

import harness
from harness import LONG, Skip, case, check, equal

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "launcher/completion"

ASK_BASH = """
source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; read -ra COMP_WORDS <<<"$2"; COMP_WORDS[0]=$3
_pealrun 2>/dev/null; printf '%s\\n' "${COMPREPLY[@]}"
"""


def bash_offers(desk, line):
    bash = shutil.which("bash")
    if bash is None:
        raise Skip("needs bash")
    done = subprocess.run([bash, "--norc", "-c", ASK_BASH, "bash", str(FOLDER / "bash/pealrun"), line, str(harness.build / "pealrun")],
                          cwd=desk.work, env=desk.environment, capture_output=True, text=True, timeout=LONG, check=True)
    return set(done.stdout.split())


def options_of_help(desk):
    """Names, and the words that may be chosen with each."""
    found = {}
    for names, _, takes in re.findall(r"^  (-\S+)( (\S+))?(?:  .*)?$", desk.run("--help").out, re.M):
        words = {word for word in takes.partition("[")[0].split("|") if word.islower()} if "|" in takes else set()
        found.update({name: words for name in names.split(",")})
    check(len(found) > 10 and any(found.values()), f"options: {found}")
    return found


@case()
def bash_offers_every_option_and_every_word(desk):
    options = options_of_help(desk)
    missing = set(options) - bash_offers(desk, "pealrun -")
    equal(missing, set(), "options that are not offered")
    for name, words in options.items():
        if words:
            equal(bash_offers(desk, f"pealrun {name} "), words, f"words offered after {name}")
    equal(bash_offers(desk, "pealrun --bind-to=n"), {"none", "numa"}, "after a sign")


@case()
def bash_offers_what_an_option_takes(desk):
    (desk.work / "ranks").write_text("")
    (desk.work / "runs").mkdir()
    equal(bash_offers(desk, "pealrun --rankfile r"), {"ranks", "runs"}, "files")
    equal(bash_offers(desk, "pealrun --wdir r"), {"runs"}, "folders")
    check("LAUNCHER_TEST" in bash_offers(desk, "pealrun -x LAUNCHER"), "variables")
    equal(bash_offers(desk, "pealrun -n "), set(), "for a number")
    equal(bash_offers(desk, "pealrun --ppn "), set(), "for a number")


@case()
def bash_offers_programs_and_leaves_their_arguments_alone(desk):
    (desk.work / "--bind-too").write_text("")
    check({"true"} <= bash_offers(desk, "pealrun -n 2 --report-bindings tru"), "programs")
    equal(bash_offers(desk, "pealrun -n 2 cat --bind"), {"--bind-too"}, "after the program its files")
    equal(bash_offers(desk, "pealrun -n 2 cat x : --thr"), {"--threads"}, "after a colon")
    check("true" in bash_offers(desk, "pealrun -- tru"), "after --")


def zsh_writes(desk, *lines):
    """What a zsh at a terminal shows when the tabulator is pressed behind each line."""
    zsh = shutil.which("zsh")
    if zsh is None:
        raise Skip("needs zsh: install it (Debian: apt-get install zsh)")
    start = [f"fpath=({FOLDER}/zsh $fpath) path=({harness.build} $path)", "autoload -Uz compinit", "compinit -u -D", "setopt nobeep",
             "stty columns 200 rows 100", "LISTMAX=1000", "PS1='rea''dy> '"]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(desk.work)
        os.execve(zsh, [zsh, "-f", "-i"], dict(desk.environment, TERM="xterm", ZDOTDIR=str(desk.work)))

    def read_until(mark):
        shown, end = b"", time.monotonic() + LONG
        # A tabulator that is typed before there is a prompt is taken as it is.
        while b"ready> " not in shown.partition(mark)[2]:
            check(time.monotonic() < end, f"waited {LONG} s in vain for zsh; so far {shown[-2000:]!r}")
            if select.select([terminal], [], [], 1)[0]:
                shown += os.read(terminal, 65536)
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode(errors="replace"))

    try:
        os.write(terminal, ("; ".join(start) + "\n").encode())
        read_until(b"\n")
        answers = []
        for line in lines:
            # The line is wiped out, so nothing of it is run. What is echoed of the rest is not the mark.
            os.write(terminal, line.encode() + b"\t\x15print answered$((1+1))\n")
            answers.append(read_until(b"answered2").partition("print answered")[0])
        return answers
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


@case()
def zsh_offers_options_and_their_words(desk):
    options = options_of_help(desk)
    words = {name: each for name, each in options.items() if each}
    every, *chosen, equals, after_colon, last = zsh_writes(desk, "pealrun --", *(f"pealrun {name} " for name in words), "pealrun --bind-to=no",
                                                           "pealrun -n 2 true : --thr", "pealrun -n 2 --rankfile")
    for name in options:
        check(not name.startswith("--") or name in every, f"{name} is not in {every!r}")
    for (name, allowed), shown in zip(words.items(), chosen):
        for each in allowed:
            check(each in shown, f"{each} is not offered for {name}: {shown!r}")
    check("--bind-to=none" in equals, equals)
    check("--threads" in after_colon, after_colon)
    check("--rankfile" in last, last)
