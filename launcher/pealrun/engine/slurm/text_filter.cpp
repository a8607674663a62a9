#include "engine/slurm/text_filter.hpp"

#include <utility>

namespace peal::launcher {

namespace {

constexpr std::string_view daemon = "slurmstepd";

// A daemon's line is shorter.
constexpr std::size_t longest = 512;

}  // namespace

bool text_filter::may_be_a_daemons() const {
  std::string_view text = held_;
  if (labelled_) {
    const std::size_t colon = text.find(':');
    const std::string_view number = text.substr(0, colon);
    if (number.find_first_not_of(" 0123456789") != std::string_view::npos) return false;
    if (colon == std::string_view::npos || colon + 1 == text.size()) return true;
    if (text[colon + 1] != ' ') return false;
    text.remove_prefix(colon + 2);
  }
  return text.size() < longest &&
         (text.size() < daemon.size() ? daemon.starts_with(text) : text.starts_with(daemon));
}

// That a step was cancelled follows from a failure, which is told of anyway, but not where it says
// why.
bool text_filter::is_unwanted() const {
  const std::string_view text = held_;
  return text.find(": error: *** STEP ") != std::string_view::npos &&
         text.find(" CANCELLED AT ") != std::string_view::npos &&
         text.find(" DUE TO ") == std::string_view::npos;
}

std::string text_filter::pass(std::string_view bytes) {
  std::string shown;
  for (const char each : bytes) {
    if (!holding_) {
      shown += each;
      holding_ = each == '\n';
      continue;
    }
    held_ += each;
    if (each != '\n' && may_be_a_daemons()) continue;
    if (each != '\n' || !may_be_a_daemons() || !is_unwanted()) shown += held_;
    held_.clear();
    holding_ = each == '\n';
  }
  return shown;
}

std::string text_filter::rest() { return std::exchange(held_, {}); }

}  // namespace peal::launcher
