// peal/detail/varying_tasks.hpp
// Collectives that first find out how much each rank gives, then move it: bcast of ranges and values of any length, gatherv and the like.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <peal/detail/collective_tasks.hpp>

namespace peal::detail {

/// bcast of anything: a first block of one cache line holds the length, and the bytes too if they fit.
template <receivable T>
class bcast_task {
 public:
  using result_type = T;
  bcast_task(place_in_team where, int root, T value) : root_{root}, gives_{where.rank == root}, value_{std::move(value)} {
    if (!gives_) return;
    if constexpr (!sent_in_place<T>) packed_ = pack(value_);
    const std::uint64_t length = bytes().size();
    std::memcpy(head_.data(), &length, sizeof(length));
    if (length != 0) std::memcpy(head_.data() + sizeof(length), bytes().data(), std::min<std::size_t>(length, room));
  }
  collective_call first() { return call(head_.data(), head_.size()); }
  bool second(collective_call& next) {
    std::memcpy(&length_, head_.data(), sizeof(length_));
    next = call(gives_ ? const_cast<std::byte*>(bytes().data()) : nullptr, length_);
    return length_ > room;
  }
  void make_room(collective_call& next) {
    if (gives_) return;
    next.receive = incoming<T>::allocate(&incoming_, length_);
    if (next.receive == nullptr) fail(errc::no_space, "", -1, location::current());
    if (length_ != 0 && length_ <= room) std::memcpy(next.receive, head_.data() + sizeof(length_), length_);
  }
  T result() { return gives_ ? std::move(value_) : incoming_.take(length_); }

 private:
  static constexpr std::size_t room = 56;
  [[nodiscard]] std::span<const std::byte> bytes() const {
    if constexpr (sent_in_place<T>) return bytes_of(value_);
    else return packed_;
  }
  [[nodiscard]] collective_call call(std::byte* data, std::size_t count) const { return call(static_cast<void*>(data), count); }
  [[nodiscard]] collective_call call(void* data, std::size_t count) const {
    collective_call it;
    it.kind = collective::bcast;
    it.root = root_;
    it.receive = data;
    it.bytes = count;
    it.element_type = type_of<T>();
    return it;
  }

  int root_;
  bool gives_;
  T value_;
  std::vector<std::byte> packed_;
  std::array<std::byte, room + sizeof(std::uint64_t)> head_{};
  std::uint64_t length_ = 0;
  incoming<T> incoming_;
};

inline std::size_t sum_of(const std::vector<std::uint64_t>& lengths) noexcept {
  std::size_t total = 0;
  for (const std::uint64_t each : lengths) total += each;
  return total;
}

/// gather and allgather of blocks whose lengths differ. Out: into_blocks or into_values.
template <class Holder, class Out>
class varying_gather_task {
 public:
  using result_type = typename Out::type;
  template <class B>
  varying_gather_task(place_in_team where, collective kind, int root, B&& value)
      : kind_{kind}, root_{root}, receives_{kind == collective::allgather || where.rank == root}, in_{std::forward<B>(value)} {
    mine_ = in_.bytes().size();
    if (receives_) lengths_.resize(where.count());
  }
  collective_call first() {
    collective_call call = common();
    call.send = &mine_;
    call.receive = lengths_.data();
    call.bytes = sizeof(mine_);
    return call;
  }
  bool second(collective_call& call) {
    call = common();
    call.varying = true;
    call.send = in_.bytes().data();
    call.bytes = mine_;
    if (receives_) call.receive_bytes = lengths_.data();
    return true;
  }
  void make_room(collective_call& call) {
    if (receives_) call.receive = out_.make_room(sum_of(lengths_));
  }
  /// Empty where nothing is received.
  result_type result() { return receives_ ? out_.take(lengths_) : result_type{}; }

 private:
  [[nodiscard]] collective_call common() const {
    collective_call call;
    call.kind = kind_;
    call.root = root_;
    call.element_type = type_of<result_type>();
    return call;
  }
  collective kind_;
  int root_;
  bool receives_;
  source<Holder> in_;
  std::uint64_t mine_ = 0;
  std::vector<std::uint64_t> lengths_;
  Out out_;
};

/// Instead of a length: the rank that gives has been given what cannot be moved. It takes part all the same, so that nobody waits for it in
/// vain or takes a later call for this one, and all ranks learn of it.
inline constexpr std::uint64_t refused_length = ~std::uint64_t{0};

[[noreturn]] inline void fail_refused() { fail(errc::invalid_argument, "a rank was given what cannot be moved", -1, location::current()); }

/// scatter of blocks whose lengths only the root knows. Gives: where the root has them (blocks_given, joined_blocks).
template <class Gives, class Out>
class scatter_task {
 public:
  using result_type = typename Out::type;
  template <class Given>
  scatter_task(place_in_team where, int root, Given&& given, const location& call) : root_{root}, gives_{where.rank == root} {
    if (!gives_) return;
    try {
      in_.emplace(std::forward<Given>(given), where.count(), call);
      for (const std::size_t each : in_->bytes()) lengths_.push_back(each);
    } catch (...) {
      refusal_ = std::current_exception();
      lengths_.assign(where.count(), refused_length);
    }
  }
  /// What was wrong on this rank, or null.
  [[nodiscard]] const std::exception_ptr& refusal() const noexcept { return refusal_; }
  collective_call first() {
    collective_call call = common();
    call.send = lengths_.data();
    call.receive = mine_.data();
    call.bytes = sizeof(std::uint64_t);
    return call;
  }
  bool second(collective_call& call) {
    if (mine_.front() == refused_length) fail_refused();
    call = common();
    call.varying = true;
    call.bytes = mine_.front();
    if (gives_) {
      call.send = in_->data();
      call.send_bytes = lengths_.data();
    }
    return true;
  }
  void make_room(collective_call& call) {
    call.receive = out_.make_room(mine_.front());
    if (call.receive == nullptr) fail(errc::no_space, "", -1, location::current());
  }
  result_type result() { return out_.take(mine_); }

 private:
  [[nodiscard]] collective_call common() const {
    collective_call call;
    call.kind = collective::scatter;
    call.root = root_;
    call.element_type = type_of<result_type>();
    return call;
  }
  int root_;
  bool gives_;
  std::optional<Gives> in_;
  std::vector<std::uint64_t> lengths_;
  std::vector<std::uint64_t> mine_{0};
  std::exception_ptr refusal_;
  Out out_;
};

/// What scatter gives: equal parts of a range, of which fixed elements stay where they are.
template <class Range>
class equal_parts {
 public:
  using element = std::ranges::range_value_t<Range>;
  equal_parts(const Range& from, std::size_t parts, const location& call) : from_{&from} {
    const auto count = static_cast<std::size_t>(std::ranges::size(from));
    if (count % parts != 0)
      fail(errc::invalid_argument, "scatter: the number of elements is no multiple of the number of ranks; see scatterv", -1, call);
    const std::size_t each = count / parts;
    if constexpr (contiguous<Range>) {
      bytes_.assign(parts, each * sizeof(element));
    } else {
      auto at = std::ranges::begin(from);
      for (std::size_t part = 0; part < parts; ++part) {
        std::vector<element> values;
        for (std::size_t i = 0; i < each; ++i, ++at) values.push_back(*at);
        const std::vector<std::byte> packed = pack(values);
        bytes_.push_back(packed.size());
        packed_.insert(packed_.end(), packed.begin(), packed.end());
      }
    }
  }
  [[nodiscard]] const void* data() const {
    if constexpr (contiguous<Range>) return std::ranges::data(*from_);
    else return packed_.data();
  }
  [[nodiscard]] const std::vector<std::size_t>& bytes() const noexcept { return bytes_; }

 private:
  const Range* from_;
  std::vector<std::size_t> bytes_;
  std::vector<std::byte> packed_;
};

/// What scatterv, alltoallv and reduce_scatter give.
template <range_of_blocks Range>
class parts_as_given : public joined_blocks<Range> {
 public:
  parts_as_given(const Range& from, std::size_t parts, const location& call) : joined_blocks<Range>{from} {
    if (this->bytes().size() != parts) fail(errc::invalid_argument, "there must be one block for every rank", -1, call);
  }
};

/// alltoallv.
template <range_of_blocks Range>
class varying_alltoall_task {
 public:
  using element = typename joined_blocks<Range>::element;
  using result_type = blocks<element>;
  varying_alltoall_task(place_in_team where, const Range& given, const location& call) : arriving_(where.count()) {
    try {
      in_.emplace(given, where.count(), call);
      outgoing_.assign(in_->bytes().begin(), in_->bytes().end());
    } catch (...) {
      refusal_ = std::current_exception();
      outgoing_.assign(where.count(), refused_length);
    }
  }
  /// What was wrong on this rank, or null.
  [[nodiscard]] const std::exception_ptr& refusal() const noexcept { return refusal_; }
  collective_call first() {
    collective_call call;
    call.kind = collective::alltoall;
    call.send = outgoing_.data();
    call.receive = arriving_.data();
    call.bytes = sizeof(std::uint64_t);
    call.element_type = type_of<element>();
    return call;
  }
  bool second(collective_call& call) {
    for (const std::uint64_t each : arriving_)
      if (each == refused_length) fail_refused();
    call = {};
    call.kind = collective::alltoall;
    call.varying = true;
    call.send = in_->data();
    call.send_bytes = outgoing_.data();
    call.receive_bytes = arriving_.data();
    return true;
  }
  void make_room(collective_call& call) { call.receive = out_.make_room(sum_of(arriving_)); }
  result_type result() { return out_.take(arriving_); }

 private:
  std::optional<parts_as_given<Range>> in_;
  std::vector<std::uint64_t> outgoing_;
  std::vector<std::uint64_t> arriving_;
  std::exception_ptr refusal_;
  into_blocks<element> out_;
};

}  // namespace peal::detail
