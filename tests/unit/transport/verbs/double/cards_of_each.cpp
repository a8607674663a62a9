// Each test finds two cards in two networks, with all their knobs as they were made.
#include <gtest/gtest.h>

#include "unit/transport/verbs/double/card.hpp"

namespace {

struct fresh_cards final : testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    peal::verbs_double::remove_cards();
    for (const unsigned network : {1u, 2u}) peal::verbs_double::add_card(network, 1);
  }
};

// The list owns it.
[[maybe_unused]] const bool listens =
    (testing::UnitTest::GetInstance()->listeners().Append(new fresh_cards), true);

}  // namespace
