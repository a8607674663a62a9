#include "collective/choice/tuned_algorithm.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <mutex>

namespace peal {

const tuned_algorithm& kept(const tuned_algorithm& of) {
  static std::mutex guards;
  static std::deque<tuned_algorithm> all;
  const std::lock_guard<std::mutex> guard{guards};
  const auto found = std::ranges::find(all, of);
  return found == all.end() ? all.emplace_back(of) : *found;
}

// Shorter pieces cost more for their messages than they gain, and many of them make schedules long.
static constexpr std::size_t least_piece = 16384, most_pieces = 128;

segmentation written_pieces(const algorithm& of, std::size_t bytes) {
  using enum detail::collective;
  constexpr std::size_t longest_written = 32768;
  const bool joins_one_way = of.kind == reduce || of.kind == scan || of.kind == exscan;
  const std::size_t whole = std::bit_ceil(bytes);
  return joins_one_way && of.segmentable && whole > 4 * longest_written &&
                 whole <= longest_written * most_pieces
             ? segmentation{longest_written, 4}
             : segmentation{};
}

std::vector<tuned_algorithm> neighbors_of(const tuned_algorithm& of, int ranks, std::size_t bytes,
                                          bool same_bits) {
  // A rank hands so many messages on, one after the other.
  constexpr int most_radix = 32;
  std::vector<tuned_algorithm> found;
  const auto add = [&](int radix, segmentation cut) { found.push_back({of.how, radix, cut}); };
  if (of.how->by_radix && !same_bits) {
    if (of.radix >= 4) add(of.radix / 2, of.cut);
    if (2 * of.radix <= std::min(ranks, most_radix)) add(2 * of.radix, of.cut);
  }
  if (!of.how->segmentable) return found;
  const bool is_cut = of.cut.bytes != 0 && of.cut.bytes < bytes;
  const std::size_t whole = std::bit_ceil(bytes), piece = is_cut ? of.cut.bytes : whole;
  if (piece / 4 >= std::max(least_piece, whole / most_pieces))
    add(of.radix, {piece / 4, std::max(of.cut.streams, std::uint32_t{2})});
  if (const segmentation written = written_pieces(*of.how, bytes); !is_cut && written.bytes != 0)
    add(of.radix, written);
  if (is_cut)
    add(of.radix, 4 * piece < whole ? segmentation{4 * piece, of.cut.streams} : segmentation{});
  return found;
}

}  // namespace peal
