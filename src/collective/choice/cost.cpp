// The price of a call: an algorithm's own, of a vector or of its segments one after another.
#include "collective/choice/cost.hpp"

#include <algorithm>

#include "collective/choice/cost_sum.hpp"

namespace peal {

std::optional<double> price(const algorithm& how, const problem& p, segmentation cut,
                            const spread& where, const cost_parameters& costs) noexcept {
  if (how.price == nullptr) return std::nullopt;
  if (p.size < 2) return 0.0;
  const double bytes = static_cast<double>(how.kind == detail::collective::barrier ? 0 : p.bytes);
  const double segment = static_cast<double>(cut.bytes);
  const bool cuts = how.segmentable && cut.bytes != 0 && p.bytes > cut.bytes;
  const std::size_t whole_segments = cuts ? p.bytes / cut.bytes : 0;
  const double whole = static_cast<double>(whole_segments);
  const double rest = cuts ? static_cast<double>(p.bytes % cut.bytes) : bytes;
  const auto part = [&](double length, double segments) {
    cost_sum sum{p.size, where, costs};
    const int shares = p.nodes ? p.nodes->fewest() : sum.per_node();
    how.price(pricing{p.size, std::max(p.radix, 2), length, shares, segments,
                      std::min(segments, static_cast<double>(cut.streams)), sum});
    return sum.total();
  };
  if (how.priced_whole) return cuts ? part(segment, whole + (rest > 0 ? 1 : 0)) : part(bytes, 1);
  return whole * (cuts ? part(segment, 1) : 0) + (cuts && rest == 0 ? 0 : part(rest, 1));
}

}  // namespace peal
