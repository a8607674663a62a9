#include "shown/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace peal::launcher {

const shown_communicator* shown_rank::communicator(std::uint32_t context) const noexcept {
  const auto found = std::ranges::find(communicators, context, &shown_communicator::context);
  return found == communicators.end() ? nullptr : &*found;
}

const shown_wait* shown_rank::wait() const noexcept {
  const auto found = std::ranges::max_element(waits, {}, &shown_wait::seconds);
  return found == waits.end() ? nullptr : &*found;
}

const shown_rank* job_snapshot::find(int rank) const noexcept {
  const auto found = std::ranges::lower_bound(ranks, rank, {}, &shown_rank::rank);
  return found == ranks.end() || found->rank != rank ? nullptr : &*found;
}

shown_rank* job_snapshot::find(int rank) noexcept {
  return const_cast<shown_rank*>(std::as_const(*this).find(rank));
}

shown_rank& job_snapshot::at(int rank) {
  auto place = std::ranges::lower_bound(ranks, rank, {}, &shown_rank::rank);
  if (place == ranks.end() || place->rank != rank) {
    place = ranks.emplace(place);
    place->rank = rank;
    place->shows = false;
  }
  return *place;
}

void job_snapshot::merge(job_snapshot other) {
  if (job.empty()) job = std::move(other.job);
  size = std::max(size, other.size);
  for (shown_rank& each : other.ranks) {
    shown_rank& mine = at(each.rank);
    if (!mine.shows) mine = std::move(each);
  }
}

void job_snapshot::compare(const job_snapshot& before, double seconds) {
  for (shown_rank& each : ranks) {
    const shown_rank* const then = before.find(each.rank);
    each.quiet.reset();
    each.loops = false;
    each.steps = 0;
    if (then == nullptr || then->pid != each.pid || !each.shows || !then->shows) continue;
    if (const auto moves = each.activity.moves; seconds > 0 && moves >= then->activity.moves &&
                                                each.wait() != nullptr && then->wait() != nullptr &&
                                                each.wait()->began == then->wait()->began)
      each.steps = static_cast<double>(moves - then->activity.moves) / seconds;
    if (each.phase != then->phase || each.activity.moved_since(then->activity)) continue;
    each.quiet = then->quiet.value_or(0) + seconds;
    each.loops = each.waits.empty() && !each.helped && each.activity.turns != then->activity.turns;
  }
}

std::string job_snapshot::name_of(std::uint32_t context) const {
  for (const shown_rank& each : ranks)
    if (const shown_communicator* const found = each.communicator(context))
      if (!found->name.empty()) return found->name;
  return context == 0 ? "the world" : fmt::format("communicator {}", context);
}

}  // namespace peal::launcher
