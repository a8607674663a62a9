#include "transport/verbs/connections.hpp"

#include <algorithm>
#include <bit>

namespace peal::verbs {

connection& connections::add(std::unique_ptr<connection> made) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
    generations_.push_back(0);
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  made->stand_at(place, generations_[place]);
  by_peer_[made->peer] = place + 1;
  places_[place] = std::move(made);
  ++count_;
  index();
  return *places_[place];
}

void connections::renew(connection& changed) noexcept {
  changed.stand_at(changed.index(), ++generations_[changed.index()]);
  index();
}

void connections::remove(connection& gone) noexcept {
  const std::uint32_t place = gone.index();
  by_peer_[gone.peer] = 0;
  ++generations_[place];  // completions that name the old one may still come
  places_[place].reset();
  free_.push_back(place);
  --count_;
  index();
}

// Connections come and go seldom, so the table is made anew.
void connections::index() noexcept {
  table_.assign(std::max<std::size_t>(16, std::bit_ceil(2 * count_ + 1)), {});
  for (const auto& each : places_) {
    if (!each || !each->eager.pair) continue;  // one whose end is being told of has none any more
    const std::uint32_t key = key_of(each->eager.pair->qp_num, each->eager.rail);
    std::uint32_t at = key & mask();
    while (table_[at].owner) at = (at + 1) & mask();
    table_[at] = {key, each.get()};
  }
}

}  // namespace peal::verbs
