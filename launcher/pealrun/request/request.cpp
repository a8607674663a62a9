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

}  // namespace peal::launcher
