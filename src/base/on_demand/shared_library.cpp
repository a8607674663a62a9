#include "base/on_demand/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "peal/error.hpp"

namespace peal {

void* shared_library::load() {
  const std::lock_guard guard{mutex_};
  // Global, as if it were linked: its plugins may look for its symbols.
  if (loaded_ == nullptr) loaded_ = ::dlopen(file_, RTLD_LAZY | RTLD_GLOBAL);
  if (loaded_ == nullptr)
    throw error(errc::bootstrap_failed,
                fmt::format("{} is needed and cannot be loaded: {}; install it "
                            "(Debian: {})",
                            file_, ::dlerror(), package_));
  return loaded_;
}

void* shared_library::function(const char* name, void* own) {
  if (void* const here = ::dlsym(RTLD_DEFAULT, name); here != nullptr && here != own) return here;
  void* const found = ::dlsym(load(), name);
  if (found == nullptr || found == own)
    throw error(errc::bootstrap_failed, fmt::format("{} lacks {}: install a newer one (Debian: {})",
                                                    file_, name, package_));
  return found;
}

}  // namespace peal
