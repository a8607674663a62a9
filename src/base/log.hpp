// base/log.hpp
// The one place where the library writes on its own initiative: a line on standard error, in one
// write.
//
// Layer    base.
// Threads  any.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace peal {

enum class log_level { quiet, error, warning, info, debug };
inline constexpr std::array<std::string_view, 5> log_level_names{"quiet", "error", "warning",
                                                                 "info", "debug"};

/// Lines above this level are not written. Set from PEAL_LOG at the start of the job; before that
/// warnings pass.
void set_log_level(log_level) noexcept;
/// Named in every line once known ("peal rank 3: ...").
void set_log_rank(int rank) noexcept;
bool logs(log_level) noexcept;
void log_line(log_level, std::string_view text) noexcept;

template <class... Args>
void log_error(fmt::format_string<Args...> form, Args&&... args) {
  if (logs(log_level::error))
    log_line(log_level::error, fmt::format(form, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> form, Args&&... args) {
  if (logs(log_level::warning))
    log_line(log_level::warning, fmt::format(form, std::forward<Args>(args)...));
}
template <class... Args>
void log_info(fmt::format_string<Args...> form, Args&&... args) {
  if (logs(log_level::info))
    log_line(log_level::info, fmt::format(form, std::forward<Args>(args)...));
}
template <class... Args>
void log_debug(fmt::format_string<Args...> form, Args&&... args) {
  if (logs(log_level::debug))
    log_line(log_level::debug, fmt::format(form, std::forward<Args>(args)...));
}

}  // namespace peal
