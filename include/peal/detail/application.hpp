// peal/detail/application.hpp
// Which of several programs of one job this process runs.
//
// Threads  any.
// Errors   none.
#pragma once

#include <optional>

#include <peal/detail/export.hpp>

namespace peal::detail {

/// Counted from 0; nothing where no job runs, and where the launcher does not say.
PEAL_EXPORT std::optional<int> application_number() noexcept;

}  // namespace peal::detail
