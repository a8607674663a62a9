#include "mpi/environment/hardware.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace peal::mpi {

namespace {

/// -1: the system does not tell.
int number_in(const std::string& file) {
  std::ifstream opened{file};
  int number = -1;
  return opened >> number ? number : -1;
}

/// The one whose folder has a link to that of the processor.
int numa_node_of(const std::string& processor_folder) {
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator{processor_folder, ignored}) {
    const std::string name = each.path().filename().string();
    if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos)
      return std::stoi(name.substr(4));
  }
  return -1;
}

/// What a processor belongs to.
struct belonging {
  int package, core, node;
};
belonging belonging_of(int processor, const std::string& folder) {
  const std::string own = fmt::format("{}/cpu{}", folder, processor);
  return {number_in(own + "/topology/physical_package_id"), number_in(own + "/topology/core_id"),
          numa_node_of(own)};
}

template <class Set>
void tell(info& to, std::string_view kind, const Set& found) {
  to.set(kind, found.size() == 1 ? "true" : "false");
}

}  // namespace

info hardware_info_of(const std::vector<int>& processors, const std::string& folder) {
  std::set<int> packages, nodes;
  std::set<std::pair<int, int>> cores;  // numbers of cores begin anew in each package
  for (const int each : processors) {
    const belonging of = belonging_of(each, folder);
    if (of.package >= 0) packages.insert(of.package);
    if (of.core >= 0) cores.insert({of.package, of.core});
    if (of.node >= 0) nodes.insert(of.node);
  }
  info made;
  made.set("hwloc://Machine", "true");
  if (!packages.empty()) tell(made, "hwloc://Package", packages);
  if (!nodes.empty()) tell(made, "hwloc://NUMANode", nodes);
  if (!cores.empty()) tell(made, "hwloc://Core", cores);
  if (!processors.empty()) tell(made, "hwloc://PU", processors);
  return made;
}

info hardware_info() {
  std::vector<int> processors;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (int each = 0; each != CPU_SETSIZE; ++each)
      if (CPU_ISSET(each, &allowed)) processors.push_back(each);
  return hardware_info_of(processors, "/sys/devices/system/cpu");
}

}  // namespace peal::mpi
