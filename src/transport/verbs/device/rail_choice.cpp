#include "transport/verbs/device/rail_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

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

rails_result no_rails(std::string problem) { return {{}, {}, std::move(problem)}; }

/// Of the rate of the best port: what carries less than that of a large message may well be there
/// for storage or management, and its own traffic counts for more than the gain.
constexpr double least_rate_of_rails = 0.25;

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
    if (made.rails.size() > 1) made.rails.back().role = choice_role::parts;
  }
  return made;
}

/// Near ones go first, and of one network the ranks of the node begin with different ones.
rails_result choose_all(const std::vector<port_facts>& ports, const choice_wishes& wishes) {
  rails_result made;
  std::vector<std::size_t> able = usable_ports(ports, wishes, made.problem);
  if (able.empty()) return made;
  const auto rate = [&](std::size_t each) { return ports[each].gigabits; };
  const double best = rate(std::ranges::max(able, {}, rate));
  std::erase_if(able, [&](std::size_t each) {
    if (rate(each) >= best * least_rate_of_rails) return false;
    made.skipped.push_back({each, "its rate is less than a quarter of the best one's"});
    return true;
  });
  const auto gid_at = [&](std::size_t each) { return *gid_of(ports[each], wishes); };
  const auto kind_at = [&](std::size_t each) {
    return std::pair{ports[each].ethernet, class_of(gid_at(each))};
  };
  const auto worth = [&](std::size_t each) { return std::pair{!ports[each].near, -rate(each)}; };
  const std::size_t lead = std::ranges::min(
      able, {}, [&](std::size_t each) { return std::tuple{kind_at(each), -rate(each), each}; });
  std::erase_if(able, [&](std::size_t each) {
    if (kind_at(each) == kind_at(lead)) return false;
    made.skipped.push_back({each, ports[each].ethernet == ports[lead].ethernet
                                      ? "another port has a better GID"
                                      : "InfiniBand goes first"});
    return true;
  });
  std::vector<std::size_t> order = in_turn(ports, std::move(able));
  std::ranges::stable_sort(order, {}, worth);
  const auto network_at = [&](std::size_t each) {
    return network_of(address_of(ports[each], gid_at(each), wishes));
  };
  std::vector<std::size_t> firsts = order;
  std::erase_if(firsts, [&](std::size_t each) { return network_at(each) != network_at(lead); });
  const bool near = ports[firsts.front()].near;
  std::erase_if(firsts, [&](std::size_t each) { return ports[each].near != near; });
  std::ranges::rotate(order, std::ranges::find(order, firsts[wishes.local_index % firsts.size()]));
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](std::size_t a, std::size_t b) { return worth(a) < worth(b); });
  for (const std::size_t each : order) {
    if (made.rails.size() == most_rails) {
      made.skipped.push_back({each, fmt::format("a rank uses {} at most", most_rails)});
      continue;
    }
    made.rails.push_back({each, gid_at(each),
                          fmt::format("one of all, {}, {}", ports[each].near ? "near" : "far",
                                      to_text(class_of(gid_at(each)))),
                          made.rails.empty() ? choice_role::messages : choice_role::parts});
  }
  return made;
}

bool fit(const rail_address& one, const rail_address& other) noexcept {
  return reach_of(one, other) == reach::same_network;
}

}  // namespace

rails_result choose_rails(const std::vector<port_facts>& ports, const choice_wishes& wishes) {
  constexpr std::string_view all_but = "all,^";
  if (wishes.device == "all" || wishes.device.starts_with(all_but)) {
    choice_wishes rest = wishes;
    rest.device.erase(0, wishes.device == "all" ? std::string::npos : all_but.size() - 1);
    return choose_all(ports, rest);
  }
  if (!wishes.device.starts_with('^') && wishes.device.find(',') != std::string::npos)
    return choose_named(ports, wishes);
  ports_by_network found = choose_in_each_network(ports, wishes);
  return {std::move(found.chosen), std::move(found.skipped), std::move(found.problem)};
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
    if (!matched[each] && !taken[each] && reach_of(own[each], remote[each]) != reach::none)
      add(each, each);
  return made;
}

}  // namespace peal::verbs
