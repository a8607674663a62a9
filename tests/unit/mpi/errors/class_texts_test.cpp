#include "mpi/errors/class_texts.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstring>
#include <set>
#include <string>

#include "mpi/support/failure.hpp"

namespace {

TEST(class_texts, every_class_has_a_sentence_of_its_own) {
  std::set<std::string> all;
  int classes = 0;
  for (int each = -10; each <= MPI_ERR_LASTCODE; ++each) {
    const char* const text = peal::mpi::text_of_class(each);
    EXPECT_EQ(text != nullptr,
              peal::mpi::name_of_class(each) != nullptr || each == MPI_ERR_LASTCODE)
        << each;
    if (text == nullptr) continue;
    ++classes;
    EXPECT_LT(std::strlen(text), 100U);
    // Classes of the tool interface say some things that others say, too.
    if (each < MPI_T_ERR_CANNOT_INIT) {
      EXPECT_TRUE(all.insert(text).second) << text;
    }
  }
  EXPECT_EQ(classes, MPI_ERR_ABI + 1 + 18 + 1);
}

}  // namespace
