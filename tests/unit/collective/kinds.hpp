// tests/unit/collective/kinds.hpp
// The collectives that have several algorithms, and the names of cases that are about one of these.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "collective/algorithms.hpp"
#include "collective/choice/choice.hpp"

namespace peal::test {

inline constexpr std::array kinds{
    detail::collective::barrier,   detail::collective::bcast,    detail::collective::reduce,
    detail::collective::allreduce, detail::collective::gather,   detail::collective::scatter,
    detail::collective::allgather, detail::collective::alltoall, detail::collective::reduce_scatter,
    detail::collective::scan,      detail::collective::exscan};
static_assert(kinds.size() == detail::collectives_in_all);

inline std::string algorithm_name(const testing::TestParamInfo<algorithm>& info) {
  return std::string{name_of(info.param.kind)} + "_" + std::string{info.param.name};
}

}  // namespace peal::test
