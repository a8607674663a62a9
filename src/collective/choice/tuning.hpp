// collective/choice/tuning.hpp
// The file in which peal-info --tune leaves what it measured, and where it lies. Lines of "name =
// value", which is TOML; the first one says which format it is.
//
// Layer    collective: may include topology/, base/.
// Units    those of cost_parameters.
// Threads  any.
// Errors   none: what is wrong with a file is told as text, and the defaults stand.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/settings.hpp"
#include "collective/choice/cost_parameters.hpp"

namespace peal {

struct tuning {
  cost_parameters costs;
  std::string from;       // the file; empty: the defaults
  std::string processor;  // on which it was measured; empty: it does not say
  // Why a file that is there, or was asked for, is not used; empty: nothing is wrong.
  std::string problem;
};

/// The text of a file. `remark` is written above the values, as comments. `processor`: on which
/// they were measured; empty: nothing is said of it.
std::string tuning_text(const cost_parameters&, std::string_view remark,
                        std::string_view processor = {});
/// `from` is what to call it.
tuning parse_tuning(std::string_view text, std::string_view from);

/// The file of PEAL_TUNING; auto: peal/tuning.toml in $XDG_CONFIG_HOME, or in $HOME/.config. Empty:
/// there is none, or neither variable says where.
std::string tuning_file(const std::string& wish);
/// What a file holds, wherever it was measured.
tuning read_tuning_file(const std::string& file);
/// What that file holds. The defaults where there is none; one that was named but is not there is a
/// problem, and so is one that was measured on another processor.
tuning read_tuning(const std::string& wish);
/// What was measured here, if anything. Warns of a file that is no good.
std::optional<cost_parameters> tuned_costs(const std::string& wish);

}  // namespace peal
