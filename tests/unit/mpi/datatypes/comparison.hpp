// Compares a datatype with its model, and makes both at random.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <random>
#include <utility>

#include "mpi/datatypes/datatype.hpp"
#include "mpi/datatypes/packing/packing.hpp"
#include "typemap.hpp"

namespace peal::mpi::model {

struct modelled {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  typemap map;
};

inline void expect_same_bounds(const definition& type, const typemap& map) {
  EXPECT_EQ(type.size(), map.size());
  EXPECT_EQ(type.layout().elements, static_cast<std::int64_t>(map.elements.size()));
  EXPECT_EQ(type.layout().lower, map.lower());
  EXPECT_EQ(type.extent(), map.extent());
  EXPECT_EQ(type.layout().true_lower, map.true_lower());
  EXPECT_EQ(type.layout().true_upper, map.true_upper());
}

/// Packs and unpacks in parts of `part` bytes.
inline void expect_same_packing(const definition& type, const typemap& map, std::int64_t count,
                                std::size_t part) {
  memory from{map, count};
  from.fill(7);
  const std::vector<std::byte> wanted = pack(map, from, count);
  std::vector<std::byte> stream(wanted.size() + 1, std::byte{0x5a});
  std::size_t done = 0;
  while (done != wanted.size()) {
    const std::size_t packed =
        mpi::pack(type.plan(), from.buffer(), count, static_cast<std::int64_t>(done),
                  stream.data() + done, std::min(part, wanted.size() - done));
    ASSERT_EQ(packed, std::min(part, wanted.size() - done));
    done += packed;
  }
  EXPECT_EQ(mpi::pack(type.plan(), from.buffer(), count, static_cast<std::int64_t>(done),
                      stream.data() + done, part),
            0U);
  EXPECT_EQ(stream.back(), std::byte{0x5a}) << "past the end";
  stream.pop_back();
  EXPECT_TRUE(stream == wanted);

  memory to{map, count}, expected{map, count};
  to.fill(99);
  expected.fill(99);
  unpack(map, expected, count, wanted);
  for (done = 0; done < wanted.size(); done += part)
    EXPECT_EQ(mpi::unpack(type.plan(), to.buffer(), count, static_cast<std::int64_t>(done),
                          wanted.data() + done, std::min(part, wanted.size() - done)),
              std::min(part, wanted.size() - done));
  EXPECT_TRUE(to.bytes() == expected.bytes());
}

/// Where it lies in blocks, they hold the stream. Whether it does.
inline bool expect_same_blocks(const definition& type, const typemap& map, std::int64_t count) {
  memory from{map, count};
  from.fill(5);
  const detail::strided_blocks found = blocks_of(type.plan(), from.buffer(), count);
  if (found.length == 0) return false;
  const std::vector<std::byte> wanted = pack(map, from, count);
  EXPECT_EQ(wanted.size() % found.length, 0U);
  EXPECT_GE(found.stride, found.length);
  for (std::size_t at = 0; at < wanted.size(); at += found.length)
    EXPECT_TRUE(std::equal(found.first + at / found.length * found.stride,
                           found.first + at / found.length * found.stride + found.length,
                           wanted.begin() + static_cast<std::ptrdiff_t>(at)));
  return true;
}

inline void expect_same(const definition& type, const typemap& map) {
  expect_same_bounds(type, map);
  if (testing::Test::HasFailure()) return;
  for (const std::int64_t count : {0, 1, 2, 5}) {
    (void)expect_same_blocks(type, map, count);
    for (const std::size_t part : {std::size_t{1}, std::size_t{7}, std::size_t{64}, SIZE_MAX / 2})
      expect_same_packing(type, map, count, part);
  }
}
inline void expect_same(const modelled& both) {
  expect_same(datatype_of(both.type).type(), both.map);
}

class random_types {
 public:
  /// A number from `low` to `high`.
  using choice = std::function<std::int64_t(std::int64_t low, std::int64_t high)>;

  explicit random_types(choice chosen) : chosen_{std::move(chosen)} {}
  explicit random_types(std::uint32_t seed)
      : chosen_{[random = std::mt19937{seed}](std::int64_t low, std::int64_t high) mutable {
          return std::uniform_int_distribution<std::int64_t>{low, high}(random);
        }} {}

  std::int64_t between(std::int64_t low, std::int64_t high) { return chosen_(low, high); }

  modelled make(int depth) {
    if (depth == 0) return make_basic();
    modelled old = make(depth - 1);
    if (old.map.elements.size() > 300) return old;
    modelled made = make_of(old, depth);
    if (!datatype_of(old.type).is_predefined()) MPI_Type_free(&old.type);
    return made;
  }

 private:
  modelled make_basic() {
    switch (between(0, 5)) {
      case 0: return {MPI_CHAR, basic_of<char>()};
      case 1: return {MPI_SHORT, basic_of<short>()};
      case 2: return {MPI_INT, basic_of<int>()};
      case 3: return {MPI_DOUBLE, basic_of<double>()};
      case 4: return {MPI_COMPLEX32, basic(32, 16)};
      default: {
        modelled pair{MPI_DOUBLE_INT, basic_of<double>()};
        pair.map.add(basic_of<int>(), 8);
        return pair;
      }
    }
  }
  modelled make_of(const modelled& old, int depth) {
    switch (between(0, 6)) {
      case 0: return make_contiguous(old);
      case 1: return make_vector(old);
      case 2: return make_hvector(old);
      case 3: return make_indexed(old);
      case 4: return make_hindexed_block(old);
      case 5: return make_resized(old);
      default: return make_struct(old, depth);
    }
  }
  modelled make_contiguous(const modelled& old) {
    modelled made;
    const auto count = static_cast<int>(between(0, 4));
    made.map.add_block(old.map, count, 0);
    EXPECT_EQ(MPI_Type_contiguous(count, old.type, &made.type), MPI_SUCCESS);
    return made;
  }
  modelled make_vector(const modelled& old) {
    modelled made;
    const auto count = static_cast<int>(between(0, 4)), length = static_cast<int>(between(0, 3)),
               stride = static_cast<int>(between(-5, 6));
    made.map = hvector(count, length, stride * old.map.extent(), old.map);
    EXPECT_EQ(MPI_Type_vector(count, length, stride, old.type, &made.type), MPI_SUCCESS);
    return made;
  }
  modelled make_hvector(const modelled& old) {
    modelled made;
    const std::int64_t count = between(0, 4), length = between(0, 3), stride = between(-90, 90);
    made.map = hvector(count, length, stride, old.map);
    EXPECT_EQ(MPI_Type_create_hvector_c(count, length, stride, old.type, &made.type), MPI_SUCCESS);
    return made;
  }
  modelled make_indexed(const modelled& old) {
    modelled made;
    std::vector<int> lengths, displacements;
    for (auto left = between(0, 5); left != 0; --left) {
      lengths.push_back(static_cast<int>(between(0, 3)));
      displacements.push_back(static_cast<int>(between(-6, 9)));
      made.map.add_block(old.map, lengths.back(), displacements.back() * old.map.extent());
    }
    EXPECT_EQ(MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(),
                               displacements.data(), old.type, &made.type),
              MPI_SUCCESS);
    return made;
  }
  modelled make_hindexed_block(const modelled& old) {
    modelled made;
    const std::int64_t length = between(0, 3), step = between(0, 40);
    std::vector<MPI_Count> displacements;
    for (auto left = between(0, 6); left != 0; --left) {  // sometimes regular
      displacements.push_back(static_cast<MPI_Count>(displacements.size()) * step +
                              (between(0, 3) == 0 ? between(-9, 9) : 0));
      made.map.add_block(old.map, length, displacements.back());
    }
    EXPECT_EQ(MPI_Type_create_hindexed_block_c(static_cast<MPI_Count>(displacements.size()), length,
                                               displacements.data(), old.type, &made.type),
              MPI_SUCCESS);
    return made;
  }
  modelled make_resized(const modelled& old) {
    const MPI_Aint lower = between(-20, 20), extent = between(-30, 120);
    modelled made{MPI_DATATYPE_NULL, resized(old.map, lower, extent)};
    EXPECT_EQ(MPI_Type_create_resized(old.type, lower, extent, &made.type), MPI_SUCCESS);
    return made;
  }
  modelled make_struct(const modelled& old, int depth) {
    modelled made, other = make(depth - 1);
    const MPI_Datatype types[] = {old.type, other.type, old.type};
    int lengths[3];
    MPI_Aint displacements[3];
    for (std::size_t each = 0; each != 3; ++each) {
      lengths[each] = static_cast<int>(between(0, 2));
      displacements[each] = between(-50, 100);
      made.map.add_block(each == 1 ? other.map : old.map, lengths[each], displacements[each]);
    }
    EXPECT_EQ(MPI_Type_create_struct(3, lengths, displacements, types, &made.type), MPI_SUCCESS);
    if (!datatype_of(other.type).is_predefined()) MPI_Type_free(&other.type);
    return made;
  }

  choice chosen_;
};

}  // namespace peal::mpi::model
