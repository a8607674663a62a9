#include "p2p/operation_pool.hpp"

namespace peal {

void operation_pool::grow() noexcept {
  const auto first = static_cast<std::uint32_t>(slabs_.size()) * per_slab;
  detail::operation* slab =
      slabs_.emplace_back(std::make_unique<detail::operation[]>(per_slab)).get();
  for (std::uint32_t i = per_slab; i-- > 0;) {
    slab[i].index = first + i;
    slab[i].home = &owner_;
  }
  // None is free: what the array says up to now is over.
  free_.resize(1 + slabs_.size() * per_slab);
  last_ = free_.data();
  for (std::uint32_t i = per_slab; i-- > 0;) *++last_ = &slab[i];
}

}  // namespace peal
