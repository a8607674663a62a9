// mpi/datatypes/packing/plan_builder.hpp
// Turns the tree of a layout into the steps of a plan.
//
// Layer    mpi/datatypes/packing.
// Units    bytes.
// Errors   throws std::bad_alloc, and a failure, MPI_ERR_NO_MEM, for more than 2^32 steps.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "mpi/datatypes/layouts/layout.hpp"
#include "mpi/datatypes/packing/plan.hpp"

namespace peal::mpi {

class plan_builder {
 public:
  using step_list = std::vector<plan_step>;

  /// The steps go to the end of `steps`, and the pieces of their lists to that of `pieces`.
  plan_builder(std::vector<plan_step>& steps, std::vector<plan_piece>& pieces) noexcept
      : steps_{steps}, pieces_{pieces} {}

  /// The steps of one copy.
  [[nodiscard]] const step_list& compile(const layout_body& body);
  /// Puts a list behind the steps. Its first one; the list ends with the steps.
  std::uint32_t store(const step_list& list);

 private:
  struct compiled {
    step_list list;
    std::uint32_t first = 0;  // where it is stored
    std::uint32_t last = 0;
  };

  compiled& compile_once(const layout_body& body);
  void append_copies(step_list& list, compiled& child, const layout_part& part);
  [[nodiscard]] plan_step group_of(compiled& child);
  [[nodiscard]] plan_step list_of(std::span<const plan_step> runs);

  std::vector<plan_step>& steps_;
  std::vector<plan_piece>& pieces_;
  // Children are often shared, by parts of one parent and by several parents.
  std::unordered_map<const layout_body*, compiled> done_;
};

}  // namespace peal::mpi
