// peal/detail/owner.hpp
// std::unique_ptr for headers that programs include: <memory> takes longer to compile than what it
// would be used for here.
#pragma once

#include <cstddef>
#include <utility>

namespace peal::detail {

template <class T>
class owner {
 public:
  owner() noexcept = default;
  explicit owner(T* owned) noexcept : owned_{owned} {}
  owner(owner&& from) noexcept : owned_{from.release()} {}
  owner& operator=(owner&& from) noexcept {
    std::swap(owned_, from.owned_);
    return *this;
  }
  ~owner() { delete owned_; }

  [[nodiscard]] T* get() const noexcept { return owned_; }
  [[nodiscard]] T* release() noexcept { return std::exchange(owned_, nullptr); }
  T* operator->() const noexcept { return owned_; }

 private:
  T* owned_ = nullptr;
};

template <class T, class... Args>
owner<T> make_owner(Args&&... args) {
  return owner<T>{new T(std::forward<Args>(args)...)};
}

/// An array that is not initialized, unlike a vector, unless it is asked for.
template <class T>
class array_owner {
 public:
  array_owner() noexcept = default;
  explicit array_owner(T* owned) noexcept : owned_{owned} {}
  array_owner(array_owner&& from) noexcept : owned_{std::exchange(from.owned_, nullptr)} {}
  array_owner& operator=(array_owner&& from) noexcept {
    std::swap(owned_, from.owned_);
    return *this;
  }
  ~array_owner() { delete[] owned_; }

  [[nodiscard]] T* get() const noexcept { return owned_; }

 private:
  T* owned_ = nullptr;
};

}  // namespace peal::detail
