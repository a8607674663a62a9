#include "transport/verbs/connect/retired_pairs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace peal::verbs {

namespace {

/// For devices that do not tell. What is in their hands is there within microseconds.
constexpr std::chrono::milliseconds long_enough{50};

}  // namespace

void retired_pairs::add(queue_pair pair, std::vector<slot_id> slots,
                        std::uint16_t window) noexcept {
  retired made{std::move(pair), std::move(slots), window, clock::now() + long_enough};
  ibv_qp_attr error{};
  error.qp_state = IBV_QPS_ERR;
  // One in INIT has received nothing.
  const bool waits = made.pair && made.pair->srq && made.pair->state != IBV_QPS_INIT;
  if (waits && ibv_modify_qp(made.pair.get(), &error, IBV_QP_STATE) == 0)
    all_.push_back(std::move(made));
  else end(made);
}

void retired_pairs::end(retired& gone) noexcept {
  gone.pair.reset();
  for (const slot_id each : gone.slots) endpoint_.slots.give_back(each);
  endpoint_.leave_room(gone.window);
}

void retired_pairs::last_reached(std::uint32_t number) noexcept {
  for (retired& each : all_)
    if (each.pair->qp_num == number) each.over = true;
}

bool retired_pairs::holds(std::uint32_t number) const noexcept {
  return std::ranges::any_of(all_,
                             [number](const retired& each) { return each.pair->qp_num == number; });
}

retired_pairs::clock::time_point retired_pairs::due() const noexcept {
  auto first = clock::time_point::max();
  for (const retired& each : all_) first = std::min(first, each.until);
  return first;
}

std::vector<retired_pairs::retired> retired_pairs::take(clock::time_point now) noexcept {
  const auto first = std::partition(all_.begin(), all_.end(), [now](const retired& each) {
    return !each.over && now < each.until;
  });
  std::vector<retired> over{std::make_move_iterator(first), std::make_move_iterator(all_.end())};
  all_.erase(first, all_.end());
  return over;
}

}  // namespace peal::verbs
