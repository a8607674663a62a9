#include "shown/call_sites.hpp"

#include <gtest/gtest.h>

namespace peal::launcher {
namespace {

source_place place(const char* function, const char* file, int line, const char* module) {
  return {function, file, line, module, 0x11d3};
}

TEST(call_sites, names_of_functions_are_told_without_what_is_around_them) {
  EXPECT_EQ(short_name("main"), "main");
  EXPECT_EQ(short_name("PMPI_Recv"), "MPI_Recv");
  EXPECT_EQ(short_name("MPI_Recv"), "MPI_Recv");
  EXPECT_EQ(short_name("void peal::communicator::send<std::vector<int> >(std::vector<int>&, int)"),
            "send");
  EXPECT_EQ(short_name("(anonymous namespace)::solve(int)"), "solve");
  EXPECT_EQ(short_name("peal::detail::(anonymous namespace)::complete(peal::lane&)"), "complete");
}

TEST(call_sites, the_call_is_the_outermost_of_the_library_and_the_place_is_where_it_is_made) {
  const call_site c =
      call_site_of({place("peal::engine::sleep(int)", "sleep.cpp", 1, "/usr/lib/libmpi_abi.so.0"),
                    place("", "", 0, "/usr/lib/libmpi_abi.so.0"),
                    place("PMPI_Recv", "blocking_calls.cpp", 9, "/usr/lib/libmpi_abi.so.0"),
                    place("exchange", "/home/me/ring.c", 12, "/home/me/ring"),
                    place("main", "/home/me/ring.c", 40, "/home/me/ring")});
  EXPECT_EQ(c.call, "MPI_Recv");
  EXPECT_EQ(c.place, "ring.c:12 (exchange)");
  const call_site inlined = call_site_of(
      {place("peal::detail::recv(int)", "message_calls.cpp", 1, "/usr/lib/libpeal.so.0"),
       place("int peal::communicator::recv<int>(int)", "/usr/include/peal/x.hpp", 5, "/home/ring"),
       place("std::invoke<int>()", "/usr/include/c++/12/invoke", 5, "/home/ring"),
       place("main", "ring.cpp", 40, "/home/ring")});
  EXPECT_EQ(inlined.call, "recv");
  EXPECT_EQ(inlined.place, "ring.cpp:40 (main)");
}

TEST(call_sites, without_debugging_information_the_module_and_the_offset_are_told) {
  const call_site found = call_site_of(
      {place("PMPI_Recv", "", 0, "/usr/lib/libmpi_abi.so.0"), place("", "", 0, "/home/me/ring")});
  EXPECT_EQ(found.call, "MPI_Recv");
  EXPECT_EQ(found.place, "ring+0x11d3");
}

TEST(call_sites, a_stack_of_nothing_but_the_library_tells_nothing) {
  EXPECT_EQ(call_site_of({}).place, "");
  EXPECT_EQ(call_site_of({place("PMPI_Recv", "", 0, "/usr/lib/libmpi_abi.so.0")}).call, "");
}

TEST(call_sites, what_addr2line_writes_is_read_with_inlined_functions) {
  const auto read = read_addr2line(
      "0x00000000000011d3\ninner\n/a/x.c:3 (discriminator 2)\nmain\n/a/x.c:9\n"
      "0x0000000000000020\n??\n??:0\n");
  ASSERT_EQ(read.size(), 2u);
  const auto& first = read.at(0x11d3);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(text_of(first[0]), "x.c:3 (inner)");
  EXPECT_EQ(text_of(first[1]), "x.c:9 (main)");
  EXPECT_EQ(text_of(read.at(0x20)[0]), "");
}

}  // namespace
}  // namespace peal::launcher
