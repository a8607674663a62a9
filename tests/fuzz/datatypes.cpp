// What libFuzzer gives chooses how a datatype is built; what it packs and unpacks must be what the
// list of its elements says. tests/fuzz/run_fuzz builds it and runs it.
#include <fuzzer/FuzzedDataProvider.h>

#include "unit/mpi/datatypes/comparison.hpp"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  testing::InitGoogleTest(argc, *argv);
  GTEST_FLAG_SET(break_on_failure, true);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peal::mpi;
  FuzzedDataProvider given{data, size};
  model::random_types types{[&given](std::int64_t low, std::int64_t high) {
    return given.ConsumeIntegralInRange(low, high);
  }};
  model::modelled both = types.make(given.ConsumeIntegralInRange(1, 5));
  if (both.map.elements.size() <= 500) model::expect_same(both);
  if (!datatype_of(both.type).is_predefined()) MPI_Type_free(&both.type);
  return 0;
}
