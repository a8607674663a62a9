// mpi/support/handle_table.hpp
// Objects by their handles. A handle is no pointer: whatever a program gives as one, find says
// whether it stands for an object of this kind that lives.
//
// Layer    mpi/support.
// Source   MPI 5.0, appendix A: predefined handles are below 4096.
// Threads  any, if what is found is not removed meanwhile, which MPI forbids programs to do.
// Errors   add throws std::bad_alloc.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace peal::mpi {

enum class handle_kind : std::uint8_t {
  communicator = 1,
  group,
  datatype,
  op,
  request,
  message,
  errhandler,
  info,
  session,
  control_variable,  // of MPI_T, as the next one
  variable_session
};

inline constexpr std::uintptr_t predefined_handles = 4096;

/// `Handle`: the C type, such as MPI_Comm.
template <class Handle, class Object, handle_kind Kind>
class handle_table {
 public:
  handle_table() = default;
  handle_table(const handle_table&) = delete;
  handle_table& operator=(const handle_table&) = delete;
  ~handle_table() {
    for (std::size_t each = 0; each != chunks_.size(); ++each)
      delete[] chunks_[each].load(std::memory_order_relaxed);
  }

  /// An object with a handle that the standard gives. It must outlive this.
  void set(Handle handle, Object& object) noexcept {
    predefined_[number_of(handle) % most_predefined] = &object;
  }
  /// From now on one thread at a time adds and removes, so that neither needs a lock.
  void expect_one_thread() noexcept { one_thread_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool expects_one_thread() const noexcept {
    return one_thread_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] Handle add(std::unique_ptr<Object> object) {
    const auto guard = lock();
    slot& made = free_ != nullptr ? *free_ : grow();
    free_ = made.next;
    made.object = std::move(object);
    const std::uintptr_t value = value_of(made.index, made.generation);
    made.handle.store(value, std::memory_order_release);  // pairs with the acquire in find
    return reinterpret_cast<Handle>(value);
  }
  /// Null: it stands for nothing, or for something of another kind, or was freed.
  [[nodiscard]] Object* find(Handle handle) const noexcept {
    const std::uintptr_t number = number_of(handle);
    if (number < predefined_handles)
      return number < most_predefined ? predefined_[number] : nullptr;
    const slot* const found = slot_of(number);
    return found == nullptr ? nullptr : found->object.get();
  }
  /// Requires: find(handle), and it is none of the predefined ones.
  std::unique_ptr<Object> remove(Handle handle) noexcept {
    const auto guard = lock();
    slot& gone = at(index_of(number_of(handle)));
    gone.handle.store(0, std::memory_order_relaxed);
    gone.generation = (gone.generation + 1) % generations;
    gone.next = std::exchange(free_, &gone);
    return std::move(gone.object);
  }
  /// Calls `visit(object)` for each that has a handle by now, but for predefined ones. It may add
  /// more.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const std::atomic<slot*>& all : chunks_) {
      const slot* const found = all.load(std::memory_order_acquire);
      if (found == nullptr) return;
      const std::uint32_t count = first_chunk << (&all - chunks_.data());
      for (std::uint32_t each = 0; each != count; ++each)
        if (found[each].handle.load(std::memory_order_acquire) != 0) visit(*found[each].object);
    }
  }
  /// What a Fortran program has in place of the handle.
  [[nodiscard]] static int to_int(Handle handle) noexcept {
    return static_cast<int>(number_of(handle));
  }
  /// Null: no such handle is in use.
  [[nodiscard]] Handle from_int(int number) const noexcept {
    const auto low = static_cast<std::uintptr_t>(number);
    if (number < 0 || low < predefined_handles) return reinterpret_cast<Handle>(low);
    const std::uint32_t index = index_of(low);
    return chunk(index) == nullptr
               ? nullptr
               : reinterpret_cast<Handle>(at(index).handle.load(std::memory_order_acquire));
  }

  static bool is_predefined(Handle handle) noexcept {
    return number_of(handle) < predefined_handles;
  }

 private:
  // A handle: kind, generation, and the index, above what is predefined.
  static constexpr unsigned kind_shift = 56, generation_shift = 32;
  static constexpr std::uint32_t generations = 1U << 24;
  static constexpr std::size_t most_predefined = 1024;
  static constexpr std::uint32_t first_chunk = 256;

  struct slot {
    std::atomic<std::uintptr_t> handle{0};  // 0: free
    std::unique_ptr<Object> object;
    std::uint32_t generation = 0;
    std::uint32_t index = 0;
    slot* next = nullptr;  // of those that are free
  };

  static std::uintptr_t number_of(Handle handle) noexcept {
    return reinterpret_cast<std::uintptr_t>(handle);
  }
  static std::uint32_t index_of(std::uintptr_t number) noexcept {
    return static_cast<std::uint32_t>(number) - static_cast<std::uint32_t>(predefined_handles);
  }
  static std::uintptr_t value_of(std::uint32_t index, std::uint32_t generation) noexcept {
    return static_cast<std::uintptr_t>(Kind) << kind_shift |
           static_cast<std::uintptr_t>(generation) << generation_shift |
           (index + predefined_handles);
  }
  // Chunk k has first_chunk << k slots.
  static std::size_t chunk_of(std::uint32_t index) noexcept {
    if (index < first_chunk) [[likely]]
      return 0;
    return static_cast<std::size_t>(std::bit_width(index / first_chunk + 1)) - 1;
  }
  static std::uint32_t start_of(std::size_t chunk) noexcept {
    return ((1U << chunk) - 1) * first_chunk;
  }
  [[nodiscard]] std::unique_lock<std::mutex> lock() noexcept {
    std::unique_lock<std::mutex> guard{adding_, std::defer_lock};
    if (!one_thread_.load(std::memory_order_relaxed)) guard.lock();
    return guard;
  }
  [[nodiscard]] slot* chunk(std::uint32_t index) const noexcept {
    const std::size_t which = chunk_of(index);
    return which < chunks_.size() ? chunks_[which].load(std::memory_order_acquire) : nullptr;
  }
  [[nodiscard]] slot& at(std::uint32_t index) const noexcept {
    return chunk(index)[index - start_of(chunk_of(index))];
  }
  [[nodiscard]] const slot* slot_of(std::uintptr_t number) const noexcept {
    const std::uint32_t index = index_of(number);
    const slot* const all = chunk(index);
    if (all == nullptr) return nullptr;
    const slot& found = all[index - start_of(chunk_of(index))];
    return found.handle.load(std::memory_order_acquire) == number ? &found : nullptr;
  }
  /// With the lock held: one more chunk, all of it free. Its first slot.
  slot& grow() {
    const std::uint32_t count = first_chunk << used_;
    auto* const made = new slot[count];
    for (std::uint32_t each = 0; each != count; ++each) {
      made[each].index = start_of(used_) + each;
      made[each].next = each + 1 != count ? &made[each + 1] : nullptr;
    }
    chunks_[used_++].store(made, std::memory_order_release);
    return *made;
  }

  std::array<Object*, most_predefined> predefined_{};
  std::array<std::atomic<slot*>, 20> chunks_{};
  std::mutex adding_;
  std::atomic<bool> one_thread_{false};
  std::size_t used_ = 0;  // chunks
  slot* free_ = nullptr;  // the first free slot
};

}  // namespace peal::mpi
