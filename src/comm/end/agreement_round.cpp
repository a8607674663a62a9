#include "comm/end/agreement_round.hpp"

#include <algorithm>
#include <utility>

namespace peal {

namespace {

void join(verdict& into, const verdict& more) {
  into.flags &= more.flags;
  into.some_make |= more.some_make;
  into.all_make &= more.all_make;
  for (std::size_t each = 0; each != into.gone.size(); ++each)
    if (more.gone[each]) into.gone[each] = true;
}

}  // namespace

agreement_round::agreement_round(int rank, verdict mine, std::vector<letter>& out)
    : rank_{rank}, size_{static_cast<int>(mine.gone.size())}, mine_{std::move(mine)} {
  go_on(out);
}

int agreement_round::lowest_alive() const noexcept {
  int lowest = 0;
  while (lowest != rank_ && is_gone(lowest)) ++lowest;
  return lowest;
}

void agreement_round::go_on(std::vector<letter>& out) {
  if (decided_) return;
  const int next = lowest_alive();
  if (next > coordinator_) follow(next, out);
  // What a lower one may still decide is not taken, but it may know a result.
  else if (coordinator_ != rank_ && is_gone(coordinator_))
    out.push_back({next, {kind::gives, next, mine_}});
  if (coordinator_ == rank_) decide_if_complete(out);
}

void agreement_round::follow(int coordinator, std::vector<letter>& out) {
  coordinator_ = coordinator;
  if (coordinator != rank_) return out.push_back({coordinator, {kind::gives, coordinator, mine_}});
  joint_ = mine_;
  heard_.assign(at(size_), false);
  // To the first rank all come by themselves, and before it nobody has decided.
  if (rank_ != 0) tell_all(kind::asks, {}, out);
}

void agreement_round::tell_all(kind what, const verdict& about, std::vector<letter>& out) const {
  for (int each = 0; each != size_; ++each)
    if (each != rank_ && !is_gone(each)) out.push_back({each, {what, rank_, about}});
}

void agreement_round::take(int from, const saying& said, std::vector<letter>& out) {
  if (decided_) {
    if (said.what == kind::gives || said.what == kind::asks)
      out.push_back({from, {kind::knows, said.coordinator, result_}});
    return;
  }
  switch (said.what) {
    case kind::knows: return adopt(said.about, out);
    case kind::decides:
      // A higher one has this rank's word and may decide otherwise.
      if (said.coordinator >= coordinator_) return adopt(said.about, out);
      if (is_gone(coordinator_)) out.push_back({from, {kind::gives, from, mine_}});
      return;
    case kind::asks:
      if (from >= coordinator_) return follow(from, out);
      return askers_.push_back(from);
    case kind::gives:
      // Who gives its word to this rank knows that all lower ones are dead.
      if (coordinator_ < rank_) follow(rank_, out);
      if (coordinator_ != rank_) return askers_.push_back(from);
      heard_[at(from)] = true;
      join(joint_, said.about);
      return decide_if_complete(out);
  }
}

void agreement_round::mark_gone(int rank, std::vector<letter>& out) {
  if (rank == rank_ || is_gone(rank)) return;
  mine_.gone[at(rank)] = true;
  if (coordinator_ == rank_) joint_.gone[at(rank)] = true;
  go_on(out);
}

void agreement_round::decide_if_complete(std::vector<letter>& out) {
  for (int each = 0; each != size_; ++each)
    if (each != rank_ && !heard_[at(each)] && !is_gone(each)) return;
  adopt(joint_, out);
}

void agreement_round::adopt(const verdict& found, std::vector<letter>& out) {
  decided_ = true;
  result_ = found;
  if (coordinator_ == rank_) tell_all(kind::decides, result_, out);
  for (const int each : askers_) out.push_back({each, {kind::knows, each, result_}});
}

bool agreement_round::awaits(int rank) const noexcept {
  if (decided_ || rank == rank_ || is_gone(rank)) return false;
  return coordinator_ == rank_ ? !heard_[at(rank)] : rank == coordinator_;
}

}  // namespace peal
