// tests/unit/launcher/engine/request_maker.hpp
// Requests as the command line would make them, and what a refusal says.
//
// Layer    tests.
// Errors   none.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "request/request.hpp"

namespace peal::launcher {

using words = std::vector<std::string>;

inline application program(int ranks, const std::string& name, words arguments = {}) {
  application made;
  made.ranks = ranks;
  made.program = "/bin/" + name;
  made.arguments = {name};
  made.arguments.insert(made.arguments.end(), arguments.begin(), arguments.end());
  return made;
}

inline job_request request_with(std::vector<given_option> given, int ranks = 4) {
  job_request made;
  made.applications = {program(ranks, "solver", {"input"})};
  given.insert(given.begin(), {"--np", {std::to_string(ranks)}});
  made.given = std::move(given);
  return made;
}

inline bool has(const words& all, const std::string& word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

/// One after the other, somewhere.
inline bool has_in_a_row(const words& all, const words& some) {
  return std::search(all.begin(), all.end(), some.begin(), some.end()) != all.end();
}

/// What `call` throws as the reason to stop; empty when it does not.
template <class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const stop& why) {
    return why.text;
  }
  return {};
}

}  // namespace peal::launcher
