// Where the code of loaded objects lies, and room near it.
#include "memory/loaded_code.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/page.hpp"

namespace {

using namespace peal;

TEST(loaded_code, a_function_lies_in_the_code_of_its_object) {
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(libc, nullptr);
  const object_code function = code_of_function(libc, "munmap");
  ASSERT_LT(function.begin, function.end);
  const object_code object = code_around(reinterpret_cast<void*>(function.begin));
  EXPECT_TRUE(object.holds(function.begin));
  EXPECT_TRUE(object.holds(function.end - 1));
  EXPECT_FALSE(object.holds(object.end));
  EXPECT_EQ(code_of_function(libc, "no_such_function").begin, 0u);
  int here = 0;
  EXPECT_EQ(code_around(&here).begin, 0u) << "the stack holds no code";
  dlclose(libc);
}

TEST(loaded_code, a_page_is_found_within_reach_or_not_at_all) {
  constexpr std::uintptr_t reach = std::uintptr_t{1} << 27;
  const auto low = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "munmap")),
             high = low + 100;
  std::uint8_t* const found = page_near(low, high, reach);
  ASSERT_NE(found, nullptr);
  found[page - 1] = 1;  // it can be written to
  const auto at = reinterpret_cast<std::uintptr_t>(found);
  EXPECT_LT(std::max(at > low ? at - low : low - at, at > high ? at - high : high - at), reach);
  std::uint8_t* const second = page_near(low, high, reach);
  EXPECT_NE(second, found) << "it is taken";
  if (second) munmap(second, page);
  munmap(found, page);
  EXPECT_EQ(page_near(low, high, page), nullptr);
}

TEST(loaded_code, a_cause_is_told_with_what_the_kernel_says) {
  EXPECT_EQ(because("it went wrong", -EACCES), "it went wrong: Permission denied");
}

}  // namespace
