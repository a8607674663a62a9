#include "engine/counterparts.hpp"

#include <fmt/format.h>

#include "request/request.hpp"

namespace peal::launcher {

void refuse_option(std::string_view launcher, const std::string& option, const std::string& value,
                   std::string_view why) {
  const bool flag = value.empty() || value == "true";
  throw stop{2, fmt::format("pealrun: {}{}{} cannot be translated to {}'s options{}{}: leave it "
                            "out, or give --engine local for one node\n",
                            option, flag ? "" : " ", flag ? "" : value, launcher,
                            why.empty() ? "" : ", ", why)};
}

std::string counterpart_of(std::string_view launcher, const std::string& option,
                           const std::string& value, std::initializer_list<counterpart> table) {
  for (const counterpart& each : table)
    if (each.value == value) return std::string{each.word};
  refuse_option(launcher, option, value);
}

}  // namespace peal::launcher
