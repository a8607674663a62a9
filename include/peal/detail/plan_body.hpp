// peal/detail/plan_body.hpp
// What stands behind a plan, and behind the request of its start: both hold it, so it goes with the last of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/blocks.hpp>
#include <peal/buffer.hpp>
#include <peal/detail/collective_source.hpp>
#include <peal/detail/collective_tasks.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/owner.hpp>
#include <peal/detail/request_body.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/op.hpp>
#include <peal/request.hpp>

namespace peal::detail {

template <class T>
class plan_body : public body<T> {
 public:
  request<T> start(const location& where) {
    if (this->op) refuse_start(*this->op, where);
    refresh(where);
    this->op = start_prepared(*prepared_, where);
    references_.fetch_add(1, std::memory_order_relaxed);
    return request<T>{this};
  }
  [[nodiscard]] bool active() const noexcept { return this->op != nullptr; }

  T take(std::error_code* error) override {
    if (failed(*this->op, error)) return nothing_of<T>();
    return value();
  }
  void abandon() noexcept override {
    drop(std::exchange(this->op, nullptr));
    give_back();
  }
  void give_back() noexcept {
    // acq_rel: whoever deletes sees what the other side has written.
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  plan_body() = default;
  ~plan_body() override { discard(prepared_); }
  void prepare(communicator_state& in, const collective_call& call, const location& where) {
    prepared_ = prepare_collective(in, call, where);
  }

 private:
  /// Before each start.
  virtual void refresh(const location&) = 0;
  /// After one that went well.
  virtual T value() = 0;

  prepared* prepared_ = nullptr;
  std::atomic<int> references_{1};
};

// ---- what is given ---------------------------------------------------------------------------------------------------------------------
/// Nothing, or memory that is read where it lies.
struct read_in_place {
  void refresh(const location&) const noexcept {}
};

/// Blocks that lie apart from each other: copied side by side before each start.
template <class B>
class copied_blocks {
 public:
  using element = std::ranges::range_value_t<std::ranges::range_reference_t<std::remove_reference_t<B>>>;

  /// Requires: `parts` blocks.
  copied_blocks(B&& from, std::size_t parts, const location& where) : from_{std::forward<B>(from)} {
    std::size_t total = 0;
    for (auto&& block : from_.get()) {
      bytes_.push_back(std::ranges::size(block) * sizeof(element));
      total += bytes_.back();
    }
    if (bytes_.size() != parts) fail(errc::invalid_argument, "there must be one block for every rank", -1, where);
    side_by_side_ = raw_memory{total};
  }
  void refresh(const location& where) {
    std::byte* to = side_by_side_.data();
    std::size_t block_number = 0;
    for (auto&& block : from_.get()) {
      const auto all = bytes_of(block);
      if (block_number == bytes_.size() || all.size() != bytes_[block_number])
        fail(errc::invalid_argument, "the blocks of a plan must stay as long as they were when it was made", -1, where);
      if (!all.empty()) std::memcpy(to, all.data(), all.size());
      to += all.size();
      ++block_number;
    }
    if (block_number != bytes_.size())
      fail(errc::invalid_argument, "the blocks of a plan must stay as many as they were when it was made", -1, where);
  }
  [[nodiscard]] const std::byte* data() const noexcept { return side_by_side_.data(); }
  [[nodiscard]] const std::vector<std::size_t>& bytes() const noexcept { return bytes_; }

 private:
  kept<B> from_;
  std::vector<std::size_t> bytes_;
  raw_memory side_by_side_;
};

/// The same of the rank that gives; nothing of the others.
template <class B>
class copied_blocks_of_one {
 public:
  void emplace(B&& from, std::size_t parts, const location& where) { it_.emplace(std::forward<B>(from), parts, where); }
  void refresh(const location& where) {
    if (it_) it_->refresh(where);
  }
  [[nodiscard]] const copied_blocks<B>& get() const noexcept { return *it_; }

 private:
  std::optional<copied_blocks<B>> it_;
};

// ---- what is got -----------------------------------------------------------------------------------------------------------------------
/// Nothing, or what lies in memory of the caller's.
struct left_in_place {
  using type = void;
  [[nodiscard]] void* data() const noexcept { return nullptr; }
  void value() const noexcept {}
};

/// A value. `elsewhere`: where it is to be read instead of from memory of the plan's.
template <fixed T>
class one_value {
 public:
  using type = T;
  explicit one_value(const T* elsewhere = nullptr) noexcept : elsewhere_{elsewhere} {}
  [[nodiscard]] void* data() noexcept { return room_.bytes; }
  [[nodiscard]] T value() const { return elsewhere_ ? *elsewhere_ : *std::launder(reinterpret_cast<const T*>(room_.bytes)); }

 private:
  struct room {
    alignas(T) std::byte bytes[sizeof(T)];
  };
  room room_;
  const T* elsewhere_;
};

/// Elements side by side: those given, or so many in memory of the plan's.
template <fixed T>
class many_values {
 public:
  using type = std::span<const T>;
  explicit many_values(std::size_t count) : room_{array_owner<T>{new T[count]()}}, view_{room_.get(), count} {}
  explicit many_values(type elsewhere) noexcept : view_{elsewhere} {}
  [[nodiscard]] void* data() const noexcept { return room_.get(); }
  [[nodiscard]] type value() const noexcept { return view_; }

 private:
  array_owner<T> room_;
  type view_;
};

/// A block a rank; none where nothing is received.
template <fixed T>
class many_blocks {
 public:
  using type = std::span<const std::span<const T>>;
  /// Bytes, by rank. Throws errc::decode_failed where they are no whole elements.
  explicit many_blocks(std::vector<std::uint64_t> lengths) : lengths_{std::move(lengths)} {
    std::size_t total = 0;
    for (const std::uint64_t each : lengths_) {
      if (each % sizeof(T) != 0) wrong_size(each, sizeof(T));
      total += each / sizeof(T);
    }
    room_ = array_owner<T>{new T[total]()};
    const T* at = room_.get();
    for (const std::uint64_t each : lengths_) {
      blocks_.emplace_back(at, each / sizeof(T));
      at += each / sizeof(T);
    }
  }
  [[nodiscard]] void* data() const noexcept { return room_.get(); }
  [[nodiscard]] const std::uint64_t* lengths() const noexcept { return lengths_.data(); }
  [[nodiscard]] type value() const noexcept { return blocks_; }

 private:
  std::vector<std::uint64_t> lengths_;
  array_owner<T> room_;
  std::vector<std::span<const T>> blocks_;
};

/// What Out has; nothing on the rank that gets nothing.
template <class Out>
class maybe : public Out {
 public:
  using type = std::optional<typename Out::type>;
  maybe(bool there, Out&& it) : Out{std::move(it)}, there_{there} {}
  [[nodiscard]] type value() { return there_ ? type{Out::value()} : type{}; }

 private:
  bool there_;
};

// ---- the plan --------------------------------------------------------------------------------------------------------------------------
/// Where nothing is reduced.
struct no_operation {};

/// In: what is copied before a start. Out: where results go, and what the request gives. Element: of a reduction.
template <class Element, class In, class Out, class Op>
class collective_plan final : public plan_body<typename Out::type> {
 public:
  collective_plan(communicator_state& in, collective_call call, In&& given, Out&& got, Op op, const location& where)
      : in_{std::move(given)}, out_{std::move(got)}, op_{std::move(op)} {
    if (!call.receive) call.receive = out_.data();
    if constexpr (!std::is_same_v<Op, no_operation>) {
      call.type = scalar_of<Element>();
      call.element_size = sizeof(Element);
      call.op = reduction_of<Element>(op_);
    }
    call.element_type = type_of<Element>();
    this->prepare(in, call, where);
  }

 private:
  void refresh(const location& where) override { in_.refresh(where); }
  typename Out::type value() override { return out_.value(); }

  In in_;
  Out out_;
  Op op_;
};

}  // namespace peal::detail
