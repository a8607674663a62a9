#include "p2p/unexpected.hpp"

#include <algorithm>
#include <new>

#include "base/page.hpp"

namespace peal {

using detail::matched_message;

namespace {
// What operator new gives: enough for a matched_message, which holds words and pointers only.
static_assert(alignof(matched_message) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}  // namespace

message_pool::~message_pool() {
  for (std::size_t each = of_slabs; each < sizes.size(); ++each)
    while (list_node* const block = free_[each]) {
      free_[each] = block->after;
      ::operator delete(block);
    }
}

matched_message& message_pool::take(std::size_t payload) noexcept {
  const std::size_t needed = sizeof(matched_message) + payload;
  const auto at = std::ranges::lower_bound(sizes, needed);
  if (at == sizes.end()) {
    auto& whole = *new (::operator new(needed)) matched_message;
    whole.block = static_cast<std::uint32_t>(needed);
    return whole;
  }
  const auto size_class = static_cast<std::size_t>(at - sizes.begin());
  if (!free_[size_class]) grow(size_class);
  list_node* block = free_[size_class];
  free_[size_class] = block->after;
  if (size_class >= of_slabs) kept_ -= *at;
  auto& taken = *new (block) matched_message;
  taken.block = *at;
  return taken;
}

void message_pool::give_back(matched_message& over) noexcept {
  const auto at = std::ranges::lower_bound(sizes, over.block);
  if (at == sizes.end()) {
    ::operator delete(&over);
    return;
  }
  const auto size_class = static_cast<std::size_t>(at - sizes.begin());
  if (size_class >= of_slabs) {
    if (kept_ + *at > most_kept) return ::operator delete(&over);
    kept_ += *at;
  }
  auto* block = new (&over) list_node;
  block->after = free_[size_class];
  free_[size_class] = block;
}

// By about a page, so that memory which is never needed is not touched: with many ranks that is
// most of it.
void message_pool::grow(std::size_t size_class) noexcept {
  const std::size_t size = sizes[size_class];
  if (size_class >= of_slabs) {
    auto* block = new (::operator new(size)) list_node;
    block->after = free_[size_class];
    free_[size_class] = block;
    kept_ += size;
    return;
  }
  unused_part& left = unused_[size_class];
  if (left.bytes < size)
    left = {slabs_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(slab_bytes)).get(),
            slab_bytes / size * size};
  const std::size_t bytes = std::min(left.bytes, std::max<std::size_t>(page / size, 1) * size);
  for (std::size_t at = bytes; at > 0; at -= size) {
    auto* block = new (left.begin + at - size) list_node;
    block->after = free_[size_class];
    free_[size_class] = block;
  }
  left.begin += bytes;
  left.bytes -= bytes;
}

}  // namespace peal
