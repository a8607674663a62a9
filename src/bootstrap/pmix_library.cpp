#include "bootstrap/pmix_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "peal/error.hpp"

namespace peal {

namespace {

// The library's interface as of PMIx 4, and of PMIx 5.
constexpr const char* file_name = "libpmix.so.2";

template <class Function>
void find(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  if (into == nullptr)
    throw error(errc::bootstrap_failed,
                fmt::format("{} lacks {}: peal needs PMIx 4.2.2 or newer", file_name, name));
}

pmix_library load() {
  // Global, since libpmix's own plugins look for its symbols.
  void* library = ::dlopen(file_name, RTLD_NOW | RTLD_GLOBAL);
  // Where peal was built it may lie in a folder of its own.
  if (library == nullptr)
    library =
        ::dlopen(fmt::format("{}/{}", PEAL_PMIX_LIBDIR, file_name).c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw error(errc::bootstrap_failed,
                fmt::format("the launcher is to be met by PMIx, but the library cannot be loaded: "
                            "{}; install it (Debian: libpmix2), or start with pealrun",
                            ::dlerror()));
  pmix_library all{};
  find(library, "PMIx_Init", all.init);
  find(library, "PMIx_Finalize", all.finalize);
  find(library, "PMIx_Abort", all.abort);
  find(library, "PMIx_Put", all.put);
  find(library, "PMIx_Commit", all.commit);
  find(library, "PMIx_Get", all.get);
  find(library, "PMIx_Fence_nb", all.fence_nb);
  find(library, "PMIx_Register_event_handler", all.register_event_handler);
  find(library, "PMIx_Notify_event", all.notify_event);
  find(library, "PMIx_Error_string", all.error_string);
  find(library, "PMIx_Info_load", all.info_load);
  find(library, "PMIx_Value_destruct", all.value_destruct);
  return all;
}

}  // namespace

const pmix_library& pmix() {
  static const pmix_library loaded = load();
  return loaded;
}

}  // namespace peal
