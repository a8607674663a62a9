#include "topology/processor.hpp"

#include <gtest/gtest.h>

namespace {

using peal::processor_name;
using peal::processor_name_in;

TEST(processor, is_called_by_the_name_of_its_model) {
  EXPECT_EQ(processor_name_in("processor\t: 0\n"
                              "vendor_id\t: AuthenticAMD\n"
                              "model\t\t: 17\n"
                              "model name\t: AMD EPYC 9004 64-Core Processor\n"
                              "processor\t: 1\n"
                              "model name\t: another\n"),
            "AMD EPYC 9004 64-Core Processor");
}

TEST(processor, is_called_by_numbers_where_there_is_no_name) {
  EXPECT_EQ(processor_name_in("processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\n"
                              "CPU architecture: 8\nCPU part\t: 0xd0c"),
            "ARM 0x41 0xd0c");
}

TEST(processor, may_be_unknown) {
  for (const char* const each : {"", "\n\n", "model name", "model name:", "CPU part : 0xd0c\n"})
    EXPECT_EQ(processor_name_in(each), "") << each;
}

TEST(processor, has_a_name_that_a_line_of_a_file_may_hold) {
  EXPECT_EQ(processor_name_in("model name : a \"fast\" #1 \\ \x01\xff one\n"),
            "a ?fast? ?1 ? ?? one");
  EXPECT_EQ(processor_name_in("model name : " + std::string(1000, 'x')).size(), 100U);
}

TEST(processor, is_the_same_each_time) { EXPECT_EQ(processor_name(), processor_name()); }

}  // namespace
