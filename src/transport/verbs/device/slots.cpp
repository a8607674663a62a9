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
  for (const slab& each : slabs_) end(each);
  for (std::byte* each : reserves_) munmap(each, reserve_bytes);
}

void slot_pool::end(const slab& gone) noexcept {
  for (ibv_mr* each : gone.regions)
    if (each) ibv_dereg_mr(each);
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

/// Null: errno says why.
std::byte* slot_pool::reserve() noexcept {
  // What is not touched is no memory yet.
  void* const made = mmap(nullptr, reserve_bytes + huge_page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(made);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % huge_page;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + reserve_bytes, huge_page - before);
  // Refused where the kernel has none; then they are ordinary pages.
  (void)madvise(begin + before, reserve_bytes, MADV_HUGEPAGE);
  return begin + before;
}

bool slot_pool::add_slab() noexcept {
  const std::size_t place = slabs_.size() % per_reserve;
  if (place == 0 && reserves_.size() * per_reserve == slabs_.size()) {
    std::byte* const made = reserve();
    if (!made) return refused_ = errno, false;
    reserves_.push_back(made);
  }
  slab made{reserves_.back() + place * slab_bytes, {}, {}};
  for (std::size_t rail = 0; rail < most_rails; ++rail)
    if (domains_[rail] && !enroll(made, rail)) return end(made), false;
  const auto first = static_cast<slot_id>(size());
  slabs_.push_back(made);
  for (std::uint32_t each = per_slab; each-- > 0;) free_.push_back(first + each);
  return true;
}

}  // namespace peal::verbs
