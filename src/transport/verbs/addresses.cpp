#include "transport/verbs/addresses.hpp"

#include <algorithm>
#include <random>

namespace peal::verbs {

std::uint64_t random_word() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

addresses::addresses(peer_id self, const std::vector<device>& rails) : self_{self} {
  own_.rail_count = static_cast<std::uint8_t>(rails.size());
  for (std::size_t each = 0; each < rails.size(); ++each) own_.rails[each] = rails[each].address();
  own_.incarnation = random_word();
  own_.job = {random_word(), random_word()};
}

void addresses::meet(std::vector<std::optional<address>> everyone) {
  everyone_ = std::move(everyone);
  const auto first = std::ranges::find_if(
      everyone_, [](const std::optional<address>& each) { return each.has_value(); });
  job_ = first == everyone_.end() ? own_.job : (*first)->job;
}

}  // namespace peal::verbs
