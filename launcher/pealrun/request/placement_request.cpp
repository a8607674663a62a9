#include "request/placement_request.hpp"

#include <fmt/format.h>

namespace peal::launcher {

const char* name_of(locality of) noexcept {
  switch (of) {
    case locality::slot: return "slot";
    case locality::core: return "core";
    case locality::l3: return "l3";
    case locality::numa: return "numa";
    case locality::socket: return "socket";
    case locality::node: break;
  }
  return "node";
}

const char* name_of(binding of) noexcept {
  switch (of) {
    case binding::automatic: return "auto";
    case binding::none: return "none";
    case binding::core: return "core";
    case binding::l3: return "l3";
    case binding::numa: return "numa";
    case binding::socket: break;
  }
  return "socket";
}

std::string list_text(const std::vector<int>& list) {
  std::string text;
  for (std::size_t from = 0; from < list.size();) {
    std::size_t to = from;
    while (to + 1 < list.size() && list[to + 1] == list[to] + 1) ++to;
    if (from > 0) text += ',';
    text += to == from ? fmt::format("{}", list[from]) : fmt::format("{}-{}", list[from], list[to]);
    from = to + 1;
  }
  return text;
}

}  // namespace peal::launcher
