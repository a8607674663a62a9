// comm/start/agreement.hpp
// Settings that must be the same for all ranks of a job: with different ones they would wait for
// each other for ever.
//
// Layer    comm: may include base/.
// Threads  any.
// Errors   none: what differs is told as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"

namespace peal {

/// What a rank tells the other ranks: those of its settings that are not the default.
std::string settings_to_agree_on(const job_settings&);

/// What is wrong with what was told, by rank (nothing: it died); empty when nothing is. Names the
/// first variable that differs, both values, and a rank each.
std::string disagreement(const std::vector<std::optional<std::string>>& told);

}  // namespace peal
