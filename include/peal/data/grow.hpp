// peal/data/grow.hpp
// A container that a receive makes as long as its message, where the others fill what is there.
//
//     std::vector<double> values;
//     world.recv_into(peal::grow(values), source);  // values.size() is how many came
//
// The container keeps its memory from one message to the next, where it is long enough.
//
// Units    elements.
// Errors   of the receive: errc::no_space where there is no memory, decode_failed where the message
//          is no whole number of elements. What the container holds after an error is undefined.
#pragma once

#include <cstddef>

#include <peal/data/buffer.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/request_body.hpp>
#include <peal/status.hpp>

namespace peal {

/// What grow() gives; as good for as long as the container.
template <class C>
class grow_buffer {
 public:
  /// `it` must live until the receive has ended.
  explicit grow_buffer(C& it) noexcept : it_{&it} {}

  /// For the library.
  [[nodiscard]] detail::growing_buffer buffer() const noexcept {
    return {it_, [](void* it, std::size_t bytes) noexcept {
              return detail::resize_to(*static_cast<C*>(it), bytes);
            }};
  }
  /// Throws errc::decode_failed.
  static status checked(const detail::outcome& end, const detail::location& where) {
    constexpr std::size_t element = sizeof(detail::element_of<C>);
    if (end.bytes % element == 0) return detail::status_of(end);
    try {
      detail::wrong_size(end.bytes, element);
    } catch (const error& e) {
      detail::rethrow_decode_error(e, end.source, where);
    }
  }

 private:
  C* it_;
};

/// For recv_into and the like: `container`, which has contiguous fixed elements and a resize(), is
/// made as long as the message, whatever it held.
template <detail::growable C>
[[nodiscard]] grow_buffer<C> grow(C& container) noexcept {
  return grow_buffer<C>{container};
}

namespace detail {

template <class T>
struct is_grown : std::false_type {};
template <class C>
struct is_grown<grow_buffer<C>> : std::true_type {};
/// The result of grow().
template <class T>
concept grown = is_grown<std::remove_cvref_t<T>>::value;

/// Of irecv_into with grow().
template <class C>
class growing_receive final : public body<status> {
 public:
  status take(std::error_code* error) override {
    if (failed(*op, error)) return status_now();
    if (!error) return grow_buffer<C>::checked(result_of(*op), origin_of(*op));
    try {
      return grow_buffer<C>::checked(result_of(*op), origin_of(*op));
    } catch (const peal::error& e) {
      *error = e.code();
      return status_now();
    }
  }
};

}  // namespace detail

}  // namespace peal
