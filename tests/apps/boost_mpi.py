"""The tests of Boost.MPI, which sends objects of C++ with the help of Boost.Serialization."""
import re

from suite import cores

PACKAGES = ["boost1.74", "boost1.83"]
IS_LONG = True
MAKEFILE = """CXX = mpicxx
FLAGS = -O0 -w -std=c++14 -I{boost}
serialization = $(filter-out %xml_grammar.cpp $(wildcard {boost}/libs/serialization/src/*xml* {boost}/libs/serialization/src/*w[io]a*), \\
  $(wildcard {boost}/libs/serialization/src/*.cpp))
objects = $(notdir $(patsubst %.cpp,%.o,$(serialization) $(wildcard {boost}/libs/mpi/src/*.cpp)))
VPATH = {boost}/libs/serialization/src:{boost}/libs/mpi/src:{boost}/libs/mpi/test
%.o: %.cpp
	$(CXX) $(FLAGS) -c $< -o $@
libboost.a: $(objects)
	ar cr $@ $^
{tests}: %: %.o libboost.a
	$(CXX) $< libboost.a -o $@
"""
# They are examples, or look at what the compiler refuses.
LEFT_OUT = {"random_gather", "random_scatter", "cartesian_communicator", "block_nonblock_test-b2nb", "block_nonblock_test-nb2b"}


def tests_of(source):
    """Of its list: program, numbers of ranks."""
    for name, _, ranks in re.findall(r"^\s*\[ mpi-test (\S+)((?: :[^:\]]*)*?)(?: :\s*([\d ]+))?\s*\]", (source / "libs/mpi/test/Jamfile.v2").read_text(), re.MULTILINE):
        if name not in LEFT_OUT:
            yield name, [int(each) for each in ranks.split()] or [1, 2, 4]


def run(results, installed, source):
    folder = source / "peal-tests"
    tests = list(tests_of(source))

    def builds():
        folder.mkdir(exist_ok=True)
        (folder / "Makefile").write_text(MAKEFILE.format(boost=source, tests=" ".join(name for name, _ in tests)))
        installed.run(["make", "-s", f"-j{cores()}", *(name for name, _ in tests)], folder, limit=3600)

    if results.case("boost: builds", builds):
        for name, ranks in tests:
            for each in ranks:
                results.case(f"boost: {name} -n {each}", lambda: installed.job(each, f"./{name}", cwd=folder))
