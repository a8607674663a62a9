// Buffers that are registered piece by piece while their first pieces move, on cards of this
// process's own.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "unit/transport/verbs/double/ends.hpp"
#include "unit/transport/verbs/double/objects.hpp"
#include "unit/transport/verbs/double/timeline.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using verbs_double::picoseconds;

class verbs_pieces : public verbs_on_cards {
 protected:
  static constexpr std::size_t large = std::size_t{64} << 20;

  void TearDown() override {
    verbs_double::work_at_once();
    verbs_on_cards::TearDown();
    verbs_double::remove_cards();
  }
  void begin_and_meet(verbs_options settings = {}) {
    settings.set.push = 0;
    settings.set.qps = 4;  // which together fill the wire
    begin(2, settings);
    meet(0, 1);
  }
  /// Hosts that register memory do nothing else meanwhile.
  void turn() {
    bool any = false;
    for (peer_id each = 0; each < ends.size(); ++each) {
      if (verbs_double::is_busy(*cards[each])) continue;
      at(each).poll();
      any = true;
    }
    if (!any) verbs_double::pass_time();
  }
  template <class Done>
  [[nodiscard]] bool wait_busily(Done done) {
    return until([&] { turn(); }, done);
  }
  /// Rank 1 announces, rank 0 fetches as soon as it hears of it; the fetch, which has ended.
  std::unique_ptr<tracked_fetch> transfer(const std::byte* source, std::byte* target,
                                          std::size_t bytes) {
    const std::size_t before = got(0).size();
    const remote_region where = at(1).expose(0, source, bytes);
    const envelope e = envelope::make(0, 1, 2, envelope_kind::announce, sizeof where);
    EXPECT_TRUE(at(1).send(0, e, &where));
    EXPECT_TRUE(wait_busily([&] { return got(0).size() > before; }));
    auto made = std::make_unique<tracked_fetch>(1, where, target, bytes);
    at(0).start_fetch(*made);
    EXPECT_TRUE(wait_busily([&] { return made->calls > 0; }));
    at(1).withdraw(0, where);
    return made;
  }
};

TEST_F(verbs_pieces, registration_goes_on_while_the_first_pieces_move) {
  begin_and_meet();
  const std::vector<std::byte> source = pattern(large, 1);
  std::vector<std::byte> target(large);
  const verbs_double::cost_model costs;
  verbs_double::simulate(costs);
  const picoseconds begin = verbs_double::simulated_time();
  EXPECT_FALSE(transfer(source.data(), target.data(), large)->error);
  const picoseconds first = verbs_double::simulated_time() - begin;
  EXPECT_TRUE(target == source);
  EXPECT_FALSE(transfer(source.data(), target.data(), large)->error);
  const picoseconds second = verbs_double::simulated_time() - begin - first;
  const auto all = static_cast<picoseconds>(large / costs.pinned_page) * costs.pin;
  EXPECT_LT(static_cast<double>(first), 0.7 * static_cast<double>(second + 2 * all));
  RecordProperty("first_us", std::to_string(first / verbs_double::microsecond));
  RecordProperty("second_us", std::to_string(second / verbs_double::microsecond));
  RecordProperty("registration_us", std::to_string(all / verbs_double::microsecond));
}

}  // namespace
