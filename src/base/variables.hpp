// base/variables.hpp
// Every PEAL_ variable in one table: its name, what it may be, what it is by default, which setting
// it fills, whether all ranks must have the same, what it means. What reads, refuses, lists or
// compares variables goes by the table.
//
// Layer    base.
// Threads  any, while no thread changes the environment.
// Errors   what is wrong is told as text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"

namespace peal {

struct variable {
  std::string_view name;
  // Choices separated by '|'; for numbers "least..most", or "auto|" and that; or words.
  std::string allowed;
  std::string form;      // the same as a refusal says it
  std::string fallback;  // the default, as one would write it
  std::string_view meaning;
  bool must_agree;  // among the ranks of a job
  /// Fills the setting. False: the value is not allowed, and nothing is filled.
  std::function<bool(job_settings&, std::string_view value)> fill;
  /// The setting, as one would write it; always the same for the same value.
  std::function<std::string(const job_settings&)> written;
};

/// The whole table.
const std::vector<variable>& variables();

/// The row of a name; null when the table has none.
const variable* find_variable(std::string_view name);

/// What is wrong with a value: names variable, value and what is allowed. Empty when nothing is.
std::string objection(const variable&, std::string_view value);

/// What the environment sets. What it sets wrong has its default, and an objection.
job_settings read_environment(std::vector<std::string>& objections);

/// What is wrong with each PEAL_ name of the environment that the table lacks: it names the nearest
/// one there.
std::vector<std::string> unknown_variables();

}  // namespace peal
