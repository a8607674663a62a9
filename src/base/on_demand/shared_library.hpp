// base/on_demand/shared_library.hpp
// A shared library that is loaded when the first of its functions is called.
//
// A rank of pealrun needs neither hwloc nor libibverbs nor libsodium as long as all ranks are on
// one node, and to load them, with the libraries that these need, takes longer than all that peal
// itself does to start. So libpeal is not linked with them. The files NAME_calls.cpp have a
// function of the name of each one that is used, which looks for the real one here. Programs that
// link the parts of libpeal (pealrun, peal-info, unit tests) are linked with the libraries
// themselves.
//
// Layer    base.
// Threads  any.
// Errors   throws peal::error (errc::bootstrap_failed) where the library or a function is missing.
// Source   dlopen(3), dlsym(3).
#pragma once

#include <mutex>

namespace peal {

class shared_library {
 public:
  /// `package`: what to install where it is missing.
  constexpr shared_library(const char* file, const char* package)
      : file_{file}, package_{package} {}

  /// The function of that name. A preloaded library's, or the program's own, counts first, but not
  /// `own`: the function that stands for it here.
  [[nodiscard]] void* function(const char* name, void* own);
  /// The same for the function `Own`, which stands for it here; looked for once.
  template <auto Own>
  [[nodiscard]] auto real(const char* name) {
    static const auto found =
        reinterpret_cast<decltype(Own)>(function(name, reinterpret_cast<void*>(Own)));
    return found;
  }

 private:
  void* load();

  const char* const file_;
  const char* const package_;
  std::mutex mutex_;
  void* loaded_ = nullptr;  // for good: its functions may be called at any time from now on
};

}  // namespace peal
