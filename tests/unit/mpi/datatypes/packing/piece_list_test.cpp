// Every kernel against copies one by one: what is there, what lies between, and what is longer.
#include "mpi/datatypes/packing/piece_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace peal::mpi;

struct random_list {
  std::vector<plan_piece> pieces;
  std::uint32_t longest = 0;
  std::uint32_t bytes = 0;    // of one copy
  std::int64_t span = 0;      // that one copy reaches
  std::int64_t first = 4096;  // where the list begins in the memory: some offsets are negative

  random_list(std::mt19937& random, std::uint32_t count, std::uint32_t most) {
    std::vector<std::int32_t> offsets;
    std::int32_t at = -64;
    std::vector<std::uint32_t> lengths;
    for (std::uint32_t each = 0; each != count; ++each) {
      lengths.push_back(1 + random() % most);
      offsets.push_back(at);
      at += static_cast<std::int32_t>(lengths.back() + random() % 9);
    }
    std::shuffle(offsets.begin(), offsets.end(), random);
    // Places are as long as the longest piece that may come there.
    for (std::uint32_t each = 0; each != count; ++each) {
      const std::int32_t place = offsets[each] * static_cast<std::int32_t>(most);
      pieces.push_back({place, bytes});
      bytes += lengths[each];
      longest = std::max(longest, lengths[each]);
    }
    pieces.push_back({0, bytes});
    span = std::int64_t{at + 64} * most + most;
  }
};

class piece_list : public testing::TestWithParam<const piece_list_kernel* (*)()> {};

TEST_P(piece_list, copies_what_belongs_to_it_and_nothing_else) {
  const piece_list_kernel* const kernel = GetParam()();
  if (kernel == nullptr) GTEST_SKIP() << "needs AVX-512 with BW and VL, and BMI2";
  std::mt19937 random{7};
  for (const std::uint32_t most : {1U, 7U, 32U, 33U, 64U})
    for (int round = 0; round != 60; ++round) {
      const random_list list{random, 1 + static_cast<std::uint32_t>(random() % 40), most};
      const std::int64_t copies = random() % 4;
      const auto begin = static_cast<std::size_t>(64 * most);
      const std::size_t room = begin + static_cast<std::size_t>(list.span * (copies + 1)) + 64;
      std::vector<std::byte> memory(room);
      for (std::byte& each : memory) each = static_cast<std::byte>(random());
      const std::size_t packed = static_cast<std::size_t>(copies) * list.bytes;
      std::vector<std::byte> wanted, got(packed + 64, std::byte{0x5a});
      std::vector<std::byte> unpacked(room, std::byte{0x11}), as_it_should_be = unpacked;
      for (std::int64_t copy = 0; copy != copies; ++copy)
        for (std::size_t each = 0; each + 1 != list.pieces.size(); ++each) {
          const auto at =
              static_cast<std::ptrdiff_t>(begin) + copy * list.span + list.pieces[each].offset;
          for (std::uint32_t byte = 0;
               byte != list.pieces[each + 1].before - list.pieces[each].before; ++byte) {
            const auto place = static_cast<std::size_t>(at) + byte;
            wanted.push_back(memory[place]);
            as_it_should_be[place] = memory[place];
          }
        }
      piece_list_copy what{.pieces = list.pieces.data(),
                           .count = static_cast<std::uint32_t>(list.pieces.size() - 1),
                           .longest = list.longest,
                           .base = reinterpret_cast<std::uintptr_t>(memory.data()) + begin,
                           .stride = list.span,
                           .copies = copies,
                           .stream = got.data()};
      kernel->pack(what);
      ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), got.begin())) << most;
      for (std::size_t each = packed; each != got.size(); ++each)
        ASSERT_EQ(got[each], std::byte{0x5a}) << "written past the end";
      what.base = reinterpret_cast<std::uintptr_t>(unpacked.data()) + begin;
      what.stream = wanted.data();
      kernel->unpack(what);
      ASSERT_TRUE(unpacked == as_it_should_be) << most;
    }
}

// A part of a list, as where a message goes in pieces: what is before it in the stream is left out.
TEST_P(piece_list, may_begin_in_the_middle) {
  const piece_list_kernel* const kernel = GetParam()();
  if (kernel == nullptr) GTEST_SKIP() << "needs AVX-512 with BW and VL, and BMI2";
  const std::vector<plan_piece> pieces{{0, 0}, {10, 3}, {20, 8}, {0, 15}};
  const char memory[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  char stream[16] = "---------------";
  kernel->pack({.pieces = &pieces[1],
                .count = 2,
                .longest = 7,
                .base = reinterpret_cast<std::uintptr_t>(memory),
                .stride = 0,
                .copies = 1,
                .stream = reinterpret_cast<std::byte*>(stream)});
  EXPECT_STREQ(stream, "klmnouvwxyz0---");
}

const piece_list_kernel* portable() { return &portable_piece_lists(); }
const piece_list_kernel* wide() { return wide_piece_lists(); }
const piece_list_kernel* chosen() { return &piece_lists(); }
std::string name_of(const testing::TestParamInfo<const piece_list_kernel* (*)()>& of) {
  return of.param == portable ? "portable" : of.param == wide ? "wide" : "chosen";
}
INSTANTIATE_TEST_SUITE_P(kernels, piece_list, testing::Values(portable, wide, chosen), name_of);

}  // namespace
