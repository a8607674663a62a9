// mpi/datatypes/definition.hpp
// What a datatype is, apart from its handle: where its elements lie, how it was made, and the plan
// for copying them. It does not change and is shared: by handles, by types that were made of it,
// and by transfers under way, so that it outlives its handle.
//
// Layer    mpi/datatypes.
// Threads  any.
// Errors   plan() throws std::bad_alloc at its first call.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "mpi/datatypes/contents.hpp"
#include "mpi/datatypes/layouts/layout.hpp"
#include "mpi/datatypes/packing/plan.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// A value and where it was found, as MPI_MINLOC and MPI_MAXLOC take them.
struct value_index {
  const basic_type* value = nullptr;
  const basic_type* index = nullptr;
  std::int64_t index_offset = 0;
};

class definition {
 public:
  definition(mpi::layout layout, contents made_with)
      : layout_{std::move(layout)}, made_with_{std::move(made_with)} {}
  definition(const definition&) = delete;
  definition& operator=(const definition&) = delete;
  ~definition();

  [[nodiscard]] const mpi::layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const contents& made_with() const noexcept { return made_with_; }
  [[nodiscard]] std::int64_t size() const noexcept { return layout_.size; }
  [[nodiscard]] std::int64_t extent() const noexcept { return layout_.extent(); }
  /// Made at the first call, which is that of MPI_Type_commit.
  [[nodiscard]] const mpi::plan& plan() const {
    // acquire: pairs with the release in make_plan
    if (!planned_.load(std::memory_order_acquire)) [[unlikely]]
      make_plan();
    return plan_;
  }

  // Of predefined types only.
  /// The handle that stands for it; null: it is derived.
  [[nodiscard]] MPI_Datatype predefined() const noexcept { return predefined_; }
  /// Null: it is none of one element.
  [[nodiscard]] const basic_type* basic() const noexcept {
    return predefined_ == nullptr ? nullptr : layout_.body->basic;
  }
  /// Null: it is no pair of a value and an index.
  [[nodiscard]] const value_index* pair() const noexcept { return pair_ ? &*pair_ : nullptr; }

  // Before others see it.
  void set_predefined(MPI_Datatype handle) noexcept { predefined_ = handle; }
  void set_pair(const value_index& pair) noexcept { pair_ = pair; }

 private:
  [[gnu::cold]] void make_plan() const;

  mpi::layout layout_;
  contents made_with_;
  MPI_Datatype predefined_ = nullptr;
  std::optional<value_index> pair_;
  mutable std::mutex planning_;
  mutable std::atomic<bool> planned_{false};
  mutable mpi::plan plan_;
};

using definition_pointer = std::shared_ptr<const definition>;

/// The bytes of `count` elements in a packed stream. Fails with MPI_ERR_COUNT where they cannot be
/// counted, or where count is negative.
[[nodiscard]] inline std::int64_t bytes_of(const definition& type, std::int64_t count) {
  need(count >= 0, MPI_ERR_COUNT, "count", count, "it must not be negative");
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(type.size(), count, &bytes)) [[unlikely]]
    fail(MPI_ERR_COUNT, "count", count, "so many elements have more bytes than can be counted");
  return bytes;
}
/// Fails, MPI_ERR_BUFFER, for MPI_IN_PLACE, and for a null pointer where there are `bytes`, `at`
/// bytes from it on. MPI_BOTTOM is a null pointer, too, and right for what has its address as a
/// displacement: there is nothing in the first page of memory.
void need_memory(const void* buffer, const definition& type, std::int64_t bytes,
                 const char* argument, std::int64_t at = 0);

}  // namespace peal::mpi
