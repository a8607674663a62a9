#include "transport/verbs/device/rail_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace peal::verbs {

namespace {

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> found;
  for (;;) {
    const auto comma = list.find(',');
    found.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return found;
    list.remove_prefix(comma + 1);
  }
}

rails_result no_rails(std::string problem) { return {{}, std::move(problem)}; }

rails_result choose_named(const std::vector<port_facts>& ports, choice_wishes wishes) {
  const std::string list = wishes.device;
  const std::vector<std::string> names = names_in(list);
  if (names.size() > most_rails)
    return no_rails(
        fmt::format("PEAL_VERBS_DEVICE={}: these are {} devices, and a rank uses {} at most", list,
                    names.size(), most_rails));
  rails_result made;
  for (const std::string& each : names) {
    if (each.empty())
      return no_rails(
          fmt::format("PEAL_VERBS_DEVICE={}: a name is missing before or behind a comma", list));
    if (names.size() > 1 && each == "all")
      return no_rails(fmt::format("PEAL_VERBS_DEVICE={}: all stands alone", list));
    wishes.device = each;
    choice_result one = choose(ports, wishes);
    if (!one.chosen) return no_rails(std::move(one.problem));
    const auto taken = std::ranges::find(made.rails, one.chosen->port, &choice::port);
    if (taken != made.rails.end())
      return no_rails(fmt::format("PEAL_VERBS_DEVICE={}: {} is named twice", list,
                                  ports[one.chosen->port].name()));
    made.rails.push_back(std::move(*one.chosen));
  }
  return made;
}

/// The first rails of all processes are to be in the same network, so each is one of the network of
/// the first device; of those the nearest, dealt out.
rails_result choose_all(const std::vector<port_facts>& ports, choice_wishes wishes) {
  wishes.device.clear();
  std::vector<std::size_t> able;
  for (std::size_t each = 0; each < ports.size(); ++each)
    if (ports[each].active && gid_of(ports[each], wishes)) able.push_back(each);
  if (able.empty()) return no_rails(choose(ports, wishes).problem);
  const auto gid_at = [&](std::size_t each) { return *gid_of(ports[each], wishes); };
  const auto class_at = [&](std::size_t each) { return class_of(gid_at(each)); };
  const gid_class best = class_at(*std::ranges::min_element(able, {}, class_at));
  std::erase_if(able, [&](std::size_t each) { return class_at(each) != best; });
  std::vector<std::size_t> order = in_turn(ports, std::move(able));
  std::ranges::stable_partition(order, [&](std::size_t each) { return ports[each].near; });
  const gid_entry lead = gid_at(std::ranges::min(order));
  std::vector<std::size_t> firsts = order;
  std::erase_if(firsts, [&](std::size_t each) {
    return !same_network(gid_at(each).bytes, lead.bytes, lead.network_bits);
  });
  const bool near = ports[firsts.front()].near;
  std::erase_if(firsts, [&](std::size_t each) { return ports[each].near != near; });
  std::ranges::rotate(order, std::ranges::find(order, firsts[wishes.local_index % firsts.size()]));
  std::stable_partition(order.begin() + 1, order.end(),
                        [&](std::size_t each) { return ports[each].near; });
  rails_result made;
  for (const std::size_t each : order) {
    if (made.rails.size() == most_rails) break;
    made.rails.push_back(
        {each, gid_at(each),
         fmt::format("one of all, {}, {}", ports[each].near ? "near" : "far", to_text(best))});
  }
  return made;
}

bool fit(const rail_address& one, const rail_address& other) noexcept {
  return one.link_layer == other.link_layer && one.network_bits == other.network_bits &&
         same_network(one.gid, other.gid, one.network_bits);
}

}  // namespace

rails_result choose_rails(const std::vector<port_facts>& ports, const choice_wishes& wishes) {
  if (wishes.device == "all") return choose_all(ports, wishes);
  if (wishes.device.find(',') != std::string::npos) return choose_named(ports, wishes);
  choice_result one = choose(ports, wishes);
  if (!one.chosen) return no_rails(std::move(one.problem));
  return {{std::move(*one.chosen)}, {}};
}

std::vector<rail_pair> match_rails(std::span<const rail_address> own,
                                   std::span<const rail_address> remote, bool lower) {
  if (!lower) {
    std::vector<rail_pair> made = match_rails(remote, own, true);
    for (rail_pair& each : made) std::swap(each.own, each.remote);
    return made;
  }
  std::vector<rail_pair> made{{0, 0}};
  if (own.empty() || remote.empty()) return made;
  std::array<bool, most_rails> taken{true}, matched{true};
  const auto add = [&](std::size_t one, std::size_t other) {
    made.push_back({static_cast<std::uint8_t>(one), static_cast<std::uint8_t>(other)});
    matched[one] = taken[other] = true;
  };
  for (std::size_t one = 1; one < own.size(); ++one)
    for (std::size_t other = 1; other < remote.size() && !matched[one]; ++other)
      if (!taken[other] && fit(own[one], remote[other])) add(one, other);
  if (fit(own[0], remote[0])) return made;
  for (std::size_t each = 1; each < std::min(own.size(), remote.size()); ++each)
    if (!matched[each] && !taken[each] && own[each].link_layer == remote[each].link_layer)
      add(each, each);
  return made;
}

}  // namespace peal::verbs
