// Instructions of 64-bit ARM processors, as an assembler writes them; on any machine.
#include "memory/aarch64/instructions.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace peal::aarch64;

TEST(aarch64_instructions, a_branch_leads_where_it_is_to_lead) {
  EXPECT_EQ(branch(0x1000, 0x1000), 0x14000000u);
  EXPECT_EQ(branch(0x1000, 0x1004), 0x14000001u);
  EXPECT_EQ(branch(0x1000, 0x0ffc), 0x17ffffffu);
  EXPECT_EQ(branch(0, branch_reach - 4), 0x15ffffffu);
  EXPECT_EQ(branch(branch_reach, 0), 0x16000000u);
  for (const std::uintptr_t from : {std::uintptr_t{0x7f0000001000}, std::uintptr_t{0x10000000}})
    for (const std::int64_t distance : {std::int64_t{4}, std::int64_t{-4}, std::int64_t{0x123454},
                                        -branch_reach, branch_reach - 4}) {
      const auto to = from + static_cast<std::uintptr_t>(distance);
      const auto made = branch(from, to);
      ASSERT_TRUE(made) << distance;
      EXPECT_EQ(branched_to(from, *made), to) << distance;
    }
  EXPECT_FALSE(branched_to(0x1000, supervisor_call));
}

TEST(aarch64_instructions, what_is_too_far_cannot_be_said) {
  EXPECT_FALSE(branch(0, static_cast<std::uintptr_t>(branch_reach)));
  EXPECT_FALSE(branch(static_cast<std::uintptr_t>(branch_reach) + 4, 0));
  EXPECT_FALSE(branch(0x1000, 0x1002)) << "amid an instruction";
  EXPECT_FALSE(load_x16(std::int64_t{1} << 20));
  EXPECT_FALSE(load_x16(6));
}

TEST(aarch64_instructions, an_address_is_loaded_from_before_and_behind) {
  EXPECT_EQ(load_x16(8), 0x58000050u);    // ldr x16, .+8
  EXPECT_EQ(load_x16(-36), 0x58fffef0u);  // ldr x16, .-36
}

TEST(aarch64_instructions, numbers_of_system_calls_are_read) {
  EXPECT_EQ(number_into_x8(0xd2801ae8), 215);  // mov x8, #0xd7
  EXPECT_EQ(number_into_x8(0x52801ae8), 215);  // mov w8, #0xd7
  EXPECT_EQ(number_into_x8(0xd2803708), 440);  // mov x8, #0x1b8
  EXPECT_FALSE(number_into_x8(0xd2801ae9));    // mov x9, #0xd7
  EXPECT_FALSE(number_into_x8(0xf2801ae8));    // movk x8, #0xd7
  EXPECT_FALSE(number_into_x8(0xaa0003e8));    // mov x8, x0
  EXPECT_FALSE(number_into_x8(0xd2a01ae8));    // mov x8, #0xd70000
}

std::optional<int> number_in(std::vector<instruction> code) {
  code.push_back(supervisor_call);
  return number_at_end(code);
}

TEST(aarch64_instructions, the_number_is_found_behind_other_instructions) {
  EXPECT_EQ(number_in({0xd2801b08}), 216);
  // mov x8, #0xd8; str x3, [x0]; mov x1, x20; cmp x8, x1
  EXPECT_EQ(number_in({0xd2801b08, 0xf9000003, 0xaa1403e1, 0xeb01011f}), 216);
  EXPECT_EQ(number_in({0xd2801b08, 0xf9000008}), 216) << "str x8, [x0]";
  EXPECT_EQ(number_in({0xd2801b08, 0xa9000408}), 216) << "stp x8, x1, [x0]";
  EXPECT_EQ(number_in({0xd2801b08, 0xb4000048}), 216) << "cbz x8, .+8";
  EXPECT_EQ(number_in({0xd2801b08, 0x54000048}), 216) << "b.hi .+8";
}

TEST(aarch64_instructions, a_number_that_cannot_be_told_is_none) {
  EXPECT_FALSE(number_in({}));
  EXPECT_FALSE(number_in({0x93407c08})) << "sxtw x8, w0";
  EXPECT_FALSE(number_in({0xd2801b08, 0xf9400008})) << "ldr x8, [x0]";
  EXPECT_FALSE(number_in({0xd2801b08, 0xb9800008})) << "ldrsw x8, [x0]";
  EXPECT_FALSE(number_in({0xd2801b08, 0xa9400408})) << "ldp x8, x1, [x0]";
  EXPECT_FALSE(number_in({0xd2801b08, 0x58000048})) << "ldr x8, .+8";
  EXPECT_FALSE(number_in({0xd2801b08, 0x91000508})) << "add x8, x8, #1";
  EXPECT_FALSE(number_in({0xd2801b08, 0xaa0003e8})) << "mov x8, x0";
  EXPECT_FALSE(number_in({0xd2801b08, 0xd65f03c0})) << "ret";
  EXPECT_FALSE(number_in({0xd2801b08, 0x94000010})) << "bl";
  EXPECT_FALSE(number_in({0xd2801b08, 0x14000010})) << "b";
  EXPECT_FALSE(number_in({0xd2801b08, 0xd61f0200})) << "br x16";
  EXPECT_FALSE(number_in({0xd2801b08, 0xd63f0200})) << "blr x16";
  std::vector<instruction> far(most_back + 1, 0xd503201f);  // nop
  far.front() = 0xd2801b08;
  EXPECT_FALSE(number_in(far));
}

TEST(aarch64_instructions, functions_that_another_library_redirects_are_known) {
  const auto jumps = [](std::vector<instruction> code) { return begins_with_a_jump(code); };
  // mov x8, #0xd7; svc #0; cmn x0, #0xfff; b.cs; ret
  EXPECT_FALSE(jumps({0xd2801ae8, 0xd4000001, 0xb13ffc1f, 0x54000042, 0xd65f03c0}));
  EXPECT_FALSE(jumps({branch_target, 0xd2801ae8, 0xd4000001}));
  EXPECT_FALSE(jumps({}));
  EXPECT_TRUE(jumps({0x14000010}));
  EXPECT_TRUE(jumps({branch_target, 0x17fffff0}));
  EXPECT_TRUE(jumps({0x5800004f, 0xd61f01e0})) << "ldr x15, .+8; br x15";
  EXPECT_TRUE(jumps({0xd28acf0f, 0xf2a2468f, 0xf2cffe0f, 0xf2e0000f, 0xd61f01e0}))
      << "an address in four steps; br x15";
  EXPECT_TRUE(jumps({0xd4200000})) << "brk";
}

}  // namespace
