// peal/data/serialization.hpp
// How values that are not plain bytes become bytes, and back.
//
// What travels: fixed values as they are; containers as a count of 64 bits and their elements;
// optional and variant as what they hold; pairs, tuples and aggregates member by member. Ranks of a
// job share one byte order.
//
// Units    bytes.
// Errors   decoding never trusts the bytes: a reader throws peal::error, errc::decode_failed, when
//          they are no value of the type.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <peal/data/datatype.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/error.hpp>

namespace peal {

namespace detail {

// What a container gives out, as something that can be made on its own: the key of a map is const
// there.
template <class T>
struct decoded {
  using type = T;
};
template <class Key, class Value>
struct decoded<std::pair<const Key, Value>> {
  using type = std::pair<Key, Value>;
};
template <class Range>
using element_of = typename decoded<std::ranges::range_value_t<Range>>::type;

/// Owns its elements and can be filled one by one: vector, string, deque, list, set, map...
template <class T>
concept container = std::ranges::input_range<T> && std::default_initializable<T> &&
                    std::same_as<T, std::remove_cv_t<T>> && !std::ranges::view<T> &&
                    requires(T& it, element_of<T> value) { it.insert(it.end(), std::move(value)); };

/// A container whose elements lie side by side and that can be resized: filled in one go.
template <class T>
concept resizable = container<T> && std::ranges::contiguous_range<T> &&
                    requires(T& it, std::size_t count) { it.resize(count); };

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_variant : std::false_type {};
template <class... Each>
struct is_variant<std::variant<Each...>> : std::true_type {};

/// Inside: the aggregates of which it is a part, however deep. None of them can be a part of
/// itself, for the members of such a one are never told to their end.
template <class T, class... Inside>
consteval bool is_serializable();

template <class T, class... Inside, std::size_t... I>
consteval bool elements_are_serializable(std::index_sequence<I...>) {
  return (is_serializable<std::remove_cv_t<std::tuple_element_t<I, T>>, Inside...>() && ...);
}
template <class T, class... Inside, std::size_t... I>
consteval bool alternatives_are_serializable(std::index_sequence<I...>) {
  return (is_serializable<std::remove_cv_t<std::variant_alternative_t<I, T>>, Inside...>() && ...);
}
template <class T, class... Inside, std::size_t... I>
consteval bool members_are_serializable(std::index_sequence<I...>) {
  return (is_serializable<std::remove_cv_t<boost::pfr::tuple_element_t<I, T>>, T, Inside...>() &&
          ...);
}

template <class T, class... Inside>
consteval bool is_serializable() {
  if constexpr (!std::is_object_v<T> || std::is_const_v<T> || std::is_array_v<T>) return fixed<T>;
  else if constexpr ((std::is_same_v<T, Inside> || ...)) return false;
  else if constexpr (has_type_traits<T> || fixed<T> || std::is_same_v<T, std::monostate>)
    return true;
  else if constexpr (is_optional<T>::value)
    return is_serializable<typename T::value_type, Inside...>();
  else if constexpr (is_variant<T>::value)
    return alternatives_are_serializable<T, Inside...>(
        std::make_index_sequence<std::variant_size_v<T>>{});
  else if constexpr (is_tuple<T>::value)
    return elements_are_serializable<T, Inside...>(
        std::make_index_sequence<std::tuple_size_v<T>>{});
  else if constexpr (is_std_array<T>::value)
    return is_serializable<typename T::value_type, Inside...>();
  else if constexpr (container<T>) return is_serializable<element_of<T>, Inside...>();
  else if constexpr (reflectable<T>)
    return members_are_serializable<T, Inside...>(
        std::make_index_sequence<boost::pfr::tuple_size_v<T>>{});
  else return false;
}

[[noreturn]] PEAL_EXPORT void decode_failed(std::size_t bytes, const char* why);

}  // namespace detail

/// Can be sent as a value and received as one: fixed types; containers, optionals, variants, pairs,
/// tuples, arrays and aggregates of such; types with a type_traits. Not what only refers to its
/// elements (span, string_view), nor what contains such.
template <class T>
concept serializable = detail::is_serializable<std::remove_cv_t<T>>();

/// Where values are written to.
class writer {
 public:
  /// Writes bytes as they lie.
  void bytes(const void* data, std::size_t count) {
    const auto* begin = static_cast<const std::byte*>(data);
    if (count != 0) out_.insert(out_.end(), begin, begin + count);
  }
  /// Writes a value so that reader::value gives it back.
  template <serializable T>
  void value(const T& it);

  /// @{
  /// All that was written so far.
  [[nodiscard]] std::span<const std::byte> written() const noexcept { return out_; }
  [[nodiscard]] std::vector<std::byte> take() && noexcept { return std::move(out_); }
  /// @}

 private:
  template <class T>
  void element(const T& it);
  template <class T, std::size_t... I>
  void members(const T& it, std::index_sequence<I...>) {
    (value(boost::pfr::get<I>(it)), ...);
  }

  std::vector<std::byte> out_;
};

/// Where values are read from.
class reader {
 public:
  /// Reads what `in` holds, which lives on meanwhile.
  explicit reader(std::span<const std::byte> in) noexcept : in_{in}, total_{in.size()} {}

  /// Reads so many bytes; throws errc::decode_failed where there are fewer.
  void bytes(void* data, std::size_t count) {
    if (count > in_.size()) fail("they end too early");
    if (count != 0) std::memcpy(data, in_.data(), count);
    in_ = in_.subspan(count);
  }
  /// Reads a value; throws errc::decode_failed where the bytes are none.
  template <serializable T>
  [[nodiscard]] T value();

  /// How many bytes are left to read.
  [[nodiscard]] std::size_t left() const noexcept { return in_.size(); }
  /// For type_traits too: says that the bytes are nothing that one could have written.
  [[noreturn]] void fail(const char* why) const { detail::decode_failed(total_, why); }

 private:
  /// Of a container, whose elements take at least `least` bytes each.
  std::size_t count(std::size_t least) {
    const auto count = value<std::uint64_t>();
    if (count > in_.size() / least) fail("a length is beyond their end");
    return static_cast<std::size_t>(count);
  }
  template <class T>
  T element();
  template <class T>
  T elements();
  template <class T, std::size_t... I>
  T alternative(std::index_sequence<I...>);
  template <class T, std::size_t... I>
  T tuple(std::index_sequence<I...>) {
    // braces: from left to right
    return T{value<std::remove_cv_t<std::tuple_element_t<I, T>>>()...};
  }
  template <class T, std::size_t... I>
  T members(std::index_sequence<I...>) {
    return T{value<std::remove_cv_t<boost::pfr::tuple_element_t<I, T>>>()...};
  }

  std::span<const std::byte> in_;
  std::size_t total_;
};

// An element of a container takes a byte at least, so that a length can be held against what is
// left.
template <class T>
void writer::element(const T& it) {
  const std::size_t before = out_.size();
  value(it);
  if (out_.size() == before) out_.push_back(std::byte{0});
}

template <serializable T>
void writer::value(const T& it) {
  if constexpr (detail::has_type_traits<T>) {
    type_traits<T>::encode(*this, it);
  } else if constexpr (fixed<T>) {
    bytes(&it, sizeof(T));
  } else if constexpr (std::is_same_v<T, std::monostate>) {
  } else if constexpr (detail::is_optional<T>::value) {
    value(it.has_value());
    if (it) value(*it);
  } else if constexpr (detail::is_variant<T>::value) {
    value(static_cast<std::uint32_t>(it.index()));
    if (!it.valueless_by_exception())
      std::visit([this](const auto& held) { this->value(held); }, it);
  } else if constexpr (detail::is_tuple<T>::value) {
    std::apply([this](const auto&... each) { (this->value(each), ...); }, it);
  } else if constexpr (detail::is_std_array<T>::value) {
    for (const auto& each : it) value(each);
  } else if constexpr (detail::container<T>) {
    using element_type = detail::element_of<T>;
    value(static_cast<std::uint64_t>(std::ranges::distance(it)));
    if constexpr (fixed<element_type> && std::ranges::contiguous_range<T>)
      bytes(std::ranges::data(it), std::ranges::size(it) * sizeof(element_type));
    else
      for (const auto& each : it) element(static_cast<const std::ranges::range_value_t<T>&>(each));
  } else {
    members(it, std::make_index_sequence<boost::pfr::tuple_size_v<T>>{});
  }
}

template <class T>
T reader::element() {
  const std::size_t before = in_.size();
  T it = value<T>();
  if (in_.size() == before) {
    std::byte filler;
    bytes(&filler, 1);
  }
  return it;
}

template <class T>
T reader::elements() {
  using element_type = detail::element_of<T>;
  T it;
  if constexpr (fixed<element_type> && detail::resizable<T>) {
    const std::size_t length = count(sizeof(element_type));
    it.resize(length);
    bytes(std::ranges::data(it), length * sizeof(element_type));
  } else {
    for (std::size_t left = count(1); left != 0; --left)
      it.insert(it.end(), element<element_type>());
  }
  return it;
}

template <class T, std::size_t... I>
T reader::alternative(std::index_sequence<I...>) {
  const auto index = value<std::uint32_t>();
  std::optional<T> it;
  (void)((index == I &&
          (it.emplace(std::in_place_index<I>, value<std::variant_alternative_t<I, T>>()), true)) ||
         ...);
  if (!it) fail("a variant holds none of its types");
  return *std::move(it);
}

template <serializable T>
T reader::value() {
  if constexpr (detail::has_type_traits<T>) {
    return type_traits<T>::decode(*this);
  } else if constexpr (std::is_same_v<T, bool>) {
    std::uint8_t byte = 0;
    bytes(&byte, 1);
    if (byte > 1) fail("a bool is neither true nor false");
    return byte == 1;
  } else if constexpr (fixed<T>) {
    union raw {  // a T need not be default-constructible
      raw() {}
      T it;
    } held;
    bytes(static_cast<void*>(std::addressof(held.it)), sizeof(T));
    return held.it;
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    return {};
  } else if constexpr (detail::is_optional<T>::value) {
    if (!value<bool>()) return std::nullopt;
    return T{std::in_place, value<typename T::value_type>()};
  } else if constexpr (detail::is_variant<T>::value) {
    return alternative<T>(std::make_index_sequence<std::variant_size_v<T>>{});
  } else if constexpr (detail::is_tuple<T>::value || detail::is_std_array<T>::value) {
    return tuple<T>(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (detail::container<T>) {
    return elements<T>();
  } else {
    return members<T>(std::make_index_sequence<boost::pfr::tuple_size_v<T>>{});
  }
}

}  // namespace peal
