#include "transport/verbs/device/registration_cache.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "transport/verbs/device/device.hpp"

namespace peal::verbs {

namespace {

std::uintptr_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::pair<std::uintptr_t, std::uintptr_t> pages_of(std::uintptr_t first,
                                                   std::size_t length) noexcept {
  const std::uintptr_t page = page_bytes();
  return {first & ~(page - 1), (first + length + page - 1) & ~(page - 1)};
}

int access_of(range_use use) noexcept {
  switch (use) {
    // Without a local write the kernel does not ask for writable pages, so a constant can be sent.
    case range_use::source: return IBV_ACCESS_REMOTE_READ;
    case range_use::target: return IBV_ACCESS_REMOTE_READ | IBV_ACCESS_LOCAL_WRITE;
    case range_use::written: break;
  }
  return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
}

}  // namespace

bool domain_registrar::make(void* begin, std::size_t bytes, int access, regions& into) noexcept {
  for (std::size_t each = 0; each < domains_.size(); ++each) {
    into[each] = ibv_reg_mr(domains_[each], begin, bytes, access | in_any_order);
    if (into[each]) continue;
    const int why = errno;
    end(std::exchange(into, {}));
    errno = why;
    return false;
  }
  return true;
}

void domain_registrar::end(const regions& gone) noexcept {
  for (ibv_mr* each : gone)
    if (each) ibv_dereg_mr(each);
}

idle_limits idle_limits::sensible(int most_regions, std::size_t devices) noexcept {
  // A quarter of the memory, which other ranks share: there may be one on each core.
  const auto memory =
      static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L)) * page_bytes();
  idle_limits made{
      memory / 4 / static_cast<std::size_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L)), 0};
  // Half of what may be locked is left to what is in use. Root is not held to it, as a rule;
  // otherwise the kernel's refusal makes room.
  rlimit locked{};
  if (geteuid() != 0 && getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY)
    // Each device's count.
    made.bytes = std::min<std::size_t>(made.bytes, locked.rlim_cur / 2 / devices);
  // All processes share the device's table.
  made.count =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(most_regions, 0)) / 64, 16, 4096);
  return made;
}

registration_cache::registration_cache(registrar& by, idle_limits limits, const unmap_log* log)
    : registrar_{by}, limits_{log ? limits : idle_limits{}} {
  if (log) log_.emplace(*log);
}

registration_cache::~registration_cache() {
  trim({});
  for (registration* each : used_) {
    registrar_.end(each->on);
    delete each;
  }
}

registration* registration_cache::acquire(const void* address, std::size_t length,
                                          range_use wanted) noexcept {
  read_log();
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(address);
  if (wanted == range_use::written) return make(first, first + length, wanted);
  const auto [begin, end] = pages_of(first, length);
  registration* const found = find(begin, end, wanted);
  return found ? found : make(begin, end, wanted);
}

registration* registration_cache::find(const void* address, std::size_t length,
                                       range_use wanted) noexcept {
  read_log();
  const auto [begin, end] = pages_of(reinterpret_cast<std::uintptr_t>(address), length);
  return find(begin, end, wanted);
}

registration* registration_cache::find(std::uintptr_t begin, std::uintptr_t end,
                                       range_use wanted) noexcept {
  registration* found = find(targets_, begin, end);
  if (!found && wanted == range_use::source) found = find(sources_, begin, end);
  if (!found) return nullptr;
  ++counters_.hits;
  return use(*found);
}

registration* registration_cache::find(const index& in, std::uintptr_t begin,
                                       std::uintptr_t end) const noexcept {
  auto after = in.upper_bound(begin);
  if (after == in.begin()) return nullptr;
  registration* candidate = std::prev(after)->second;
  return candidate->end >= end ? candidate : nullptr;
}

registration* registration_cache::use(registration& found) noexcept {
  if (found.users++ == 0) {
    used_.splice(used_.end(), idle_, found.place);
    idle_bytes_ -= found.end - found.begin;
  }
  return &found;
}

registration* registration_cache::make(std::uintptr_t begin, std::uintptr_t end,
                                       range_use wanted) noexcept {
  regions on{};
  const auto attempt = [&] {
    return registrar_.make(reinterpret_cast<void*>(begin), end - begin, access_of(wanted), on);
  };
  bool done = attempt();
  // Refused for want of room, and not for the memory's own sake: as much room is made as it needs,
  // but at least half.
  while (!done && errno != EFAULT && !idle_.empty()) {
    trim({idle_bytes_ - std::clamp(end - begin, idle_bytes_ / 2, idle_bytes_), idle_.size() / 2});
    done = attempt();
  }
  if (!done) return nullptr;
  ++counters_.registered;
  auto* made = new registration;
  made->on = on;
  made->begin = begin;
  made->end = end;
  made->users = 1;
  made->use = wanted;
  made->place = used_.insert(used_.end(), made);
  if (log_ && wanted != range_use::written) enter(*made);
  return made;
}

void registration_cache::enter(registration& made) noexcept {
  index& in = index_of(made.use);
  for (auto each = in.lower_bound(made.begin); each != in.end() && each->second->end <= made.end;) {
    registration& within = *each->second;
    each = in.erase(each);
    within.indexed = false;
    if (within.users == 0) retire(within);
  }
  in.emplace(made.begin, &made);
  made.indexed = true;
}

void registration_cache::release(registration& over) noexcept {
  if (--over.users > 0) return;
  idle_.splice(idle_.end(), used_, over.place);
  idle_bytes_ += over.end - over.begin;
  if (!over.indexed) retire(over);
  read_log();
  trim(limits_);
}

/// Ends an idle one that is not indexed any more.
void registration_cache::retire(registration& idle) noexcept {
  idle_.erase(idle.place);
  idle_bytes_ -= idle.end - idle.begin;
  registrar_.end(idle.on);
  delete &idle;
}

void registration_cache::evict(registration& idle) noexcept {
  index_of(idle.use).erase(idle.begin);
  ++counters_.evicted;
  retire(idle);
}

void registration_cache::trim(idle_limits limit) noexcept {
  while (!idle_.empty() && (idle_bytes_ > limit.bytes || idle_.size() > limit.count))
    evict(*idle_.front());
}

void registration_cache::read_log() noexcept {
  if (!log_) return;
  log_->take([this](std::uintptr_t begin, std::uintptr_t end) { drop(begin, end); });
  if (log_->complete()) [[likely]]
    return;
  drop(0, unmap_log::end_of_memory);
  log_.reset();
  limits_ = {};
}

void registration_cache::drop(std::uintptr_t begin, std::uintptr_t end) noexcept {
  for (index* in : {&sources_, &targets_}) {
    auto each = in->lower_bound(begin);
    // Ends ascend like beginnings, so the ranges that reach into this one from before stand right
    // before it.
    while (each != in->begin() && std::prev(each)->second->end > begin) --each;
    while (each != in->end() && each->first < end) {
      registration& gone = *each->second;
      each = in->erase(each);
      gone.indexed = false;
      ++counters_.forgotten;
      if (gone.users == 0) retire(gone);
    }
  }
}

}  // namespace peal::verbs
