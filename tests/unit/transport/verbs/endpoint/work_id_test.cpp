// What a completion says of its work request.
#include "transport/verbs/endpoint/work_id.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal::verbs;

TEST(work_id, holds_what_it_was_made_of) {
  for (const work kind : {work::receive, work::send, work::read, work::notice}) {
    for (const std::uint32_t connection : {0u, 1u, 0x3fffffu}) {
      const work_id made = work_id::make(kind, connection, 0xff, 0xffffffff);
      EXPECT_EQ(made.kind(), kind);
      EXPECT_EQ(made.connection(), connection);
      EXPECT_EQ(made.generation(), 0xff);
      EXPECT_EQ(made.detail(), 0xffffffffu);
    }
  }
  const work_id plain = work_id::make(work::receive, 0, 0, 0);
  EXPECT_EQ(plain.word, 0u);
  const work_id mixed = work_id::make(work::send, 0x12345, 7, 42);
  EXPECT_EQ(mixed.connection(), 0x12345u);
  EXPECT_EQ(mixed.generation(), 7);
  EXPECT_EQ(mixed.detail(), 42u);
}

}  // namespace
