// The functions of peal/detail/core.hpp by which a communicator is copied while the program goes
// on.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/calls/making.hpp"
#include "peal/error.hpp"

namespace peal::detail {

/// In two steps: the first rank says what numbers there are; where they were used before, or are
/// for a communicator that names its tags, all say which of them they may use and what they want.
struct pending_copy {
  // Of used ones there is one more to choose from than are needed, since there can be no second
  // try: it would be a collective more, which the ranks would start in different places among
  // others. A number that is free here is in use elsewhere only where a rank is late with giving it
  // back. More of them would take too many from other calls, which could be told that none is left.
  pending_copy(job& in, communicator_state& of, bool named_tags, const location& at)
      : here{in}, from{of}, wants_named_tags{named_tags}, where{at}, offered(in.lane_count() + 1) {}

  job& here;
  communicator_state& from;
  const bool wants_named_tags;
  const location where;
  std::vector<copy_offer> offered;  // the first one says what the first rank wants
  std::uint32_t held = 0;           // one bit for each number, and `named`
  std::uint32_t common = 0;
  operation* ends = nullptr;

  static constexpr std::uint32_t named = std::uint32_t{1} << 31;

  [[nodiscard]] bool is_held(std::size_t which) const noexcept { return (held >> which & 1) != 0; }

  void offer() {
    offered.front().names_tags = wants_named_tags ? 1 : 0;
    const std::size_t needed = wants_named_tags ? here.lane_count() : 1;
    bool used_before = false;
    for (std::size_t each = 0; each != (used_before ? needed + 1 : needed); ++each) {
      offered[each].context = here.contexts().take();
      used_before |= offered[each].context.used_before;
    }
  }
  /// Inside the engine.
  bool take(collective_call& call, std::error_code& error) noexcept {
    for (std::size_t each = 0; each != offered.size(); ++each) {
      const std::uint32_t context = offered[each].context.context;
      if (context != 0 && here.contexts().hold(context)) held |= std::uint32_t{1} << each;
    }
    const bool first_wants_named = offered.front().names_tags != 0;
    if (first_wants_named && wants_named_tags) held |= named;
    common = held;
    if (offered.front().context.context == 0) error = make_error_code(errc::no_space);
    if (!first_wants_named && !offered.front().context.used_before) return false;
    call.kind = collective::allreduce;
    call.send = &held;
    call.receive = &common;
    call.bytes = call.element_size = sizeof held;
    call.type = scalar::u32;
    call.op = {builtin::band, true};
    return true;
  }
  /// The numbers of the communicator: none after an error, after which `common` says nothing.
  /// Where there are fewer than lanes it has fewer ways.
  [[nodiscard]] std::vector<std::size_t> chosen() const {
    std::vector<std::size_t> taken;
    if (ends->result.error) return taken;
    const std::size_t needed = (common & named) != 0 ? here.lane_count() : 1;
    for (std::size_t each = 0; each != offered.size() && taken.size() != needed; ++each)
      if ((common >> each & 1) != 0) taken.push_back(each);
    return taken;
  }
  /// All but those that are taken, which are in order.
  void give_back(const std::vector<std::size_t>& taken) {
    auto next = taken.begin();
    for (std::size_t each = 0; each != offered.size(); ++each) {
      if (next != taken.end() && *next == each) {
        ++next;
        continue;
      }
      const std::uint32_t context = offered[each].context.context;
      if (is_held(each)) here.contexts().let_go(context);
      // Others may hold it still, as one that was used before.
      if (from.rank() == 0) here.contexts().give_back({.context = context, .used_before = true});
    }
  }
  [[nodiscard]] communicator_state& make(std::size_t which) {
    communicator_state& made =
        make_communicator(here, team{offered[which].context.context, from}, &from.collective, {});
    made.tags_named = (common & named) != 0;
    return made;
  }
};

pending_copy* start_duplicate(communicator_state& from, bool named_tags, operation*& ends,
                              const location& where) {
  auto made = std::make_unique<pending_copy>(job::require(where), from, named_tags, where);
  if (from.rank() == 0) made->offer();
  collective_call call;
  call.kind = collective::bcast;
  call.receive = made->offered.data();
  call.bytes = made->offered.size() * sizeof made->offered.front();
  const second_step second{
      [](void* context, collective_call& next, std::error_code& error) noexcept {
        return static_cast<pending_copy*>(context)->take(next, error);
      },
      made.get()};
  ends = made->ends = start_collective(from, call, second, made->where);
  return made.release();
}

communicator_state* finish_duplicate(pending_copy* copy) noexcept {
  const std::unique_ptr<pending_copy> made{copy};
  if (job::running() == nullptr) return nullptr;
  const std::vector<std::size_t> numbers = made->chosen();
  made->give_back(numbers);
  if (numbers.empty()) return nullptr;
  communicator_state& ours = made->make(numbers.front());
  if (numbers.size() != 1) {
    ours.ways.push_back(&ours);
    while (ours.ways.size() != numbers.size())
      ours.ways.push_back(&made->make(numbers[ours.ways.size()]));
  }
  copy_neighbors(made->from, ours);
  return &ours;
}

}  // namespace peal::detail
