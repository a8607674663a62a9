// From the environment to settings, by the table of variables.
#include "base/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/variables.hpp"
#include "peal/error.hpp"

extern char** environ;

namespace peal {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view name) {
  return std::ranges::min_element(
             variables(), {},
             [name](const variable& each) { return edit_distance(name, each.name); })
      ->name;
}

/// visit(name, value) for each PEAL_ variable of the environment.
template <class Visitor>
void for_each_set(Visitor&& visit) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line{*entry};
    const auto equals = line.find('=');
    if (line.starts_with("PEAL_") && equals != std::string_view::npos)
      visit(line.substr(0, equals), line.substr(equals + 1));
  }
}

std::string refusal(const variable& which, std::string_view value) {
  return fmt::format("{}={}: allowed is {}", which.name, value, which.form);
}

}  // namespace

const variable* find_variable(std::string_view name) {
  const auto found = std::ranges::find(variables(), name, &variable::name);
  return found == variables().end() ? nullptr : &*found;
}

std::string objection(const variable& which, std::string_view value) {
  job_settings unused;
  return which.fill(unused, value) ? std::string{} : refusal(which, value);
}

job_settings read_environment(std::vector<std::string>& objections) {
  job_settings made;
  for_each_set([&](std::string_view name, std::string_view value) {
    const variable* const known = find_variable(name);
    if (known != nullptr && !known->fill(made, value)) objections.push_back(refusal(*known, value));
  });
  return made;
}

std::vector<std::string> unknown_variables() {
  std::vector<std::string> found;
  for_each_set([&](std::string_view name, std::string_view) {
    if (find_variable(name) == nullptr)
      found.push_back(
          fmt::format("{} is no variable of peal; the nearest is {}", name, nearest(name)));
  });
  return found;
}

job_settings job_settings::from_environment() {
  std::vector<std::string> objections;
  job_settings made = read_environment(objections);
  if (!objections.empty()) throw error(errc::invalid_config, objections.front());
  return made;
}

}  // namespace peal
