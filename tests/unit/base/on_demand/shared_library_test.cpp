// Libraries that are loaded when something of them is called.
#include "base/on_demand/shared_library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "peal/error.hpp"

namespace peal::test {
namespace {

std::string refusal_of(shared_library& of, const char* name) {
  try {
    (void)of.function(name, nullptr);
  } catch (const error& refused) {
    return refused.what();
  }
  return {};
}

TEST(shared_library, a_function_that_the_program_has_is_taken_without_the_library) {
  shared_library missing{"libpeal-is-not-there.so.0", "nothing"};
  EXPECT_EQ(missing.function("malloc", nullptr), ::dlsym(RTLD_DEFAULT, "malloc"));
}

TEST(shared_library, the_function_that_stands_for_it_is_not_taken) {
  shared_library missing{"libpeal-is-not-there.so.0", "libnothing1"};
  void* const own = ::dlsym(RTLD_DEFAULT, "malloc");
  EXPECT_THROW((void)missing.function("malloc", own), error);
}

TEST(shared_library, one_that_is_missing_is_named_with_the_package_to_install) {
  shared_library missing{"libpeal-is-not-there.so.0", "libnothing1"};
  const std::string text = refusal_of(missing, "peal_function_of_no_library");
  EXPECT_NE(text.find("libpeal-is-not-there.so.0 is needed"), text.npos) << text;
  EXPECT_NE(text.find("(Debian: libnothing1)"), text.npos) << text;
}

TEST(shared_library, a_function_that_is_missing_is_named) {
  shared_library here{"libc.so.6", "libc6"};
  const std::string text = refusal_of(here, "peal_function_of_no_library");
  EXPECT_NE(text.find("libc.so.6 lacks peal_function_of_no_library"), text.npos) << text;
}

}  // namespace
}  // namespace peal::test
