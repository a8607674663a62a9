// bootstrap/pmix_library.hpp
// libpmix's functions, from the library as it is loaded when the first of them is wanted.
//
// Ranks of pealrun want none (start_member.hpp). libpeal is not linked with libpmix, since loading
// it and what it needs takes a tenth of their start.
//
// Layer    bootstrap: may include base/.
// Threads  any.
// Errors   throws peal::error (errc::bootstrap_failed) where the library, or a function, is
// missing. Source   PMIx Standard 4.1; dlopen(3).
#pragma once

#include <pmix.h>

namespace peal {

/// Each is the function PMIx_ of that name.
struct pmix_library {
  decltype(&PMIx_Init) init;
  decltype(&PMIx_Finalize) finalize;
  decltype(&PMIx_Abort) abort;
  decltype(&PMIx_Put) put;
  decltype(&PMIx_Commit) commit;
  decltype(&PMIx_Get) get;
  decltype(&PMIx_Fence_nb) fence_nb;
  decltype(&PMIx_Register_event_handler) register_event_handler;
  decltype(&PMIx_Notify_event) notify_event;
  decltype(&PMIx_Error_string) error_string;
  decltype(&PMIx_Info_load) info_load;
  decltype(&PMIx_Value_destruct) value_destruct;
};

/// Loads it, the first time. It stays for good: PMIx has threads of its own.
const pmix_library& pmix();

}  // namespace peal
