#include "mpi/tools/categories.hpp"

#include <algorithm>
#include <cctype>

#include "mpi/tools/control_variables.hpp"
#include "mpi/tools/performance_variables.hpp"

namespace peal::mpi {

namespace {

category& found_or_made(std::vector<category>& all, std::string_view variable) {
  std::string name = category_of(variable);
  const auto found = std::ranges::find(all, name, &category::name);
  return found != all.end() ? *found : all.emplace_back(category{std::move(name), {}, {}});
}

}  // namespace

std::string category_of(std::string_view variable) {
  constexpr std::string_view prefix = "PEAL_";
  if (variable.starts_with(prefix)) variable.remove_prefix(prefix.size());
  std::string name{variable.substr(0, variable.find_first_of("._"))};
  std::ranges::transform(name, name.begin(),
                         [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return name;
}

std::vector<category> categories() {
  std::vector<category> all;
  int index = 0;
  for (const detail::setting& each : control_variables())
    found_or_made(all, each.name).control_variables.push_back(index++);
  index = 0;
  for (const performance_variable& each : performance_variables())
    found_or_made(all, each.name).performance_variables.push_back(index++);
  return all;
}

}  // namespace peal::mpi
