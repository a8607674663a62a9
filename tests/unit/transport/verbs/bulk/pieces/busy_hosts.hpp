// unit/transport/verbs/bulk/pieces/busy_hosts.hpp
// Ends on cards in simulated time whose hosts do nothing else while they register or pack.
#pragma once

#include "unit/transport/verbs/double/ends.hpp"
#include "unit/transport/verbs/double/timeline.hpp"

namespace peal::test {

class verbs_on_busy_hosts : public verbs_on_cards {
 protected:
  void TearDown() override {
    verbs_double::work_at_once();
    verbs_on_cards::TearDown();
    verbs_double::remove_cards();
  }
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
};

}  // namespace peal::test
