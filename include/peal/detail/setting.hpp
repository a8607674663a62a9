// peal/detail/setting.hpp
// The PEAL_ variables, as tools see them.
//
// Threads  any, while no thread changes the environment.
// Errors   std::bad_alloc.
#pragma once

#include <string>
#include <vector>

#include <peal/detail/export.hpp>

namespace peal::detail {

struct setting {
  std::string name;  ///< such as "PEAL_SHM_DIR"
  std::string meaning;
  std::string allowed;      ///< choices separated by '|', or "least..most", or words
  std::string value;        ///< of the job that runs, or that one begun now would have
  bool must_agree = false;  ///< among the ranks of a job
};

PEAL_EXPORT std::vector<setting> settings();
/// For a job that is started later: changes the environment. False: there is no such setting, or it
/// may not have this value.
PEAL_EXPORT bool change_setting(const std::string& name, const std::string& value);

}  // namespace peal::detail
