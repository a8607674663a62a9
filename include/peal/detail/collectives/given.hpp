// peal/detail/collectives/given.hpp
// What a rank gives to a collective: how it lives until it has been read, and its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/data/blocks.hpp>
#include <peal/data/buffer.hpp>
#include <peal/data/view.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal::detail {

/// When a collective is called for: it is over when the call returns; it is under way then; it is
/// started again and again.
enum class when : std::uint8_t { now, later, planned };

/// An argument of a blocking call, which lives long enough by itself, or what lives as long as a
/// plan.
template <class X>
class borrowed {
 public:
  explicit borrowed(X&& it) noexcept : it_{std::addressof(it)} {}
  [[nodiscard]] const std::remove_reference_t<X>& get() const noexcept { return *it_; }

 private:
  std::remove_reference_t<X>* it_;
};

/// An argument that is copied, or moved.
template <class X>
class owned {
 public:
  explicit owned(X&& it) : it_{std::forward<X>(it)} {}
  [[nodiscard]] const std::remove_cvref_t<X>& get() const noexcept { return it_; }

 private:
  std::remove_cvref_t<X> it_;
};

/// Calls that end later keep rvalues, and copy views and single values; a plan copies views, and
/// reads everything else at each start.
template <when When, class X>
consteval bool is_owned() {
  using type = std::remove_cvref_t<X>;
  if constexpr (When == when::now) return false;
  else if constexpr (!std::is_lvalue_reference_v<X> || std::ranges::view<type> ||
                     strided_view<type>)
    return true;
  else return When == when::later && fixed<type> && !contiguous<type>;
}
template <when When, class X>
using holder = std::conditional_t<is_owned<When, X>(), owned<X>, borrowed<X>>;

/// The elements of a range or strided view of fixed values; else the value itself.
template <class X>
consteval auto element_type() noexcept {
  using type = std::remove_reference_t<X>;
  if constexpr (contiguous<type>) return std::type_identity<std::ranges::range_value_t<type>>{};
  else if constexpr (strided_view<type>)
    return std::type_identity<std::remove_cv_t<typename std::remove_cvref_t<type>::element_type>>{};
  else return std::type_identity<std::remove_cvref_t<X>>{};
}
template <class X>
using element_in = typename decltype(element_type<X>())::type;

/// Elements that do not lie side by side.
template <class X>
concept lies_apart =
    strided_view<std::remove_cvref_t<X>> && !contiguous<std::remove_reference_t<X>>;

/// Elements at regular distances, and a copy of them side by side, unless they lie so.
class packed_copy {
 public:
  packed_copy() noexcept = default;
  explicit packed_copy(const strided_memory& of)
      : memory_{of}, copy_{of.packed() ? raw_memory{} : raw_memory{of.bytes()}} {}
  [[nodiscard]] std::byte* data() const noexcept {
    return memory_.packed() ? memory_.data() : copy_.data();
  }
  [[nodiscard]] std::size_t size() const noexcept { return memory_.bytes(); }
  void pack() const noexcept {
    if (!memory_.packed()) memory_.copy_to(copy_.data());
  }
  void unpack() const noexcept {
    if (!memory_.packed()) memory_.copy_from(copy_.data());
  }

 private:
  strided_memory memory_;
  raw_memory copy_;
};

/// Throws errc::invalid_argument where the container that a plan was given has other memory now.
template <class Byte>
void check_place(std::span<Byte> now, std::span<Byte> then, const location& where) {
  if (now.data() != then.data() || now.size() != then.size())
    fail(errc::invalid_argument,
         "what a plan was given must stay where it is, and as long as it is", -1, where);
}

/// An argument as the bytes that it becomes.
template <when When, class X>
class given {
  using type = std::remove_reference_t<X>;
  struct nothing {};
  struct strided {
    packed_copy copy;
  };
  struct serialized {
    std::vector<std::byte> bytes;
  };

 public:
  using element = element_in<X>;
  /// What is given is the caller's memory, as it lies.
  static constexpr bool lives_elsewhere =
      (!is_owned<When, X>() || std::ranges::borrowed_range<type>) && !lies_apart<X> &&
      sent_in_place<type>;

  explicit given(X&& it) : holder_{std::forward<X>(it)} {
    if constexpr (stays) place_.at = bytes();
    if constexpr (lies_apart<X>) packed_.copy = packed_copy{strided_memory{holder_.get()}};
    else if constexpr (!sent_in_place<type>) packed_.bytes = pack(holder_.get());
  }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    if constexpr (lies_apart<X>) return {packed_.copy.data(), packed_.copy.size()};
    else if constexpr (sent_in_place<type>) return bytes_of(holder_.get());
    else return packed_.bytes;
  }
  [[nodiscard]] const void* data() const { return bytes().data(); }
  [[nodiscard]] std::size_t size() const { return bytes().size(); }
  [[nodiscard]] const auto& get() const noexcept { return holder_.get(); }
  /// Before each start.
  void refresh(const location& where) const {
    if constexpr (lies_apart<X>) packed_.copy.pack();
    if constexpr (stays) check_place(bytes(), place_.at, where);
  }

 private:
  // Of a plan, and a container that can be reassigned.
  static constexpr bool stays = When == when::planned && contiguous<type> && !is_owned<When, X>();
  struct place_seen {
    std::span<const std::byte> at;
  };

  holder<When, X> holder_;
  [[no_unique_address]] std::conditional_t<stays, place_seen, nothing> place_;
  [[no_unique_address]] std::conditional_t<
      lies_apart<X>, strided, std::conditional_t<sent_in_place<type>, nothing, serialized>> packed_;
};

// ---- a block a rank
/// Blocks of one memory: they are sent from where they lie.
template <class X>
concept blocks_of_one_memory = requires(const std::remove_cvref_t<X>& it) {
  { it.lies_in() } -> std::convertible_to<const std::byte*>;
};

/// Blocks of fixed elements, or of serialized ones, which become a message a block. Joined: they
/// are to lie one behind the other.
template <when When, class X, bool Joined = false>
class given_blocks {
  using range = std::remove_reference_t<X>;
  static consteval bool stay() {
    if constexpr (blocks_of_one_memory<X>) return !Joined || range::consecutive;
    else return false;
  }
  static constexpr bool in_place = stay();

 public:
  using element = std::ranges::range_value_t<std::ranges::range_reference_t<range>>;

  /// Throws errc::invalid_argument where there are not so many.
  given_blocks(X&& it, std::size_t blocks, const location& where) : holder_{std::forward<X>(it)} {
    if (std::ranges::size(holder_.get()) != blocks)
      fail(errc::invalid_argument, "there must be one block for every rank, or neighbour", -1,
           where);
    if constexpr (requires { holder_.get().fits(); })
      if (!holder_.get().fits())
        fail(errc::invalid_argument,
             "the counts of blocks_of do not fit the range that it is given", -1, where);
    if constexpr (fixed<element>) {
      std::size_t total = 0;
      for (auto&& block : holder_.get()) {
        bytes_.push_back(std::ranges::size(block) * sizeof(element));
        if constexpr (in_place) offsets_.push_back(offset_of(block));
        total += bytes_.back();
      }
      if constexpr (!in_place) side_by_side_ = raw_memory{total};
    } else {
      for (auto&& block : holder_.get()) {
        const std::vector<std::byte> packed =
            pack(std::vector<element>(std::ranges::begin(block), std::ranges::end(block)));
        bytes_.push_back(packed.size());
        serialized_.insert(serialized_.end(), packed.begin(), packed.end());
      }
    }
  }
  [[nodiscard]] const void* data() const noexcept {
    if constexpr (in_place) return holder_.get().lies_in();
    else if constexpr (fixed<element>) return side_by_side_.data();
    else return serialized_.data();
  }
  [[nodiscard]] const std::vector<std::size_t>& bytes() const noexcept { return bytes_; }
  /// Null: one behind the other.
  [[nodiscard]] const std::size_t* offsets() const noexcept {
    return in_place ? offsets_.data() : nullptr;
  }
  /// Before each start. Throws errc::invalid_argument where blocks are not as many, or as long, as
  /// they were.
  void refresh(const location& where) {
    if constexpr (fixed<element> && !in_place) {
      std::byte* to = side_by_side_.data();
      std::size_t number = 0;
      for (auto&& block : holder_.get()) {
        const auto all = bytes_of(block);
        if (number == bytes_.size() || all.size() != bytes_[number])
          fail(errc::invalid_argument,
               "the blocks of a plan must stay as long as they were when it was made", -1, where);
        if (!all.empty()) std::memcpy(to, all.data(), all.size());
        to += all.size();
        ++number;
      }
      if (number != bytes_.size())
        fail(errc::invalid_argument,
             "the blocks of a plan must stay as many as they were when it was made", -1, where);
    }
  }

 private:
  template <class Block>
  std::size_t offset_of(const Block& block) const noexcept {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(std::ranges::data(block)) -
                                    holder_.get().lies_in());
  }

  holder<When, X> holder_;
  std::vector<std::size_t> bytes_;
  std::vector<std::size_t> offsets_;
  raw_memory side_by_side_;
  std::vector<std::byte> serialized_;
};

/// Equal parts of a range of elements that are serialized: each becomes a message.
template <class X>
class serialized_parts {
 public:
  using element = std::ranges::range_value_t<X>;
  serialized_parts() = default;  // to no rank
  serialized_parts(const std::remove_reference_t<X>& from, std::size_t parts)
      : rest_{static_cast<std::size_t>(std::ranges::size(from)) % parts} {
    const std::size_t each = static_cast<std::size_t>(std::ranges::size(from)) / parts;
    auto at = std::ranges::begin(from);
    for (std::size_t part = 0; part < parts; ++part) {
      std::vector<element> values;
      for (std::size_t i = 0; i < each; ++i, ++at) values.push_back(*at);
      const std::vector<std::byte> packed = pack(values);
      bytes_.push_back(packed.size());
      packed_.insert(packed_.end(), packed.begin(), packed.end());
    }
  }
  [[nodiscard]] const void* data() const noexcept { return packed_.data(); }
  [[nodiscard]] const std::vector<std::size_t>& bytes() const noexcept { return bytes_; }
  [[nodiscard]] static const std::size_t* offsets() noexcept { return nullptr; }
  /// Elements that are in no part.
  [[nodiscard]] std::size_t rest() const noexcept { return rest_; }
  static void refresh(const location&) noexcept {}

 private:
  std::vector<std::size_t> bytes_;
  std::vector<std::byte> packed_;
  std::size_t rest_ = 0;
};

/// Equal parts of a range of fixed elements, which stay where they are.
template <when When, class X>
class equal_parts {
 public:
  using element = element_in<X>;
  equal_parts(X&& it, std::size_t parts)
      : from_{std::forward<X>(it)},
        bytes_(parts, from_.size() / sizeof(element) / parts * sizeof(element)) {}
  [[nodiscard]] const void* data() const { return from_.data(); }
  [[nodiscard]] const std::vector<std::size_t>& bytes() const noexcept { return bytes_; }
  [[nodiscard]] static const std::size_t* offsets() noexcept { return nullptr; }
  [[nodiscard]] std::size_t rest() const { return from_.size() / sizeof(element) % bytes_.size(); }
  void refresh(const location& where) const { from_.refresh(where); }

 private:
  given<When, X> from_;
  std::vector<std::size_t> bytes_;
};

}  // namespace peal::detail
