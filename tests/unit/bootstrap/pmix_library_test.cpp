#include "bootstrap/pmix_library.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(pmix_library, is_loaded_once_and_has_its_functions) {
  const peal::pmix_library& first = peal::pmix();
  EXPECT_EQ(&first, &peal::pmix());
  EXPECT_NE(std::string{first.error_string(PMIX_ERR_UNREACH)}.find("UNREACH"), std::string::npos);
}

}  // namespace
