// peal/data/buffer.hpp
// What can be sent and received: how an argument of a call becomes bytes.
//
// A message holds no type: a fixed value is its bytes; a range of fixed values is its elements,
// packed, their number told by the length; every other value is what writer makes of it.
//
// Units    bytes.
// Errors   what does not qualify fails send_buffer, recv_buffer, sendable or receivable, which the
//          compiler names.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <peal/data/datatype.hpp>
#include <peal/data/serialization.hpp>
#include <peal/detail/owner.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal {

/// A view of elements at regular distances, as std::mdspan with a strided layout is one:
/// data_handle(), rank(), extent(r), stride(r).
template <class T>
concept strided_view = requires(const std::remove_cvref_t<T>& it, std::size_t dimension) {
  {
    *it.data_handle()
  } -> std::common_reference_with<typename std::remove_cvref_t<T>::element_type&>;
  { std::remove_cvref_t<T>::rank() } -> std::convertible_to<std::size_t>;
  { it.extent(dimension) } -> std::convertible_to<std::size_t>;
  { it.stride(dimension) } -> std::convertible_to<std::ptrdiff_t>;
} && fixed<typename std::remove_cvref_t<T>::element_type>;

namespace detail {

template <class T>
concept contiguous = std::ranges::contiguous_range<T> && std::ranges::sized_range<T> &&
                     fixed<std::ranges::range_value_t<T>>;

/// A literal would be sent with its zero, which no string at the other end expects.
template <class T>
concept literal = std::is_array_v<std::remove_reference_t<T>> &&
                  std::is_same_v<std::remove_extent_t<std::remove_reference_t<T>>, const char>;

template <class Range>
using element_type_of = std::remove_reference_t<std::ranges::range_reference_t<Range>>;

}  // namespace detail

/// Memory that is sent as it lies: contiguous ranges of fixed values. Strided views too, which are
/// packed.
template <class T>
concept send_buffer = (detail::contiguous<T> && !detail::literal<T>) || strided_view<T>;

/// Memory that is filled: as send_buffer, and not const. A single fixed value too.
template <class T>
concept recv_buffer =
    (detail::contiguous<T> && !std::is_const_v<detail::element_type_of<T>>) ||
    (strided_view<T> && !std::is_const_v<typename std::remove_cvref_t<T>::element_type>) ||
    (fixed<std::remove_reference_t<T>> && !std::is_const_v<std::remove_reference_t<T>>);

namespace detail {
/// A range whose message is its elements, packed.
template <class T>
concept packed_range = std::ranges::forward_range<T> && fixed<std::ranges::range_value_t<T>> &&
                       !literal<T> && !has_type_traits<std::remove_cvref_t<T>>;
}  // namespace detail

/// What send takes: buffers, values, other ranges of fixed values that are read while const. Not a
/// string literal: write "..."sv.
template <class T>
concept sendable = send_buffer<T> || serializable<std::remove_cvref_t<T>> ||
                   detail::packed_range<const std::remove_reference_t<T>&>;

/// What recv returns: values, containers among them.
template <class T>
concept receivable = serializable<T> && std::same_as<T, std::remove_cvref_t<T>>;

/// An argument that lives on when the call returns: an lvalue, or a view.
template <class B>
concept lasting =
    std::is_lvalue_reference_v<B> || std::ranges::borrowed_range<B> || strided_view<B>;

namespace detail {

// ---- strided views
template <class View>
std::size_t elements_of(const View& view) {
  std::size_t count = 1;
  for (std::size_t dimension = 0; dimension < View::rank(); ++dimension)
    count *= static_cast<std::size_t>(view.extent(dimension));
  return count;
}

/// Calls visit(pointer) for every element, the last dimension running fastest.
template <class View, class Visitor>
void for_each_element(const View& view, const Visitor& visit, std::size_t dimension = 0,
                      std::ptrdiff_t offset = 0) {
  if (dimension == View::rank()) {
    visit(view.data_handle() + offset);
    return;
  }
  const auto extent = static_cast<std::ptrdiff_t>(view.extent(dimension));
  const auto stride = static_cast<std::ptrdiff_t>(view.stride(dimension));
  for (std::ptrdiff_t at = 0; at < extent; ++at)
    for_each_element(view, visit, dimension + 1, offset + at * stride);
}

/// Whether its elements lie side by side in the order in which they are sent.
template <class View>
bool lies_packed(const View& view) {
  std::ptrdiff_t expected = 1;
  for (std::size_t dimension = View::rank(); dimension-- > 0;) {
    if (static_cast<std::size_t>(view.extent(dimension)) != 1 &&
        static_cast<std::ptrdiff_t>(view.stride(dimension)) != expected)
      return false;
    expected *= static_cast<std::ptrdiff_t>(view.extent(dimension));
  }
  return true;
}

// ---- memory that is not initialized before it is filled
class raw_memory {
 public:
  raw_memory() = default;
  explicit raw_memory(std::size_t bytes) : data_{new std::byte[bytes]}, bytes_{bytes} {}
  [[nodiscard]] std::byte* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  [[nodiscard]] std::span<const std::byte> view() const noexcept { return {data_.get(), bytes_}; }

 private:
  array_owner<std::byte> data_;
  std::size_t bytes_ = 0;
};

// ---- values whose message is their own memory
/// No copy is needed to send it.
template <class T>
concept sent_in_place =
    (contiguous<T> && !has_type_traits<std::remove_cvref_t<T>>) || fixed<std::remove_cvref_t<T>>;

template <sent_in_place T>
std::span<const std::byte> bytes_of(const T& it) {
  if constexpr (contiguous<const T&>)
    return std::as_bytes(
        std::span{std::ranges::data(it), static_cast<std::size_t>(std::ranges::size(it))});
  else return {reinterpret_cast<const std::byte*>(std::addressof(it)), sizeof(T)};
}

/// The message that it becomes, copied.
template <sendable T>
std::vector<std::byte> pack(const T& it) {
  writer out;
  if constexpr (sent_in_place<T>) {
    const auto all = bytes_of(it);
    out.bytes(all.data(), all.size());
  } else if constexpr (strided_view<T>) {
    for_each_element(it, [&](const auto* element) { out.bytes(element, sizeof(*element)); });
  } else if constexpr (packed_range<const T&>) {
    for (auto&& each : it) {
      const std::ranges::range_value_t<T> element(each);  // a copy: vector<bool> gives out proxies
      out.bytes(&element, sizeof(element));
    }
  } else {
    out.value(it);
  }
  return std::move(out).take();
}

/// Calls use(data, bytes) with the message that it becomes, which lives until use returns.
template <class T, class Use>
decltype(auto) with_bytes(const T& it, const Use& use) {
  if constexpr (sent_in_place<T>) {
    const auto all = bytes_of(it);
    return use(all.data(), all.size());
  } else {
    if constexpr (strided_view<T>)
      if (lies_packed(it))
        return use(reinterpret_cast<const std::byte*>(it.data_handle()),
                   elements_of(it) * sizeof(*it.data_handle()));
    const std::vector<std::byte> packed = pack(it);
    return use(packed.data(), packed.size());
  }
}

// ---- memory to be filled
/// Filled where it lies, unlike a strided view.
template <class T>
concept filled_in_place = recv_buffer<T> && !strided_view<T>;

template <filled_in_place T>
std::span<std::byte> room_of(T& it) {
  if constexpr (contiguous<T&>)
    return std::as_writable_bytes(
        std::span{std::ranges::data(it), static_cast<std::size_t>(std::ranges::size(it))});
  else return {reinterpret_cast<std::byte*>(std::addressof(it)), sizeof(T)};
}

template <strided_view View>
void unpack(const View& into, std::span<const std::byte> from) {
  for_each_element(into, [&](auto* element) {
    if (from.size() < sizeof(*element)) return;
    std::memcpy(static_cast<void*>(element), from.data(), sizeof(*element));
    from = from.subspan(sizeof(*element));
  });
}

// ---- values received
[[noreturn]] PEAL_EXPORT void wrong_size(std::size_t bytes, std::size_t element);

/// A range of fixed values whose message is its elements.
template <class T>
concept flat_container = container<T> && !has_type_traits<T> && fixed<element_of<T>>;

/// One whose elements lie side by side, so that it is filled where it lies once it is long enough.
template <class T>
concept growable = flat_container<T> && resizable<T>;

/// As growing_buffer::allocate: an address even for no bytes; null when there is no memory. A part
/// of an element counts as one.
template <growable T>
void* resize_to(T& it, std::size_t bytes) noexcept {
  constexpr std::size_t element = sizeof(element_of<T>);
  try {
    it.resize((bytes + element - 1) / element);
  } catch (...) {
    return nullptr;
  }
  return bytes == 0 ? static_cast<void*>(std::addressof(it))
                    : static_cast<void*>(std::ranges::data(it));
}

/// How a T is received when its size is not known before: somewhere to put the bytes, and what to
/// make of them.
template <class T>
class incoming {
  static constexpr bool direct = growable<T>;

 public:
  /// For growing_buffer: an address even for no bytes; null when there is no memory.
  static void* allocate(void* self, std::size_t bytes) noexcept {
    auto& it = *static_cast<incoming*>(self);
    if constexpr (direct) {
      return resize_to(it.value_, bytes);
    } else {
      try {
        it.raw_ = raw_memory{bytes};
      } catch (...) {
        return nullptr;
      }
      return bytes == 0 ? static_cast<void*>(&it) : it.raw_.data();
    }
  }
  [[nodiscard]] growing_buffer buffer() noexcept { return {this, &incoming::allocate}; }

  /// Throws errc::decode_failed. Requires: `bytes` have arrived.
  [[nodiscard]] T take(std::size_t bytes) {
    if constexpr (flat_container<T>)
      if (bytes % sizeof(element_of<T>) != 0) wrong_size(bytes, sizeof(element_of<T>));
    if constexpr (direct) return std::move(value_);
    else return decode<T>(raw_.view().first(bytes));
  }

  template <class Value>
  static Value decode(std::span<const std::byte> from) {
    reader in{from};
    if constexpr (flat_container<Value>) {
      Value it;
      while (in.left() != 0) it.insert(it.end(), in.value<element_of<Value>>());
      return it;
    } else {
      Value it = in.value<Value>();
      if (in.left() != 0) in.fail("more came than the value takes");
      return it;
    }
  }

 private:
  struct nothing {};
  [[no_unique_address]] std::conditional_t<direct, T, nothing> value_;
  [[no_unique_address]] std::conditional_t<direct, nothing, raw_memory> raw_;
};

/// A fixed value on its way in.
template <fixed T>
class incoming<T> {
 public:
  union {
    T value;
  };
  incoming() noexcept {}
  incoming(const incoming&) = delete;
  incoming& operator=(const incoming&) = delete;

  [[nodiscard]] void* data() noexcept { return static_cast<void*>(std::addressof(value)); }
  [[nodiscard]] T take(std::size_t bytes) {
    if (bytes != sizeof(T)) wrong_size(bytes, sizeof(T));
    return value;
  }
};

}  // namespace detail

}  // namespace peal
