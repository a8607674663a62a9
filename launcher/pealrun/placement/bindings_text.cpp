#include "placement/bindings_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "request/placement_request.hpp"

namespace peal::launcher {

namespace {

// With more cores the picture makes lines wider than a terminal.
constexpr std::size_t most_in_picture = 64;

// A column has a title, and a text for each rank.
struct column {
  std::string title;
  std::vector<std::string> texts;
};

std::string numbers_of(const node_cores& node, const place& of, int node_core::* which) {
  std::set<int> met;
  for (const int each : of.cores) met.insert(node.cores[static_cast<std::size_t>(each)].*which);
  return list_text({met.begin(), met.end()});
}

// "[##../....|..../....]": a bracket a socket, | between NUMA nodes, / between caches.
std::string picture_of(const node_cores& node, const place& of) {
  std::string made = "[";
  for (std::size_t at = 0; at < node.cores.size(); ++at) {
    const node_core& core = node.cores[at];
    if (at > 0) {
      const node_core& before = node.cores[at - 1];
      made += core.socket != before.socket ? "]["
              : core.numa != before.numa   ? "|"
              : core.l3 != before.l3       ? "/"
                                           : "";
    }
    const bool mine = std::binary_search(of.cores.begin(), of.cores.end(), core.number);
    made += core.threads.empty() ? '-' : mine ? '#' : '.';
  }
  return made + "]";
}

std::string head_of(const node_cores& node, const std::string& host) {
  return fmt::format("Bindings on {} ({})", host, node.text());
}

std::string unbound_text(const std::vector<place>& places, const std::string& why) {
  std::string made = places.size() == 1
                         ? std::string{"rank 0 is not bound"}
                         : fmt::format("ranks 0-{} are not bound", places.size() - 1);
  if (!why.empty()) made += fmt::format(" ({})", why);
  if (!places.empty() && !places.front().threads.empty())
    made +=
        fmt::format("; hardware threads {} are allowed", list_text(places.front().all_threads()));
  return made;
}

}  // namespace

std::string bindings_text(const node_cores& node, const std::vector<place>& places,
                          const std::string& unbound, const std::string& host) {
  if (!unbound.empty() || places.empty())
    return fmt::format("{}: {}\n", head_of(node, host), unbound_text(places, unbound));
  std::vector<column> columns{{"rank", {}}};
  const auto add = [&](const char* title, auto text_of) {
    column made{title, {}};
    for (const place& each : places) made.texts.push_back(text_of(each));
    columns.push_back(std::move(made));
  };
  const auto numbers = [&](int node_core::* which) {
    return [&node, which](const place& each) { return numbers_of(node, each, which); };
  };
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    columns[0].texts.push_back(fmt::format("{}", rank));
  if (node.sockets > 1) add("socket", numbers(&node_core::socket));
  if (node.numas > 1) add("NUMA", numbers(&node_core::numa));
  if (node.l3s > 1) add("L3", numbers(&node_core::l3));
  add("cores", numbers(&node_core::number));
  const bool same = std::all_of(places.begin(), places.end(),
                                [](const place& each) { return each.all_threads() == each.cores; });
  if (!same)
    add("hardware threads", [](const place& each) { return list_text(each.all_threads()); });
  if (node.cores.size() > 1 && node.cores.size() <= most_in_picture)
    add("", [&](const place& each) { return picture_of(node, each); });

  const auto width_of = [](const column& of) {
    std::size_t width = of.title.size();
    for (const std::string& each : of.texts) width = std::max(width, each.size());
    return width;
  };
  std::string made = head_of(node, host) + ":\n";
  const auto add_line = [&](auto text_of) {
    std::string line;
    for (const column& each : columns) {
      // Numbers of ranks stand below each other by their last digit.
      const bool right = &each == &columns.front();
      line +=
          fmt::format(fmt::runtime(right ? "{:>{}}  " : "{:<{}}  "), text_of(each), width_of(each));
    }
    made += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line([](const column& of) { return of.title; });
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    add_line([rank](const column& of) { return of.texts[rank]; });
  return made;
}

}  // namespace peal::launcher
