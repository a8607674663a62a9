#include "mpi/datatypes/packing/piece_list.hpp"

#include <cstring>

#include "base/copy.hpp"
#include "base/processor_features.hpp"
#include "mpi/datatypes/packing/copy_pieces.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace peal::mpi {

namespace {

/// Calls copy_one(place in the program's memory, place in the stream, length) for each piece.
template <class CopyOne>
[[gnu::always_inline]] inline void for_each_piece(const piece_list_copy& all,
                                                  const CopyOne& copy_one) noexcept {
  const plan_piece* const end = all.pieces + all.count;
  const std::uint32_t length = end->before - all.pieces->before;
  std::uintptr_t base = all.base;
  std::byte* stream = all.stream - all.pieces->before;
  for (std::int64_t copy = 0; copy != all.copies; ++copy) {
    for (const plan_piece* each = all.pieces; each != end; ++each)
      copy_one(place_at(base + static_cast<std::uintptr_t>(std::intptr_t{each->offset})),
               stream + each->before, each[1].before - each->before);
    base += static_cast<std::uintptr_t>(all.stride);
    stream += length;
  }
}

[[gnu::always_inline]] inline void copy_one(void* to, const void* from,
                                            std::uint32_t bytes) noexcept {
  if (bytes > short_copy) std::memcpy(to, from, bytes);
  else copy_short(to, from, bytes);
}
void pack_portable(const piece_list_copy& all) noexcept {
  for_each_piece(all, [](const std::byte* place, std::byte* stream, std::uint32_t bytes)
                          __attribute__((always_inline)) { copy_one(stream, place, bytes); });
}
void unpack_portable(const piece_list_copy& all) noexcept {
  for_each_piece(all, [](std::byte* place, const std::byte* stream, std::uint32_t bytes)
                          __attribute__((always_inline)) { copy_one(place, stream, bytes); });
}

#ifdef __x86_64__
// A macro, since a function with a target is inlined into others with the same one only, and a
// lambda has none.
#define PEAL_WIDE [[gnu::target("avx512f,avx512bw,avx512vl,bmi2")]]

PEAL_WIDE void copy_wide(const piece_list_copy& all, bool packs) noexcept {
  const plan_piece* const end = all.pieces + all.count;
  const std::uint32_t length = end->before - all.pieces->before;
  std::uintptr_t base = all.base;
  std::byte* stream = all.stream - all.pieces->before;
  for (std::int64_t copy = 0; copy != all.copies; ++copy) {
    for (const plan_piece* each = all.pieces; each != end; ++each) {
      std::byte* const place =
          place_at(base + static_cast<std::uintptr_t>(std::intptr_t{each->offset}));
      std::byte* const packed = stream + each->before;
      const std::byte* const from = packs ? place : packed;
      std::byte* const to = packs ? packed : place;
      const std::uint64_t mask = _bzhi_u64(~0ULL, each[1].before - each->before);
      if (all.longest <= 32) {
        const auto half = static_cast<__mmask32>(mask);
        _mm256_mask_storeu_epi8(to, half, _mm256_maskz_loadu_epi8(half, from));
      } else {
        _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
      }
    }
    base += static_cast<std::uintptr_t>(all.stride);
    stream += length;
  }
}
PEAL_WIDE void pack_wide(const piece_list_copy& all) noexcept { copy_wide(all, true); }
PEAL_WIDE void unpack_wide(const piece_list_copy& all) noexcept { copy_wide(all, false); }
#undef PEAL_WIDE
#endif

}  // namespace

const piece_list_kernel& portable_piece_lists() noexcept {
  static constexpr piece_list_kernel kernel{pack_portable, unpack_portable};
  return kernel;
}

const piece_list_kernel* wide_piece_lists() noexcept {
#ifdef __x86_64__
  static constexpr piece_list_kernel kernel{pack_wide, unpack_wide};
  static const bool can = has_avx512f() && has_avx512bw() && has_avx512vl() && has_bmi2();
  return can ? &kernel : nullptr;
#else
  return nullptr;
#endif
}

const piece_list_kernel& piece_lists() noexcept {
#ifdef __SANITIZE_ADDRESS__
  return portable_piece_lists();
#else
  static const piece_list_kernel& best =
      wide_piece_lists() == nullptr ? portable_piece_lists() : *wide_piece_lists();
  return best;
#endif
}

}  // namespace peal::mpi
