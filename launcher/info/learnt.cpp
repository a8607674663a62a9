#include "learnt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>

#include "collective/algorithms.hpp"
#include "collective/choice/choice.hpp"
#include "explain.hpp"
#include "job_memory.hpp"
#include "transport/shm/bulk/interface.hpp"
#include "transport/shm/layout.hpp"
#include "units.hpp"

namespace peal::info {

namespace {

/// What lies in a front, copied.
template <class Type>
std::unique_ptr<Type> copied(const job_memory& from, std::size_t rank, std::size_t offset) {
  auto made = std::make_unique<Type>();
  return from.read_front(rank, offset, made.get(), sizeof(Type)) ? std::move(made) : nullptr;
}

/// Whether the rank wrote nothing into the row while it was copied twice, one after the other.
bool at_rest(const learnt_row& one, const learnt_row& other) {
  const std::uint32_t changes = one.changes.load(std::memory_order_relaxed);
  return changes % 2 == 0 && changes == other.changes.load(std::memory_order_relaxed) &&
         one.facts == other.facts;
}

/// The rows of a rank's table. The rank may write at any time: a row that never comes to rest, as
/// of a rank that was stopped in the middle of it, is left out.
std::vector<learnt_facts> facts_of(const job_memory& job, std::size_t rank, bool& left_out) {
  std::vector<learnt_facts> found;
  constexpr int looks = 100;  // a rank writes for some nanoseconds, at most every few calls
  bool all_at_rest = false;
  for (int look = 0; look != looks && !all_at_rest; ++look) {
    const auto one = copied<learnt_table>(job, rank, offsetof(shm::front, learnt));
    const auto other = copied<learnt_table>(job, rank, offsetof(shm::front, learnt));
    if (!one || !other) return {};
    if (one->algorithms() != 0 && one->algorithms() != number_of_algorithms())
      throw std::runtime_error("the job runs with another version of peal than this peal-info");
    left_out |= one->left_out();
    found.clear();
    all_at_rest = true;
    for (std::size_t each = 0; each != learnt_table::most_rows; ++each) {
      const learnt_row& row = one->rows()[each];
      if (!at_rest(row, other->rows()[each])) all_at_rest = false;
      else if (row.facts.ranks != 0) found.push_back(row.facts);
    }
  }
  return found;
}

learnt_calls calls_of(const learnt_facts& facts, std::int64_t process) {
  learnt_calls made{.communicator = facts.context,
                    .ranks = static_cast<int>(facts.ranks),
                    .first_process = process,
                    .collective = name_of(static_cast<detail::collective>(facts.kind)),
                    .up_to = std::size_t{1} << facts.length,
                    .commutative = facts.commutative != 0,
                    .in_order = facts.in_order != 0,
                    .ways = {}};
  const auto all = all_algorithms();
  const auto ways = std::min<std::size_t>(facts.ways, learnt_facts::most_ways);
  for (std::size_t way = 0; way != ways; ++way) {
    const std::uint8_t code = facts.way[way];
    learnt_way& named = made.ways.emplace_back();
    named.name = std::string{code < all.size() ? all[code].name : direct_name};
    named.by_parts = code == learnt_facts::directly_by_parts;
    const bool has_like =
        code < all.size() && std::ranges::count(std::span{facts.way}.first(ways), code) > 1;
    if (has_like && all[code].by_radix) named.radix = facts.radix[way];
    if (has_like && all[code].segmentable && facts.piece[way] != 0)
      named.piece = std::size_t{1} << facts.piece[way];
    if (facts.cost[way] != 0) named.rate = facts.cost[way];
    named.in_use = way == facts.best;
  }
  return made;
}

constexpr std::array buffer_names{"ordinary", "source in peal::allocate",
                                  "destination in peal::allocate", "joined"};
constexpr std::array span_names{"that share a cache", "of one NUMA node", "of one socket",
                                "of two sockets"};
constexpr std::array copy_names{"alone", "together", "staged", "staged large"};
static_assert(buffer_names.size() == shm::copy_rates::kinds && span_names.size() == spans &&
              copy_names.size() == shm::copy_rates::ways);

void add_copies(const job_memory& job, std::size_t lane, std::vector<learnt_copies>& into) {
  using shm::copy_rates;
  const auto rates = copied<copy_rates>(job, 0, offsetof(shm::front, rates));
  if (!rates) return;
  for (std::size_t at = 0; at != std::size(rates->cells); ++at) {
    const std::size_t length = at % copy_rates::classes;
    const std::size_t above = shm::copy_choice::longest_alone << length;
    const bool last = length + 1 == copy_rates::classes;
    learnt_copies made{.lane = lane,
                       .buffers = buffer_names[at / copy_rates::classes / spans],
                       .cores = span_names[at / copy_rates::classes % spans],
                       .above = above,
                       .up_to = last ? 0 : 2 * above,
                       .ways = {}};
    learnt_way* fastest = nullptr;
    for (std::size_t way = 0; way != copy_rates::ways; ++way) {
      learnt_way& named = made.ways.emplace_back();
      named.name = copy_names[way];
      if (const float rate = rates->cells[at].rate[way].load(std::memory_order_relaxed); rate > 0)
        named.rate = rate / 1024;
    }
    for (learnt_way& each : made.ways)
      if (each.rate && (fastest == nullptr || *each.rate < *fastest->rate)) fastest = &each;
    if (fastest == nullptr) continue;
    fastest->in_use = true;
    into.push_back(std::move(made));
  }
}

std::string with_parameters(const learnt_way& of) {
  return of.name + (of.by_parts ? ", by parts" : "") +
         (of.radix ? fmt::format(", radix {}", *of.radix) : "") +
         (of.piece ? fmt::format(", by {}", size_text(*of.piece)) : "");
}

void write(std::back_insert_iterator<std::string> to, const learnt_calls& each) {
  fmt::format_to(to, "  {:<15}up to {:<9}", each.collective, size_text(each.up_to));
  for (const learnt_way& way : each.ways)
    fmt::format_to(to, "  {}{} {}", with_parameters(way), way.in_use ? " *" : "",
                   way.rate ? time_text(*way.rate * static_cast<double>(each.up_to)) : "not tried");
  fmt::format_to(to, "{}{}\n", each.in_order ? "  (in rank order)" : "",
                 each.commutative ? "" : "  (does not commute)");
}

void write(std::back_insert_iterator<std::string> to, const learnt_copies& each) {
  fmt::format_to(
      to, "  {:<14}",
      each.up_to == 0 ? "above " + size_text(each.above) : "up to " + size_text(each.up_to));
  for (const learnt_way& way : each.ways)
    if (way.rate)
      fmt::format_to(to, "  {}{} {:.3g} GB/s", way.name, way.in_use ? " *" : "", 1 / *way.rate);
  fmt::format_to(to, "\n");
}

}  // namespace

learnt_report learnt_by(pid_t process, const std::string& collective) {
  if (!collective.empty()) (void)collective_of(collective);
  learnt_report made;
  made.asked = process;
  const std::vector<job_memory> lanes = job_memory::find(process);
  made.ranks = lanes.front().ranks();
  for (std::size_t lane = 0; lane != lanes.size(); ++lane) {
    const job_memory& job = lanes[lane];
    if (job.front_bytes() != sizeof(shm::front))
      throw std::runtime_error("the job runs with another version of peal than this peal-info");
    for (std::size_t rank = 0; rank != job.ranks(); ++rank)
      for (const learnt_facts& each : facts_of(job, rank, made.calls_left_out))
        made.calls.push_back(calls_of(each, job.process_of(rank)));
    add_copies(job, lane, made.copies);
  }
  if (!collective.empty()) {
    std::erase_if(made.calls, [&](const auto& each) { return each.collective != collective; });
    made.copies.clear();
  }
  std::ranges::stable_sort(made.calls, {}, [](const learnt_calls& each) {
    return std::tuple{each.communicator, each.collective, each.up_to};
  });
  return made;
}

std::string to_text(const learnt_report& of) {
  std::string text = fmt::format("What the job of process {} has learnt on this node, {} rank{}\n",
                                 of.asked, of.ranks, of.ranks == 1 ? "" : "s");
  const auto to = std::back_inserter(text);
  fmt::format_to(to,
                 "\nBlocking collectives: what a call of that length takes by each way (* in "
                 "use)\n");
  const learnt_calls* before = nullptr;
  for (const learnt_calls& each : of.calls) {
    if (before == nullptr || before->communicator != each.communicator)
      fmt::format_to(
          to, "{}, {} ranks, the first of which is process {}\n",
          each.communicator == 0 ? "World" : fmt::format("Communicator {}", each.communicator),
          each.ranks, each.first_process);
    write(to, each);
    before = &each;
  }
  if (of.calls.empty()) fmt::format_to(to, "  nothing so far\n");
  if (of.calls_left_out) fmt::format_to(to, "  and more, for which there is no room\n");
  if (of.copies.empty()) return text;
  fmt::format_to(to, "\nLarge messages: how fast they go by each way (* the fastest)\n");
  const learnt_copies* last = nullptr;
  for (const learnt_copies& each : of.copies) {
    if (last == nullptr || std::tie(last->lane, last->buffers, last->cores) !=
                               std::tie(each.lane, each.buffers, each.cores))
      fmt::format_to(to, "Between cores {}, {} buffers{}\n", each.cores, each.buffers,
                     each.lane > 0 ? fmt::format(", lane {}", each.lane) : "");
    write(to, each);
    last = &each;
  }
  return text;
}

}  // namespace peal::info
