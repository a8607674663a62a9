// launcher/pealrun/report/places.hpp
// Places of programs in words. Addresses are resolved by addr2line, where that is installed and the
// program has debugging information.
//
// Layer    launcher.
// Threads  runs addr2line and waits for it.
// Errors   what is not found is told as an address.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/gathered.hpp"

namespace peal::launcher {

class places {
 public:
  /// Of all sites of the run.
  explicit places(const gathered_run&);
  /// stencil.cpp:41, or program+0x1234.
  [[nodiscard]] std::string text(const noted_site&) const;

 private:
  std::map<std::pair<std::string, std::uint64_t>, std::string> lines_;
};

}  // namespace peal::launcher
