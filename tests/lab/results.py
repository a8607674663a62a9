"""Tells how each test in the lab went, and counts them."""


class Results:
    def __init__(self):
        self.passed = self.failed = 0

    def tell(self, name, problem, seconds):
        self.passed += problem is None
        if problem is not None:
            self.failed += 1
            text = str(problem) if isinstance(problem, AssertionError) else repr(problem).replace("\\n", "\n")
            print("".join(f"    {line}\n" for line in text.splitlines()), end="")  # what it says may look like results
        print(f"{'FAIL' if problem else 'PASS'} {name} ({seconds:.2f} s)", flush=True)
