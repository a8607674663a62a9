// collective/direct/price.hpp
// What a blocking collective costs that goes past messages, by formulas over the same parameters as
// those of cost.hpp.
//
// Layer    collective/direct: may include collective/, base/.
// Units    nanoseconds, bytes.
// Threads  a pure function.
#pragma once

#include <cstddef>
#include <optional>

#include "collective/choice/cost_parameters.hpp"
#include "peal/detail/core.hpp"

namespace peal::direct {

/// Of a call that all ranks of a node make, whose blocks are alike and which starts when all have
/// come; ranks that go by groups are numbered as they lie. `cores`: of the node, for them. Nothing
/// where such a call goes as messages. `named`: a variable says that it is to go directly.
std::optional<double> price(const detail::collective_call& call, int size, int cores,
                            const cost_parameters&, bool named = false) noexcept;

}  // namespace peal::direct
