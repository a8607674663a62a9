"""Started by every rank, in place of mpi4py's own start of its tests: runner.py FOLDER OPTION ... Tells in FOLDER/RANK how each test has ended, a line each:
result, module, test, what was said."""
import pathlib
import sys
import unittest

folder = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test"))
import main  # noqa: E402  (of mpi4py's tests)


class Told(unittest.TextTestResult):
    file = None

    def say(self, result, test, what=""):
        if self.file is None:
            from mpi4py import MPI
            Told.file = open(folder / str(MPI.COMM_WORLD.Get_rank()), "w", encoding="utf-8")
        words = test.id().replace(")", "").split("(")[-1].split(".")
        module = next((word for word in words if word.startswith("test_")), words[0])
        line = "\t".join([result, module, test.id(), " ".join(what.split())])
        print(line, file=self.file, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.end = ("PASS", "")
        self.say("BEGUN", test)

    def stopTest(self, test):
        super().stopTest(test)
        self.say(self.end[0], test, self.end[1])
        self.end = None

    end = None

    def became(self, result, test, what):
        if self.end is not None and self.end[0] == "FAIL":
            return
        if self.end is None:  # of a whole class
            self.say(result, test, what)
        else:
            self.end = (result, what)

    def addError(self, test, err):
        super().addError(test, err)
        self.became("FAIL", test, self.errors[-1][1])

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.became("FAIL", test, self.failures[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.became("FAIL", test, f"{subtest}: {err[1]!r}")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.became("FAIL", test, "it was expected to fail")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.became("SKIP", test, reason)


class Runner(unittest.TextTestRunner):
    resultclass = Told


try:
    main.main(module=None, testRunner=Runner)
finally:
    if Told.file is not None:
        Told.file.close()
