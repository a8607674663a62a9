#include "mpi/datatypes/layouts/elements.hpp"

#include "../comparison.hpp"

namespace {

using namespace peal::mpi;

TEST(elements, are_counted_as_the_typemap_has_them) {
  model::random_types types{5};
  for (int round = 0; round != 200; ++round) {
    const model::modelled both = types.make(4);
    const layout& of = datatype_of(both.type).type().layout();
    std::int64_t bytes = 0, elements = 0;
    for (int copy = 0; copy != 3; ++copy)
      for (const model::element& each : both.map.elements) {
        ASSERT_EQ(elements_of_bytes(of, bytes), elements);
        ASSERT_EQ(bytes_of_elements(of, elements), bytes);
        if (each.size > 1) {
          ASSERT_EQ(elements_of_bytes(of, bytes + 1), -1) << "inside of an element";
        }
        bytes += each.size;
        ++elements;
      }
  }
}

TEST(elements, are_visited_in_the_order_of_packing) {
  model::random_types types{6};
  for (int round = 0; round != 100; ++round) {
    const model::modelled both = types.make(3);
    std::size_t seen = 0;
    for_each_element(datatype_of(both.type).type().layout(), 1000,
                     [&](const basic_type& basic, std::uintptr_t address) {
                       ASSERT_LT(seen, both.map.elements.size());
                       const model::element& wanted = both.map.elements[seen++];
                       EXPECT_EQ(basic.size, wanted.size);
                       EXPECT_EQ(static_cast<std::int64_t>(address), 1000 + wanted.displacement);
                     });
    EXPECT_EQ(seen, both.map.elements.size());
  }
}

TEST(elements, of_an_empty_type_are_none) {
  const layout nothing = repeated(datatype_of(MPI_INT).type().layout(), 0, 4);
  EXPECT_EQ(elements_of_bytes(nothing, 0), 0);
  EXPECT_EQ(elements_of_bytes(nothing, 4), -1);
  EXPECT_EQ(bytes_of_elements(nothing, 0), 0);
  EXPECT_EQ(bytes_of_elements(nothing, 1), -1);
  // A part without elements is not walked through, however often it is there.
  const layout mixed = assemble({nothing, datatype_of(MPI_INT).type().layout()},
                                {{0, INT64_MAX, 0, 0}, {0, 1, 0, 1}});
  int seen = 0;
  for_each_element(mixed, 0, [&](const basic_type&, std::uintptr_t) { ++seen; });
  EXPECT_EQ(seen, 1);
}

}  // namespace
