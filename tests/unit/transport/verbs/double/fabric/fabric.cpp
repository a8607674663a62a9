#include "unit/transport/verbs/double/fabric/fabric.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "unit/transport/verbs/double/card.hpp"

namespace peal::verbs_double {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument{"VERBS_DOUBLE_FABRIC: " + why};
}

using words = std::vector<std::string_view>;

words with_those_of_ports(words more) {
  for (const char* const each : {"network", "host", "infiniband", "gigabits", "mtu", "keys", "lmc",
                                 "grh", "down", "switch_takes"})
    more.push_back(each);
  return more;
}

void check_words(const json& of, const words& known) {
  if (!of.is_object()) refuse("no object: " + of.dump());
  for (const auto& [word, value] : of.items())
    if (std::ranges::find(known, word) == known.end()) refuse("unknown word: " + word);
}

ibv_mtu mtu_named(unsigned bytes) {
  for (const ibv_mtu each : {IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096})
    if (128u << each == bytes) return each;
  refuse("no MTU: " + std::to_string(bytes));
}

port_plan port_of(const json& from, unsigned node) {
  port_plan made;
  made.network = from.value("network", 1u);
  made.host = from.value("host", node + 1);
  made.infiniband = from.value("infiniband", false);
  made.gigabits = from.value("gigabits", 100u);
  made.mtu = mtu_named(from.value("mtu", 4096u));
  made.lmc = static_cast<std::uint8_t>(from.value("lmc", 0u));
  made.grh_required = from.value("grh", false);
  made.down = from.value("down", false);
  made.switch_takes = from.value("switch_takes", made.switch_takes);
  if (from.contains("keys")) made.keys.clear();
  for (const json& each : from.value("keys", json::array()))
    made.keys.push_back(
        static_cast<std::uint16_t>(std::stoul(each.get<std::string>(), nullptr, 0)));
  return made;
}

void limit(card& which, const json& to) {
  check_words(to, {"pairs", "reliable", "regions", "locked", "entries", "receives", "handles",
                   "reads", "inline"});
  ibv_device_attr& own = which.limits;
  own.max_qp = to.value("pairs", own.max_qp);
  own.max_mr = to.value("regions", own.max_mr);
  own.max_cqe = to.value("entries", own.max_cqe);
  own.max_srq_wr = to.value("receives", own.max_srq_wr);
  own.max_ah = to.value("handles", own.max_ah);
  own.max_qp_rd_atom = own.max_qp_init_rd_atom = to.value("reads", own.max_qp_rd_atom);
  which.most_reliable = to.value("reliable", which.most_reliable);
  which.most_locked = to.value("locked", which.most_locked);
  which.most_inline = to.value("inline", which.most_inline);
}

void add_card(const json& from, unsigned node, unsigned place, bool elsewhere) {
  check_words(from, with_those_of_ports({"name", "ports", "limits", "resizes"}));
  std::vector<port_plan> ports;
  if (!from.contains("ports")) ports.push_back(port_of(from, node));
  for (const json& each : from.value("ports", json::array())) {
    check_words(each, with_those_of_ports({}));
    ports.push_back(port_of(each, node));
  }
  card& made = verbs_double::add_card(ports);
  made.node = node;
  made.place = place;
  made.elsewhere = elsewhere;
  made.resizes = from.value("resizes", true);
  limit(made, from.value("limits", json::object()));
  const std::string name = from.value("name", "double" + std::to_string(place));
  if (name.size() >= sizeof made.device.name) refuse("too long: " + name);
  std::memcpy(made.device.name, name.c_str(), name.size() + 1);
}

unsigned number(const char* name, unsigned otherwise) {
  const char* const found = std::getenv(name);
  return found ? static_cast<unsigned>(std::strtoul(found, nullptr, 10)) : otherwise;
}

}  // namespace

void make_fabric(const std::string& text, unsigned self) {
  try {
    const json all = json::parse(text);
    check_words(all, {"nodes", "cards", "of", "routers"});
    const unsigned nodes = std::max(all.value("nodes", 1u), 1u);
    const json apart = all.value("of", json::object());
    for (const auto& [node, cards] : apart.items())
      if (std::stoul(node) >= nodes) refuse("no such node: " + node);
    for (unsigned node = 0; node < nodes; ++node) {
      const json cards = apart.value(std::to_string(node), all.value("cards", json::array()));
      for (unsigned place = 0; place < cards.size(); ++place)
        add_card(cards[place], node, place, node != self % nodes);
    }
    route_between_networks(all.value("routers", false));
  } catch (const json::exception& problem) {
    refuse(problem.what());
  }
}

void make_fabric() {
  const unsigned self = number("VERBS_DOUBLE_NODE", number("PMIX_RANK", 0));
  if (const char* const text = std::getenv("VERBS_DOUBLE_FABRIC")) return make_fabric(text, self);
  json all{{"nodes", number("VERBS_DOUBLE_NODES", 1)}, {"cards", json::array()}};
  for (unsigned rail = 0; rail < number("VERBS_DOUBLE_CARDS", 1); ++rail)
    all["cards"].push_back(
        {{"network", rail + 1}, {"infiniband", std::getenv("VERBS_DOUBLE_INFINIBAND") != nullptr}});
  make_fabric(all.dump(), self);
}

}  // namespace peal::verbs_double
