// How many blocks of memory this process has allocated and not freed.
//
// Threads  any.
// Errors   none.
#pragma once

#include <cstddef>

namespace soak {

[[nodiscard]] std::size_t blocks_in_use() noexcept;

}  // namespace soak
