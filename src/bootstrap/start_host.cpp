#include "bootstrap/start_host.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "base/log.hpp"
#include "peal/error.hpp"

namespace peal {

using namespace start_layout;

std::unique_ptr<start_host> start_host::make(const start_facts& facts) {
  try {
    return std::unique_ptr<start_host>{new start_host{facts}};
  } catch (const error& problem) {
    log_info("ranks meet by PMIx: {}", problem.what());
    return nullptr;
  }
}

start_host::start_host(const start_facts& facts) {
  const std::size_t fixed = fixed_bytes(facts.applications.size());
  const int made = ::memfd_create("pealrun", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made < 0) fail("cannot make memory to share with the ranks", errno);
  // Where descriptors are few the lowest free one has to do.
  view_.file = ::fcntl(made, F_DUPFD, first_descriptor);
  if (view_.file < 0) view_.file = ::fcntl(made, F_DUPFD, 3);
  ::close(made);
  if (view_.file < 0) fail("no descriptor is left for the memory to share with the ranks", errno);
  if (!lengthen(view_.file, fixed + (facts.applications.size() + 1) * expected_bytes))
    fail("cannot make memory to share with the ranks", errno);
  // A rank that made it shorter would end the others by SIGBUS.
  ::fcntl(view_.file, F_ADD_SEALS, F_SEAL_SHRINK);
  map_fixed(view_, fixed);
  auto& head = *::new (view_.base) header;
  head.ranks = static_cast<std::uint32_t>(facts.applications.size());
  head.cores = static_cast<std::uint32_t>(facts.cores);
  head.job = {fixed, facts.job.size()};
  head.distances = {fixed + facts.job.size(), facts.distances.size()};
  write_all(view_.file, facts.job + facts.distances, fixed);
  // relaxed: no rank runs yet
  head.end.store(fixed + facts.job.size() + facts.distances.size(), std::memory_order_relaxed);
  for (std::size_t rank = 0; rank < facts.applications.size(); ++rank) {
    auto& slot = *::new (&view_.at(static_cast<int>(rank))) start_layout::slot;
    slot.application = static_cast<std::uint32_t>(facts.applications[rank]);
  }
  head.magic = magic;
  struct stat status{};
  if (::fstat(view_.file, &status) != 0)
    fail("cannot look at the memory made for the ranks", errno);
  variable_ = fmt::format("{}={}:{}:{}:{}:{}", variable_name, view_.file, ::getpid(), status.st_dev,
                          status.st_ino, facts.job);
}

start_state start_host::state_of(int rank) const {
  const slot& of = view_.at(rank);
  // acquire: pairs with the release in abort, which writes code and text first
  const std::uint32_t state = of.state.load(std::memory_order_acquire);
  start_state told{(state & slot::connected) != 0,
                   (state & slot::finalized) != 0,
                   (state & slot::aborted) != 0,
                   0,
                   {}};
  if (told.aborted) {
    told.abort_code = of.abort_code;
    told.abort_text =
        view_.read(of.abort_text.offset, std::min<std::uint64_t>(of.abort_text.bytes, 1 << 16));
  }
  return told;
}

void start_host::tell_of_death(const rank_failure& of) noexcept {
  header& head = view_.head();
  slot& gone = view_.at(of.rank);
  gone.death = {of.why, of.silent, of.code};
  gone.state.fetch_or(slot::dead, std::memory_order_relaxed);
  // release: pairs with the acquires in look and fence; who sees the count sees the mark
  head.deaths.fetch_add(1, std::memory_order_release);
  head.changes.fetch_add(1, std::memory_order_release);
  futex_wake(head.completed);  // fences look again who has come
  for (std::uint32_t each = 0; each < head.ranks; ++each) {
    slot& other = view_.at(static_cast<int>(each));
    other.news.fetch_add(1, std::memory_order_release);  // pairs with the acquire in await_news
    futex_wake(other.news);
  }
}

void start_host::await_call(std::uint32_t& seen) const noexcept {
  const auto& calls = view_.head().calls;
  // acquire: pairs with the release in abort
  const std::uint32_t before = seen;
  while ((seen = calls.load(std::memory_order_acquire)) == before)
    futex_wait(calls, before, nullptr);
}

}  // namespace peal
