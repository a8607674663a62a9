// peal/memory.hpp
// Memory that the ranks of a node can reach directly: a message from or into it is copied once, not
// twice.
//
// Units    elements.
// Threads  any.
// Errors   std::bad_alloc when there is no memory at all; without a job, or when the node's share
//          is used up, it is ordinary memory.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <source_location>
#include <type_traits>
#include <utility>

#include <peal/data/datatype.hpp>
#include <peal/detail/core.hpp>

namespace peal {

namespace detail {
inline void* allocate_elements(std::size_t count, std::size_t each, const location& where) {
  // As for operator new[]. What is near the end of size_t would be rounded up to nothing.
  if (count > std::numeric_limits<std::ptrdiff_t>::max() / each) throw std::bad_array_new_length{};
  void* memory = allocate_shared(count * each, where);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
}  // namespace detail

/// An array in such memory; move-only, 64-byte aligned. What peal::allocate returns.
template <class T>
  requires std::is_trivially_destructible_v<T>
class buffer {
 public:
  /// What it holds.
  using value_type = T;

  /// No memory.
  buffer() noexcept = default;
  /// @{
  /// Takes the memory of `from`; assignment swaps.
  buffer(buffer&& from) noexcept
      : data_{std::exchange(from.data_, nullptr)}, size_{std::exchange(from.size_, 0)} {}
  buffer& operator=(buffer&& from) noexcept {
    std::swap(data_, from.data_);
    std::swap(size_, from.size_);
    return *this;
  }
  /// @}
  ~buffer() {
    if (data_) detail::deallocate_shared(data_);
  }
  /// Value-initialized elements.
  explicit buffer(std::size_t count,
                  const std::source_location& where = std::source_location::current())
      : buffer{} {  // so that what a constructor of T throws leaves no memory behind
    static_assert(alignof(T) <= 64);
    data_ = static_cast<T*>(detail::allocate_elements(count, sizeof(T), where));
    size_ = count;
    for (std::size_t at = 0; at < count; ++at) ::new (static_cast<void*>(data_ + at)) T();
  }

  /// @{
  /// As those of std::vector.
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t at) noexcept { return data_[at]; }
  [[nodiscard]] const T& operator[](std::size_t at) const noexcept { return data_[at]; }
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  /// @}

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// `count` elements, zero or as T makes itself.
template <class T>
[[nodiscard]] buffer<T> allocate(
    std::size_t count, const std::source_location& where = std::source_location::current()) {
  return buffer<T>{count, where};
}

/// For containers: std::vector<double, peal::allocator<double>>.
template <class T>
class allocator {
 public:
  /// @{
  /// As allocators of containers have them; allocate throws peal::error where there is no room.
  using value_type = T;
  constexpr allocator() noexcept = default;
  template <class U>
  constexpr allocator(const allocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(alignof(T) <= 64);
    return static_cast<T*>(
        detail::allocate_elements(count, sizeof(T), std::source_location::current()));
  }
  void deallocate(T* memory, std::size_t) noexcept { detail::deallocate_shared(memory); }
  friend constexpr bool operator==(const allocator&, const allocator&) noexcept { return true; }
  /// @}
};

}  // namespace peal
