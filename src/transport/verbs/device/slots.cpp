#include "transport/verbs/device/slots.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "transport/verbs/device/device.hpp"

namespace peal::verbs {

namespace {

std::string locked_memory_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited"
                                         : fmt::format("{} KiB", limit.rlim_cur / 1024);
}

}  // namespace

slot_pool::~slot_pool() {
  for (const slab& each : slabs_) free(each);
}

void slot_pool::free(const slab& gone) noexcept {
  for (ibv_mr* each : gone.regions)
    if (each) ibv_dereg_mr(each);
  munmap(gone.memory, slab_bytes);
}

bool slot_pool::enroll(slab& which, std::size_t rail) noexcept {
  which.regions[rail] =
      ibv_reg_mr(domains_[rail], which.memory, slab_bytes, IBV_ACCESS_LOCAL_WRITE | in_any_order);
  if (!which.regions[rail]) return refused_ = errno, false;
  which.keys[rail] = which.regions[rail]->lkey;
  return true;
}

bool slot_pool::add_rail(std::size_t rail, ibv_pd* domain) noexcept {
  domains_[rail] = domain;
  for (slab& each : slabs_) {
    if (each.regions[rail] || enroll(each, rail)) continue;
    domains_[rail] = nullptr;  // what is registered serves the next try
    return false;
  }
  return true;
}

bool slot_pool::grow(std::size_t slots) noexcept {
  wanted_slabs_ = slabs_.size() + (slots + per_slab - 1) / per_slab;
  for (std::size_t made = 0; made < slots; made += per_slab)
    if (!add_slab()) return false;
  return true;
}

std::string slot_pool::refusal() const {
  return fmt::format(
      "{} KiB for messages are needed, and {} KiB of them could be registered: {}; the limit of "
      "locked memory is {}: raise it (ulimit -l unlimited; in batch jobs that of the batch "
      "system's daemon)",
      slab_bytes * wanted_slabs_ / 1024, slabs_.size() * slab_bytes / 1024, std::strerror(refused_),
      locked_memory_limit());
}

bool slot_pool::add_slab() noexcept {
  // MAP_POPULATE: registering touches the pages anyway, one by one.
  void* const memory = mmap(nullptr, slab_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return refused_ = errno, false;
  slab made{static_cast<std::byte*>(memory), {}, {}};
  for (std::size_t rail = 0; rail < most_rails; ++rail)
    if (domains_[rail] && !enroll(made, rail)) return free(made), false;
  const auto first = static_cast<slot_id>(size());
  slabs_.push_back(made);
  for (std::uint32_t each = per_slab; each-- > 0;) free_.push_back(first + each);
  return true;
}

}  // namespace peal::verbs
