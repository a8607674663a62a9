// peal/detail/collectives/work.hpp
// A collective call as an object: what is given, what becomes of it, and the call between the two.
// The files of peal/collectives make one of these of their arguments;
// peal/detail/collectives/forms.hpp makes the call of it, at once, later, or again and again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/data/buffer.hpp>
#include <peal/data/op.hpp>
#include <peal/detail/collectives/filled.hpp>
#include <peal/detail/collectives/given.hpp>
#include <peal/detail/collectives/results.hpp>
#include <peal/detail/core.hpp>

namespace peal::detail {

/// The communicator of a call, and the place in the program that makes the call.
struct caller {
  communicator_state& in;
  const location& where;

  [[nodiscard]] int rank() const noexcept { return rank_of(in); }
  /// How many ranks there are.
  [[nodiscard]] std::size_t count() const noexcept { return static_cast<std::size_t>(size_of(in)); }
  [[nodiscard]] std::size_t index() const noexcept { return static_cast<std::size_t>(rank()); }
  /// Throws; the ranks that take part are told.
  [[noreturn]] void refuse(const char* why) const { fail(errc::invalid_argument, why, -1, where); }
};

/// Where nothing is reduced.
struct no_operation {};

inline collective_call call_of(collective kind, int root, std::size_t bytes) noexcept {
  collective_call call;
  call.kind = kind;
  call.root = root;
  call.bytes = bytes;
  return call;
}
/// The same, to be kept until the call is made.
struct call_shape {
  collective kind;
  int root;
  std::size_t bytes;
  [[nodiscard]] collective_call call() const noexcept { return call_of(kind, root, bytes); }
};

/// The operation of a reduction, which stays where `op` is.
template <class Element, class Op>
void set_operation(collective_call& call, Op& op) noexcept {
  call.element_type = type_of<Element>();
  if constexpr (!std::is_same_v<Op, no_operation>) {
    call.type = scalar_of<Element>();
    call.element_size = sizeof(Element);
    call.op = reduction_of<Element>(op);
  }
}

/// A call whose lengths this rank knows, from one memory to another. Element: for PEAL_CHECK, and
/// of a reduction.
template <class Element, class From, class To, class Op = no_operation>
class one_step {
 public:
  /// Made in place, and given its shape when what it is made of has been looked at: to move it,
  /// word by word and back as a whole, would cost a small call more than all the rest of it
  /// (doc/internals/collectives.md, "Store forwarding").
  template <class X, class... ToArguments>
  one_step(Op&& op, X&& value, ToArguments&&... to)
      : from_(std::forward<X>(value)), to_(std::forward<ToArguments>(to)...), op_(std::move(op)) {}
  [[nodiscard]] From& from() noexcept { return from_; }
  [[nodiscard]] To& to() noexcept { return to_; }
  void set_shape(collective kind, int root, std::size_t bytes) noexcept {
    shape_ = {kind, root, bytes};
  }

  void refresh(const location& where) {
    from_.refresh(where);
    to_.refresh(where);
  }
  collective_call first() {
    collective_call call = shape_.call();
    call.send = from_.data();
    call.receive = to_.data();
    set_operation<Element>(call, op_);
    return call;
  }
  decltype(auto) take(const location& where) { return to_.take(where); }
  decltype(auto) view() { return to_.view(); }
  [[nodiscard]] bool is_over_with_its_operation() const noexcept
    requires(std::is_same_v<Op, no_operation> && From::lives_elsewhere && To::lives_elsewhere)
  {
    return !to_.needs_spare_memory();
  }

 private:
  call_shape shape_{};
  From from_;
  To to_;
  [[no_unique_address]] Op op_;
};

/// What the one memory of a call in place is to this rank.
enum class role : std::uint8_t { gives, receives, both };

/// A call with one memory.
template <class Element, class Memory, class Op = no_operation>
class in_place_step {
 public:
  /// As one_step.
  template <class R>
  in_place_step(Op&& op, R& memory, const location& where)
      : memory_(memory, where), op_(std::move(op)) {}
  [[nodiscard]] Memory& memory() noexcept { return memory_; }
  void set_shape(collective kind, int root, std::size_t bytes, role is) noexcept {
    shape_ = {kind, root, bytes};
    role_ = is;
  }

  void refresh(const location& where) { memory_.refresh(where); }
  collective_call first() {
    collective_call call = shape_.call();
    // The root of a scatter keeps its part where it gives all parts; elsewhere what is given in
    // place is where the result will be.
    if (role_ == role::gives || (role_ == role::both && call.kind == collective::scatter))
      call.send = memory_.data();
    else call.receive = memory_.data();
    call.in_place = role_ == role::both && memory_.size() != 0;  // of no bytes it cannot be told
    set_operation<Element>(call, op_);
    return call;
  }
  void take(const location& where) { memory_.take(where); }
  void view() { memory_.view(); }
  [[nodiscard]] bool is_over_with_its_operation() const noexcept
    requires(std::is_same_v<Op, no_operation> && Memory::lives_elsewhere)
  {
    return !memory_.needs_spare_memory();
  }

 private:
  call_shape shape_{};
  role role_{};
  Memory memory_;
  [[no_unique_address]] Op op_;
};

/// Nothing to be said of the blocks of one side.
struct no_blocks {
  static void describe(const std::size_t*&, const std::size_t*&) noexcept {}
};

/// How long blocks are that lie one behind the other.
struct block_lengths {
  std::vector<std::size_t> bytes;
  void describe(const std::size_t*& to, const std::size_t*&) const noexcept { to = bytes.data(); }
};

/// A call of one step whose blocks differ in length. Out, In: no_blocks, laid_out or block_lengths,
/// of what is given and of what arrives.
template <class Step, class Out, class In>
class with_blocks : public Step {
 public:
  // The descriptions of blocks must live.
  [[nodiscard]] bool is_over_with_its_operation() const noexcept = delete;
  with_blocks(Step step, Out out, In in)
      : Step{std::move(step)}, out_{std::move(out)}, in_{std::move(in)} {}
  collective_call first() {
    collective_call call = Step::first();
    call.varying = true;
    out_.describe(call.send_bytes, call.send_offsets);
    in_.describe(call.receive_bytes, call.receive_offsets);
    return call;
  }

 private:
  [[no_unique_address]] Out out_;
  [[no_unique_address]] In in_;
};

// ---- calls that first find out how much there is to be moved
/// bcast of anything: a first block of one cache line holds the length, and the bytes too if they
/// fit.
template <receivable T>
class any_bcast {
 public:
  any_bcast(const caller& by, int root, T value)
      : root_{root}, gives_{by.rank() == root}, value_{std::move(value)} {
    if (!gives_) return;
    if constexpr (!sent_in_place<T>) packed_ = pack(value_);
    const std::uint64_t length = bytes().size();
    std::memcpy(head_.data(), &length, sizeof(length));
    if (length != 0)
      std::memcpy(head_.data() + sizeof(length), bytes().data(),
                  std::min<std::size_t>(length, room));
  }
  static void refresh(const location&) noexcept {}
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
    if (length_ != 0 && length_ <= room)
      std::memcpy(next.receive, head_.data() + sizeof(length_), length_);
  }
  T take(const location&) { return gives_ ? std::move(value_) : incoming_.take(length_); }

 private:
  static constexpr std::size_t room = 56;
  [[nodiscard]] std::span<const std::byte> bytes() const {
    if constexpr (sent_in_place<T>) return bytes_of(value_);
    else return packed_;
  }
  [[nodiscard]] collective_call call(void* data, std::size_t count) const {
    collective_call it = call_of(collective::bcast, root_, count);
    it.receive = data;
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

/// gather, allgather and neighbor_allgather of what differs in length. `arriving`: blocks that this
/// rank receives.
template <class Element, class From, class Out>
class any_gather {
 public:
  any_gather(collective kind, int root, std::size_t arriving, From from, Out out)
      : kind_{kind},
        root_{root},
        from_{std::move(from)},
        out_{std::move(out)},
        mine_{from_.size()},
        arriving_(arriving) {}

  void refresh(const location& where) { from_.refresh(where); }
  collective_call first() {
    collective_call call = call_of(kind_, root_, sizeof(mine_));
    call.send = &mine_;
    call.receive = arriving_.data();
    call.element_type = type_of<Element>();
    return call;
  }
  bool second(collective_call& call) {
    call = call_of(kind_, root_, mine_);
    call.varying = true;
    call.send = from_.data();
    if (!arriving_.empty()) call.receive_bytes = arriving_.data();
    call.element_type = type_of<Element>();
    return true;
  }
  void make_room(collective_call& call) {
    if (arriving_.empty()) return;
    out_.make_room(arriving_);
    call.receive = out_.data();
  }
  decltype(auto) take(const location& where) { return out_.take(where); }
  decltype(auto) view() { return out_.view(); }

 private:
  collective kind_;
  int root_;
  From from_;
  Out out_;
  std::uint64_t mine_;
  std::vector<std::uint64_t> arriving_;
};

/// scatter of blocks whose lengths only the root knows. Gives: what the root has.
template <class Element, class Gives, class Out>
class any_scatter {
 public:
  any_scatter(int root, std::optional<Gives> given, Out out)
      : root_{root}, given_{std::move(given)}, out_{std::move(out)} {
    if (given_) going_.assign(given_->bytes().begin(), given_->bytes().end());
  }
  void refresh(const location& where) {
    if (given_) given_->refresh(where);
  }
  collective_call first() {
    collective_call call = call_of(collective::scatter, root_, sizeof(mine_));
    call.send = going_.data();
    call.receive = &mine_;
    call.element_type = type_of<Element>();
    return call;
  }
  bool second(collective_call& call) {
    call = call_of(collective::scatter, root_, mine_);
    call.varying = true;
    if (given_) {
      call.send = given_->data();
      call.send_bytes = going_.data();
      call.send_offsets = given_->offsets();
    }
    call.element_type = type_of<Element>();
    return true;
  }
  void make_room(collective_call& call) {
    out_.make_room(lengths{&mine_, 1});
    call.receive = out_.data();
  }
  decltype(auto) take(const location& where) { return out_.take(where); }
  decltype(auto) view() { return out_.view(); }

 private:
  int root_;
  std::optional<Gives> given_;
  Out out_;
  std::vector<std::uint64_t> going_;
  std::uint64_t mine_ = 0;
};

/// alltoall and neighbor_alltoall of blocks that differ in length.
template <class Element, class Gives, class Out>
class any_alltoall {
 public:
  any_alltoall(collective kind, std::size_t arriving, Gives given, Out out)
      : kind_{kind},
        given_{std::move(given)},
        out_{std::move(out)},
        going_(given_.bytes().begin(), given_.bytes().end()),
        arriving_(arriving) {}
  void refresh(const location& where) { given_.refresh(where); }
  collective_call first() {
    collective_call call = call_of(kind_, 0, sizeof(std::uint64_t));
    call.send = going_.data();
    call.receive = arriving_.data();
    call.element_type = type_of<Element>();
    return call;
  }
  bool second(collective_call& call) {
    call = call_of(kind_, 0, 0);
    call.varying = true;
    call.send = given_.data();
    call.send_bytes = going_.data();
    call.send_offsets = given_.offsets();
    call.receive_bytes = arriving_.data();
    call.element_type = type_of<Element>();
    return true;
  }
  void make_room(collective_call& call) {
    out_.make_room(arriving_);
    call.receive = out_.data();
  }
  decltype(auto) take(const location& where) { return out_.take(where); }
  decltype(auto) view() { return out_.view(); }

 private:
  collective kind_;
  Gives given_;
  Out out_;
  std::vector<std::uint64_t> going_;
  std::vector<std::uint64_t> arriving_;
};

}  // namespace peal::detail
