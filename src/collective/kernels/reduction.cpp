// Which kernel a call gets, and the calls of users' functions.
#include "collective/kernels/reduction.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/copy.hpp"
#include "base/processor_features.hpp"

namespace peal {

const kernels::table& kernels::choose() noexcept {
#if defined(__x86_64__)
  if (has_avx512f() && has_avx512bw() && has_avx512dq() && has_avx512vl()) return avx512();
  if (has_avx2()) return avx2();
#endif
  return baseline();
}

void reduction::set(const detail::collective_call& call) noexcept {
  element_ = call.element_size;
  // Not std::has_single_bit, which calls a function that counts all bits.
  const bool is_power = (call.element_size & (call.element_size - 1)) == 0;
  element_shift_ = is_power ? std::countr_zero(call.element_size) : -1;
  kernel_ = call.op.kind != detail::builtin::none ? find_kernel(call.type, call.op.kind) : nullptr;
  user_.combine = call.op.kind == detail::builtin::none ? call.op.combine : nullptr;
  user_.context = call.op.context;
}

void reduction::apply_past_caches(const std::byte* lower, const std::byte* higher, std::byte* into,
                                  std::size_t bytes) const noexcept {
  // Stays in the first-level cache between the kernel and the copy.
  constexpr std::size_t block = 4096;
  if (!can_copy_past_caches() || reinterpret_cast<std::uintptr_t>(into) % 32 != 0)
    return apply_piece(lower, higher, into, bytes);
  alignas(64) std::byte results[block];
  for (std::size_t at = 0; at < bytes; at += block) {
    const std::size_t length = std::min(block, bytes - at);
    kernel_(lower + at, higher + at, results, length >> element_shift_);
    copy_past_caches(into + at, results, length);
  }
}

// A user's function leaves its result in the higher operand.
void reduction::call_user(std::byte* lower, std::byte* higher, std::byte* into, std::size_t bytes,
                          std::size_t count) const {
  if (into == lower || into == higher) {
    user_.combine(user_.context, lower, higher, count);
    if (into == lower) std::memcpy(lower, higher, bytes);
  } else {
    std::memcpy(into, higher, bytes);
    user_.combine(user_.context, lower, into, count);
  }
}

}  // namespace peal
