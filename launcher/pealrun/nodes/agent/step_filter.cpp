#include "nodes/agent/step_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace peal::launcher {

step_filter::step_filter(const std::string& which, const std::string& node) {
  const std::string value = which.substr(which.find('=') + 1);
  if (which.starts_with("name=")) {
    wanted_.push_back("SLURM_JOB_NAME=" + value);
  } else {
    const std::size_t dot = value.find('.');
    wanted_.push_back("SLURM_JOB_ID=" + value.substr(0, dot));
    if (dot != std::string::npos) wanted_.push_back("SLURM_STEP_ID=" + value.substr(dot + 1));
  }
  if (!node.empty()) wanted_.push_back("SLURMD_NODENAME=" + node);
}

bool step_filter::fits(std::string_view environment) const {
  std::size_t found = 0;
  while (!environment.empty()) {
    const std::string_view each = environment.substr(0, environment.find('\0'));
    environment.remove_prefix(std::min(each.size() + 1, environment.size()));
    if (std::ranges::find(wanted_, each) != wanted_.end()) ++found;
  }
  return found >= wanted_.size();
}

bool step_filter::operator()(pid_t process) const {
  std::ifstream file{fmt::format("/proc/{}/environ", process), std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return fits(text);
}

}  // namespace peal::launcher
