// mpi/datatypes/packing/plan.hpp
// A datatype made ready for copying: runs of equal pieces at equal distances, merged where they
// touch, in the order of packing; lists of short pieces of different lengths; and groups of such
// steps that are repeated as a whole.
//
// Layer    mpi/datatypes/packing.
// Units    bytes.
// Threads  any, once it is made.
// Errors   making one throws std::bad_alloc.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/datatypes/layouts/layout.hpp"
#include "mpi/datatypes/packing/piece_list.hpp"

namespace peal::mpi {

enum class step_kind : std::uint32_t { run, group, pieces };

/// `count` copies, `stride` apart: of one piece, of further steps, or of a list of pieces.
struct plan_step {
  std::int64_t offset = 0;
  std::int64_t count = 1;
  std::int64_t stride = 0;
  std::int64_t length = 0;  // of one copy, in the packed stream; never 0
  std::int64_t before = 0;  // what the steps before it in its list take in the packed stream
  std::uint32_t first = 0;  // its steps, or pieces, are [first, last) of the plan's
  std::uint32_t last = 0;
  step_kind kind = step_kind::run;
  std::uint32_t longest = 0;  // of its pieces

  [[nodiscard]] bool is_group() const noexcept { return kind == step_kind::group; }
};

class plan {
 public:
  plan() = default;
  explicit plan(const layout& of);

  /// Of one copy, in the packed stream.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// From one copy to the next one.
  [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }
  /// Whether any number of copies is one block of memory, which begins `offset` behind the buffer.
  [[nodiscard]] bool is_contiguous() const noexcept { return contiguous_; }
  /// Whether one copy is.
  [[nodiscard]] bool is_one_block() const noexcept { return one_block_; }
  [[nodiscard]] std::int64_t offset() const noexcept { return offset_; }

  /// The steps of `count` copies as one. Requires: count > 0, size() > 0, and their bytes can be
  /// counted.
  [[nodiscard]] plan_step whole(std::int64_t count) const noexcept;
  [[nodiscard]] const plan_step* steps() const noexcept { return steps_.data(); }
  /// Behind the last piece of each list there is one more entry. Offsets count from the step's.
  [[nodiscard]] const plan_piece* pieces() const noexcept { return pieces_.data(); }
  [[nodiscard]] std::uint32_t step_count() const noexcept {
    return static_cast<std::uint32_t>(steps_.size());
  }

 private:
  std::vector<plan_step> steps_;
  std::vector<plan_piece> pieces_;
  std::uint32_t first_ = 0;  // of the outermost list, which ends with the steps
  std::int64_t size_ = 0;
  std::int64_t extent_ = 0;
  std::int64_t offset_ = 0;
  bool contiguous_ = true;  // also if there is nothing
  bool one_block_ = true;
};

}  // namespace peal::mpi
