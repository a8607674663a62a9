"""What becomes of what ranks read and write: files, pipes, tags, times, input for one or all."""
import collections
import os
import re
import subprocess
import time

import harness
from harness import case, check, equal, wait_until
from cases.running_cases import plain
from cases.usage_cases import refused


def whole_lines(text, ranks, count):
    """The lines of plain_rank's mode `lines`, none of them torn; each rank's in order."""
    numbers = collections.defaultdict(list)
    for line in text.splitlines():
        if not line.startswith("pealrun:"):
            found = re.fullmatch(r"line (\d+) of rank (\d+) ends", line)
            check(found, f"a line is torn: {line!r}")
            numbers[int(found[2])].append(int(found[1]))
    equal(sorted(numbers), list(range(ranks)), "ranks")
    for rank, those in numbers.items():
        for parity in (0, 1):
            found = [each for each in those if each % 2 == parity]
            equal(found, sorted(set(found)), f"lines of rank {rank}, in order")
    return sum(map(len, numbers.values()))


@case()
def lines_without_tags_are_whole_in_files_and_pipes(desk):
    ranks, count = 4, 3000
    done = desk.run("-n", ranks, *plain("lines", count))
    equal((done.code, whole_lines(done.out, ranks, count), whole_lines(done.err, ranks, count)), (0, ranks * count // 2, ranks * count // 2), "lines")
    with open(desk.work / "log", "wb") as log:
        equal(desk.run("-n", ranks, *plain("lines", count), stdout=log, stderr=subprocess.STDOUT).code, 0, "exit code")
    equal(whole_lines((desk.work / "log").read_text(), ranks, count), ranks * count, "lines in a file")


@case()
def a_single_rank_writes_itself(desk):
    done = desk.run("-n", 1, "sh", "-c", "found=$(readlink /proc/$$/fd/1); echo $found >&2", stdout=subprocess.DEVNULL, env={"PEAL_LOG": "error"})
    equal(done.err.splitlines()[0], "/dev/null", "what the rank has as output")
    done = desk.run("-n", 1, "sh", "-c", "echo a; echo b >&2; echo c", stderr=subprocess.STDOUT, env={"PEAL_LOG": "error"})
    equal(done.lines(), ["a", "b", "c"], "output and errors in one pipe, in order")


@case()
def times_stand_before_tags(desk):
    before = time.time()
    done = desk.run("-n", 2, "--tag-output", "--timestamp-output", "sh", "-c", "echo one; echo two", env={"TZ": "XYZ-3"})
    after = time.time()
    equal((done.code, len(done.lines())), (0, 4), f"{done}")
    for line in done.lines():
        found = re.fullmatch(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(\.\d{3}) \[[01]\] (one|two)", line)
        check(found, line)
        at = time.mktime(time.strptime(found[1] + " UTC", "%Y-%m-%d %H:%M:%S %Z")) - time.timezone - 3 * 3600 + float(found[2])
        check(before - 1 < at < after + 1, f"{line}: {before} to {after}")
    done = desk.run("--timestamp-output", "echo", "alone")
    check(re.fullmatch(r"\S+ \S+\.\d{3} alone\n", done.out), done.out)


@case()
def errors_go_with_the_output_when_merged(desk):
    script = 'for n in 1 2 3; do echo "out $n"; echo "err $n" >&2; done'
    wanted = [f"{stream} {number}" for number in (1, 2, 3) for stream in ("out", "err")]
    for ranks in (1, 3):
        done = desk.run("-n", ranks, "--merge-stderr", "--tag-output", "sh", "-c", script)
        equal(done.complaints(), [], "lines of pealrun")
        for rank in range(ranks):
            equal([line[4:] for line in done.lines() if line.startswith(f"[{rank}] ")], wanted, f"lines of rank {rank}, in order")
    equal(desk.run("--merge-stderr", "sh", "-c", script).lines(), wanted, "without tags")


@case()
def a_folder_takes_what_ranks_write_as_it_is(desk):
    script = r"printf 'a\0b\n\377 no end'; echo err $PMIX_RANK >&2"
    done = desk.run("-n", 11, "--bind-to", "none", "--output", "deep/er", "sh", "-c", script, env={"PEAL_LOG": "error"})
    equal((done.code, done.out, done.err), (0, "", ""), "nothing is written elsewhere")
    files = sorted(os.listdir(desk.work / "deep/er"))
    equal(files, sorted(f"rank.{rank:02}.{stream}" for rank in range(11) for stream in ("out", "err")), "files")
    for rank in range(11):
        equal((desk.work / f"deep/er/rank.{rank:02}.out").read_bytes(), b"a\0b\n\377 no end", "output")
        equal((desk.work / f"deep/er/rank.{rank:02}.err").read_text(), f"err {rank}\n", "errors")
    done = desk.run("-n", 2, "--bind-to", "none", "--output", "m", "--merge-stderr", "--tag-output", "sh", "-c", script)
    equal(sorted(os.listdir(desk.work / "m")), ["rank.0.out", "rank.1.out"], "files when merged")
    equal((desk.work / "m/rank.1.out").read_bytes(), b"[1] a\0b\n[1] \377 no enderr 1\n", "tagged, merged, in a file")


@case()
def files_of_an_earlier_job_are_kept(desk):
    for job in range(3):
        done = desk.run("--output", "o", "echo", f"job {job}", env={"PEAL_LOG": "error"})
        wanted = [f"pealrun: files of an earlier job are in o/earlier.{job} now"] if job else []
        equal((done.code, done.err.splitlines()), (0, wanted), "what is told")
    found = [(desk.work / "o" / each / "rank.0.out").read_text() for each in ("earlier.1", "earlier.2", ".")]
    equal(found, ["job 0\n", "job 1\n", "job 2\n"], "what the files hold")


@case()
def a_folder_that_a_running_job_writes_to_is_refused(desk):
    os.mkfifo(desk.work / "go")
    process = desk.start("--output", "o", "sh", "-c", "echo begin; read line < go; echo $line")
    wait_until(lambda: os.path.exists(desk.work / "o/rank.0.out") and (desk.work / "o/rank.0.out").read_text(), "the job runs")
    refused(desk, 1, "--output", "o", "true", says=["o/rank.0.", "a job that runs writes to", "another folder"], env={"PEAL_LOG": "error"})
    (desk.work / "go").write_text("end\n")
    equal(desk.finish(process).code, 0, "exit code")
    equal((desk.work / "o/rank.0.out").read_text(), "begin\nend\n", "output")


@case()
def a_folder_that_cannot_be_written_is_told_before_ranks_start(desk):
    (desk.work / "file").write_text("in the way")
    for folder, says in (("file", "cannot be made: "), ("file/inner", "Not a directory"), ("/proc/surely-not", "cannot be made: ")):
        refused(desk, 1, "--output", folder, "touch", "started", says=["--output", folder, says], env={"PEAL_LOG": "error"})
    refused(desk, 2, "--output", "", "true", says=["--output", "folder is missing"])
    check(not (desk.work / "started").exists(), "a rank started")


@case()
def a_full_disk_costs_output_but_not_the_job(desk):
    script = f'ulimit -Sf 8; exec "{harness.build}/pealrun" "$@"'
    for ranks in (1, 12):
        done = desk.run("-c", script, "bash", "-n", ranks, "--bind-to", "none", "--output", f"o{ranks}", "sh", "-c",
                        'yes 12345678901234567890 2>&- | head -n 10000; ulimit -Sf unlimited; touch done.$PMIX_RANK; echo end >&2', program="/bin/bash")
        equal(done.code, 1, f"exit code: {done}")
        told = done.complaints()
        check(re.fullmatch(rf"pealrun: o{ranks}/rank\.\d+\.out cannot be written: File too large; \d+ bytes are lost so far, the job goes on", told[0]), told[0])
        for rank in range(ranks):
            check((desk.work / f"done.{rank}").exists(), f"rank {rank} did not go on")
            os.unlink(desk.work / f"done.{rank}")
            name = f"o{ranks}/rank.{rank:0{len(str(ranks - 1))}}"
            equal((desk.work / f"{name}.err").read_text(), "end\n", "errors, for which there was room")
            size = (desk.work / f"{name}.out").stat().st_size
            equal(size, 8192, "bytes that had room")
            if rank < 8:
                check(f"pealrun: {name}.out lacks {210_000 - size} bytes: File too large" in told, f"{told}")
        equal(len(told), 1 + min(ranks, 8) + (ranks > 8), f"lines: {told}")
        check(ranks < 8 or told[-1] == "pealrun: so do 4 other files there", told[-1])


@case()
def a_disk_that_is_full_for_a_while_leaves_a_mark(desk):
    where = desk.folder / "small"
    where.mkdir()
    words = harness.in_namespaces(["--user", "--map-root-user", "--mount"], f"mount -t tmpfs -o size=64k none {where}")
    script = f'yes 1234567 | head -c 100000; sync; rm {where}/ballast; echo; echo again'
    keep = f'head -c 20000 /dev/zero > {where}/ballast; "$@"; code=$?; cp {where}/o/rank.0.out {desk.work}; exit $code'
    done = desk.run("-c", keep, "sh", harness.build / "pealrun", "--output", f"{where}/o", "sh", "-c", script, under=[*words, "/bin/sh"][:-1], program="/bin/sh")
    equal(done.code, 1, f"exit code: {done}")
    lost = int(re.search(r"lacks (\d+) bytes: No space left on device", done.err)[1])
    text = (desk.work / "rank.0.out").read_text()
    mark = f"\n[pealrun: {lost} bytes are missing here]\n"
    check(mark in text, f"no mark of {lost} bytes: {text[-200:]}")
    equal(len(text) - len(mark) + lost, 100_000 + len("\nagain\n"), "bytes written and lost")


@case()
def input_goes_to_the_rank_that_is_asked_for(desk):
    text = "".join(f"line {number}\n" for number in range(20_000))
    for which, wanted in (("2", [0, 0, 1]), ("none", [0] * 3), ("all", [1] * 3)):
        (desk.work / "input").write_text(text)
        with open(desk.work / "input", "rb") as file:
            file.read(5)  # a script may have read some of it; ranks get the rest
            os.lseek(file.fileno(), 5, os.SEEK_SET)
            for source in ("pipe", "file"):
                options = {"input": text} if source == "pipe" else {"stdin": file}
                done = desk.run("-n", 3, "--stdin", which, "sh", "-c", "cat > got.$PMIX_RANK", **options)
                equal(done.code, 0, f"exit code: {done}")
                whole = text if source == "pipe" else text[5:]
                for rank, times in enumerate(wanted):
                    check((desk.work / f"got.{rank}").read_text() == whole * times, f"--stdin {which} from a {source}: rank {rank} read something else")


@case()
def a_wrong_rank_for_the_input_is_refused(desk):
    refused(desk, 2, "-n", 4, "--stdin", "4", "true", says=["--stdin 4", "0 to 3", "all or none"])
    for wrong in ("some", "-1", "1.5", ""):
        refused(desk, 2, "-n", 4, "--stdin", wrong, "true", says=["--stdin", f"'{wrong}'", "all or none"])
    equal(desk.run("-n", 1, "--stdin", "2", "true", ":", "-n", 2, "true").code, 0, "a rank of the second program")


@case(alone=True)
def input_for_64_ranks_is_the_same_for_all(desk):
    text = os.urandom(400_000).hex()
    done = desk.run("-n", 64, "--bind-to", "none", "--stdin", "all", "sha256sum", input=text)
    equal(done.code, 0, f"exit code: {done}")
    equal(len(done.lines()), 64, "ranks that answered")
    equal(len(set(done.lines())), 1, "different sums")


@case()
def a_rank_that_does_not_read_keeps_nobody_waiting(desk):
    os.mkfifo(desk.work / "go")
    script = 'if [ $PMIX_RANK = 1 ]; then read line < go; fi; wc -c'
    process = desk.start("-n", 3, "--bind-to", "none", "--stdin", "all", "sh", "-c", script, stdin=subprocess.PIPE)
    size = 30_000_000
    process.stdin.write(b"x" * size)
    process.stdin.close()
    process.stdin = None
    equal(process.some_lines(2), [f"{size}\n"] * 2, "ranks that read")
    memory = next(int(line.split()[1]) for line in open(f"/proc/{process.pid}/status", encoding="ascii") if line.startswith("VmRSS"))
    check(harness.sanitizer != "none" or memory < 100_000, f"pealrun holds {memory} kB")
    (desk.work / "go").write_text("\n")
    equal(desk.finish(process).lines(), [str(size)], "the rank that was late")


@case()
def input_for_a_rank_that_has_died_is_dropped(desk):
    process = desk.start("-n", 3, "--bind-to", "none", "--stdin", "all", "sh", "-c", "if [ $PMIX_RANK = 1 ]; then exec true; fi; wc -c", stdin=subprocess.PIPE)
    size = 5_000_000
    process.stdin.write(b"x" * size)
    process.stdin.close()
    process.stdin = None
    done = desk.finish(process)
    equal((done.code, done.lines()), (0, [str(size)] * 2), "ranks that read")
    # Nobody reads, and the input never ends.
    process = desk.start("-n", 2, "--bind-to", "none", "--stdin", "all", "true", stdin=subprocess.PIPE)
    equal(process.wait(harness.LONG), 0, "exit code")


@case()
def a_rank_that_closes_its_output_is_no_failure(desk):
    done = desk.run("-n", 2, "--tag-output", "sh", "-c", "echo before; exec >&-; echo lost 2>&-; echo after >&2")
    equal((done.code, sorted(done.lines())), (0, ["[0] before", "[1] before"]), "output")
    equal(sorted(line for line in done.err.splitlines() if "after" in line), ["[0] after", "[1] after"], "errors")


@case()
def a_closed_input_and_output_are_empty_for_ranks(desk):
    script = f"exec {harness.build}/pealrun -n 2 --stdin all sh -c 'cat && echo unseen && echo fine >&2' <&- >&-"
    done = desk.run("-c", script, program="/bin/sh", env={"PEAL_LOG": "error"})
    equal((done.code, done.out, done.err), (0, "", "fine\nfine\n"), "without input and output")


@case()
def a_grandchild_that_keeps_the_pipe_does_not_keep_the_job(desk):
    done = desk.run("-n", 2, "--tag-output", "sh", "-c", "setsid sleep 1000 & echo done")
    equal((done.code, sorted(done.lines())), (0, ["[0] done", "[1] done"]), "end")


@case()
def lines_with_zeros_and_without_ends_are_kept(desk):
    done = desk.run("-n", 2, "--bind-to", "none", "sh", "-c", r"printf 'a\0b\n\0end'")
    equal(sorted(done.out.splitlines()), ["\0end", "\0end", "a\0b", "a\0b"], "lines")
    done = desk.run("-n", 2, "--bind-to", "none", "--tag-output", "sh", "-c", r"printf 'a\0b\n\0end'")
    equal(sorted(done.out.splitlines()), sorted(f"[{rank}] {text}" for rank in (0, 1) for text in ("a\0b", "\0end")), "tagged lines")


@case(alone=True)
def much_output_is_whole_and_does_not_fill_the_memory(desk):
    """What two ranks write, of a gigabyte together in the full tier."""
    size = 500_000_000 if os.environ.get("TEST_TIER") == "full" else 200_000_000
    peaks = []
    for line_length in (100, size):
        # Lines as long as can be: then there is no end of a line at which to stop.
        filler = f"head -c {size} /dev/zero | tr '\\0' x" + (f" | fold -w {line_length}" if line_length < size else "")
        process = desk.start("-n", 2, "--bind-to", "none", "--tag-output", "sh", "-c", filler)
        first = os.read(process.stdout.fileno(), 4096)
        received = len(first)
        peak = 0
        while chunk := os.read(process.stdout.fileno(), 1 << 20):
            received += chunk.count(b"x") + (chunk.count(b"") - len(chunk) - 1)
            if status := open(f"/proc/{process.pid}/status", encoding="ascii").read():
                peak = max([peak, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))])
        equal(process.wait(harness.LONG), 0, "exit code")
        received += first.count(b"x") - len(first)
        equal(received, 2 * size, f"letters, lines of {line_length}")
        check(harness.sanitizer != "none" or peak < 300_000, f"pealrun's memory was {peak} kB")
        peaks.append(peak)
    return f"{2 * size} bytes: pealrun's memory was {peaks[0]} kB at the most with lines of 100, {peaks[1]} kB with endless ones"
