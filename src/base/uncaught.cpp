#include "base/uncaught.hpp"

#include <cstdlib>
#include <exception>

#include "base/log.hpp"
#include "peal/error.hpp"

namespace peal {

namespace {

std::terminate_handler usual = nullptr;

[[noreturn]] void terminate() {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const error& uncaught) {
      log_error("nobody caught: {}", uncaught.what());
      std::abort();
    } catch (...) {
    }
  }
  usual();
  std::abort();
}

}  // namespace

void tell_of_uncaught_errors() noexcept {
#ifdef __GLIBCXX__
  if (std::get_terminate() != __gnu_cxx::__verbose_terminate_handler) return;
#endif
  if (const std::terminate_handler before = std::set_terminate(terminate); before != terminate)
    usual = before;
}

}  // namespace peal
