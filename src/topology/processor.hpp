// topology/processor.hpp
// What processor this machine has, so that what was measured on another one is known as such.
//
// Layer    topology: may include base/.
// Threads  any.
// Errors   none: a name that is not known is empty.
// Source   proc_cpuinfo(5).
#pragma once

#include <string>
#include <string_view>

namespace peal {

/// What /proc/cpuinfo calls the first processor. Letters, digits and a few signs.
std::string processor_name();
/// The same from the beginning of a text of that form.
std::string processor_name_in(std::string_view text);

}  // namespace peal
