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

/// A number of this thread's own, but for many threads.
[[nodiscard]] inline std::size_t number_of_thread() noexcept {
  static constinit std::atomic<std::size_t> known{0};
  // initial-exec: without a call of the loader's for each look. 0: it has none yet.
  static constinit thread_local std::size_t own __attribute__((tls_model("initial-exec"))) = 0;
  if (own == 0) [[unlikely]]
    own = 1 + known.fetch_add(1, std::memory_order_relaxed);
  return own - 1;
}

/// `Handle`: the C type, such as MPI_Comm. `Shares`: how many threads may add and remove at a time
/// without waiting for each other.
template <class Handle, class Object, handle_kind Kind, std::size_t Shares = 1>
class handle_table {
 public:
  constexpr handle_table() = default;
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
  // Always inline, as `remove`: requests of messages come and go by it.
  [[nodiscard, gnu::always_inline]] Handle add(std::unique_ptr<Object> object) {
    if (expects_one_thread()) [[likely]]
      return put(object, shares_[0]);
    share& own = shares_[Shares == 1 ? 0 : number_of_thread() % Shares];
    const std::lock_guard guard{own.lock};
    return put(object, own);
  }
  /// Null: it stands for nothing, or for something of another kind, or was freed.
  [[nodiscard]] Object* find(Handle handle) const noexcept {
    const std::uintptr_t number = number_of(handle);
    if (number < predefined_handles)
      return number < most_predefined ? predefined_[number] : nullptr;
    const slot* const found = slot_of(number);
    return found == nullptr ? nullptr : found->object;
  }
  /// Requires: find(handle), and it is none of the predefined ones.
  [[gnu::always_inline]] std::unique_ptr<Object> remove(Handle handle) noexcept {
    slot& gone = at(index_of(number_of(handle)));
    if (expects_one_thread()) [[likely]]
      return take(gone, shares_[0]);
    share& owner = shares_[gone.share];
    const std::lock_guard guard{owner.lock};
    return take(gone, owner);
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
  static constexpr std::uintptr_t kind_mask = ~std::uintptr_t{0} << kind_shift;
  static constexpr std::size_t most_predefined = 1024;
  static constexpr std::uint32_t first_chunk = 256, dealt_at_once = 64;

  struct slot {
    std::atomic<std::uintptr_t> handle{0};  // 0: free
    Object* object = nullptr;
    std::uintptr_t next_handle = 0;  // when it is taken
    slot* next = nullptr;            // of those that are free
    std::size_t share = 0;
    ~slot() { delete object; }
  };
  /// The free slots of some threads, on a cache line of its own.
  struct alignas(64) share {
    std::mutex lock;
    slot* free = nullptr;  // the first one
  };

  static std::uintptr_t number_of(Handle handle) noexcept {
    return reinterpret_cast<std::uintptr_t>(handle);
  }
  static std::uint32_t index_of(std::uintptr_t number) noexcept {
    return static_cast<std::uint32_t>(number) - static_cast<std::uint32_t>(predefined_handles);
  }
  static std::uintptr_t first_handle_of(std::uint32_t index) noexcept {
    return static_cast<std::uintptr_t>(Kind) << kind_shift | (index + predefined_handles);
  }
  /// Of the next generation. The first one comes after the last one.
  static std::uintptr_t after(std::uintptr_t handle) noexcept {
    const std::uintptr_t next = handle + (std::uintptr_t{1} << generation_shift);
    return (handle & kind_mask) | (next & ~kind_mask);
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
  // These three with the lock of the share held, where it is needed.
  [[gnu::always_inline]] Handle put(std::unique_ptr<Object>& object, share& own) {
    slot* made = own.free;
    if (made == nullptr) [[unlikely]]
      made = &grow(own);
    own.free = made->next;
    made->object = object.release();
    const std::uintptr_t value = made->next_handle;
    made->handle.store(value, std::memory_order_release);  // pairs with the acquire in find
    return reinterpret_cast<Handle>(value);
  }
  [[gnu::always_inline]] std::unique_ptr<Object> take(slot& gone, share& owner) noexcept {
    gone.handle.store(0, std::memory_order_relaxed);
    gone.next_handle = after(gone.next_handle);
    gone.next = std::exchange(owner.free, &gone);
    return std::unique_ptr<Object>{std::exchange(gone.object, nullptr)};
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
  /// Some more free slots. The first of them.
  [[gnu::noinline]] slot& grow(share& own) {
    const std::lock_guard guard{growing_};
    if (dealt_ == start_of(used_)) {
      chunks_[used_].store(new slot[first_chunk << used_], std::memory_order_release);
      ++used_;
    }
    slot* const dealt = &at(dealt_);
    for (std::uint32_t each = 0; each != dealt_at_once; ++each) {
      dealt[each].share = static_cast<std::size_t>(&own - shares_.data());
      dealt[each].next_handle = first_handle_of(dealt_ + each);
      dealt[each].next = each + 1 != dealt_at_once ? &dealt[each + 1] : nullptr;
    }
    dealt_ += dealt_at_once;
    return *dealt;
  }

  std::array<Object*, most_predefined> predefined_{};
  std::array<std::atomic<slot*>, 20> chunks_{};
  std::atomic<bool> one_thread_{false};
  std::array<share, Shares> shares_{};
  std::mutex growing_;
  std::size_t used_ = 0;     // chunks
  std::uint32_t dealt_ = 0;  // slots that belong to a share
};

/// What is there before everything else, and never goes: programs ask for handles while static
/// objects come and go. `constinit` makes it so, and no call has to see whether it is there.
template <class T>
union everlasting {
  T value;
  constexpr everlasting() : value{} {}
  ~everlasting() {}
};

}  // namespace peal::mpi
