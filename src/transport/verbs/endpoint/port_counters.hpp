// transport/verbs/endpoint/port_counters.hpp
// What a port counts of the trouble of reliable connections: of all processes together, since no
// device counts it for each.
//
// Layer    transport/verbs: may include base/. Includes no verbs header.
// Units    events of all processes of the machine since this object was made.
// Errors   a port that counts nothing reports nothing.
// Source   kernel: Documentation/ABI/stable/sysfs-class-infiniband (hw_counters); names as in
//          drivers rxe and mlx5.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "peal/counter.hpp"

namespace peal::verbs {

class port_counters {
 public:
  /// `port`: "mlx5_0:1"; `prefix`: what counters are called before their names. `root` is another
  /// one in tests.
  explicit port_counters(const std::string& port,
                         const std::filesystem::path& root = "/sys/class/infiniband",
                         std::string prefix = "port.");
  void report(std::vector<counter>&) const;

 private:
  struct known {
    std::size_t which;  // in the table of names
    std::uint64_t at_start;
  };
  std::filesystem::path folder_;
  std::string prefix_;
  std::vector<known> known_;
};

}  // namespace peal::verbs
