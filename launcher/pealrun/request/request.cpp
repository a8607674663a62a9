#include "request/request.hpp"

namespace peal::launcher {

int job_request::ranks() const {
  int sum = 0;
  for (const application& each : applications) sum += each.ranks;
  return sum;
}

std::size_t job_request::application_of(int rank) const {
  std::size_t at = 0;
  for (int before = 0; before + applications[at].ranks <= rank; ++at)
    before += applications[at].ranks;
  return at;
}

const std::string* job_request::given_for(std::string_view name) const {
  for (const given_option& each : given)
    if (each.name == name && !each.values.empty()) return &each.values.back();
  return nullptr;
}

}  // namespace peal::launcher
