// peal/detail/request_body.hpp
// What stands behind a request: an operation, or something made of several, and the memory that it
// works on.
//
// Threads  `fire` runs in whatever thread makes progress; everything else in the thread that owns
//          the request.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

#include <peal/data/buffer.hpp>
#include <peal/detail/core.hpp>
#include <peal/status.hpp>

namespace peal::detail {

/// Something to be called once when an operation ends. It may outlive what waits for it: one
/// reference is the waiter's, one the operation's.
class hook {
 public:
  hook() = default;
  hook(const hook&) = delete;
  hook& operator=(const hook&) = delete;

  /// For on_finish. Gives the operation's reference back, also when fire throws.
  static void call(void* self) {
    auto* it = static_cast<hook*>(self);
    struct giver_back {
      hook* it;
      ~giver_back() { it->give_back(); }
    } guard{it};
    it->fire();
  }
  void take() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void give_back() noexcept {
    // acq_rel: the side that deletes sees what the other side has written.
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  virtual ~hook() = default;

 private:
  virtual void fire() = 0;
  std::atomic<int> references_{1};
};

/// The part of a request that does not depend on its value.
class body_base {
 public:
  operation* op = nullptr;  // null in what is made of other requests

  body_base() = default;
  body_base(const body_base&) = delete;
  body_base& operator=(const body_base&) = delete;

  /// An operation that must finish before this does; null when there is none left.
  virtual operation* pending() noexcept { return finished(*op) ? nullptr : op; }
  /// Whether what follows the operations (a continuation) is over too. Read by any thread.
  virtual bool settled() noexcept { return true; }
  virtual bool cancel_all() { return cancel(*op); }
  /// Calls the hook once when all is over, at once if it is. Takes a reference.
  virtual void subscribe(hook& to) {
    to.take();
    on_finish(*op, &hook::call, &to);
  }
  virtual status status_now() noexcept { return status_of(result_of(*op)); }
  /// The request is over, or was dropped: gives back what there is.
  virtual void abandon() noexcept {
    drop(op);
    delete this;
  }

 protected:
  virtual ~body_base() = default;
};

template <class T>
class body : public body_base {
 public:
  /// The value. With an error: throws it or, where `error` is given, stores it there and returns
  /// what there is.
  virtual T take(std::error_code* error) = 0;
};

/// What a request returns that has failed and whose owner does not want an exception.
template <class T>
T nothing_of() {
  if constexpr (std::is_void_v<T>) return;
  else if constexpr (std::default_initializable<T>) return T{};
  else
    fail(errc::invalid_argument,
         "wait(error) needs a default value of the request's type to return after an error", -1,
         location::current());
}

/// Whether the operation has failed: true with the error stored, or an exception.
inline bool failed(operation& op, std::error_code* error) {
  const std::error_code& end = result_of(op).error;
  if (!end) [[likely]]
    return false;
  if (!error) raise(op);
  *error = end;
  return true;
}

/// Of a send that owns its buffer. The runtime finishes it, also when the request is dropped.
template <class T>
class owned_send final : public body<T> {
 public:
  explicit owned_send(T&& value) : value_{std::move(value)} {}
  [[nodiscard]] T& value() noexcept { return value_; }

  T take(std::error_code* error) override {
    (void)failed(*this->op, error);
    return std::move(value_);
  }
  void abandon() noexcept override {
    drop(this->op, &owned_send::free, static_cast<body_base*>(this));
  }

 private:
  static void free(void* self) noexcept {
    delete static_cast<owned_send*>(static_cast<body_base*>(self));
  }
  T value_;
};

/// Of a send whose message is a packed copy: nothing to give back to the user.
class packed_send final : public body<void> {
 public:
  explicit packed_send(std::vector<std::byte>&& bytes) noexcept : bytes_{std::move(bytes)} {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

  void take(std::error_code* error) override { (void)failed(*op, error); }
  void abandon() noexcept override { drop(op, &packed_send::free, static_cast<body_base*>(this)); }

 private:
  static void free(void* self) noexcept {
    delete static_cast<packed_send*>(static_cast<body_base*>(self));
  }
  std::vector<std::byte> bytes_;
};

/// As packed_send, and gives the value back that it was made of.
template <class T>
class packed_owned_send final : public body<T> {
 public:
  explicit packed_owned_send(T&& value) : value_{std::move(value)}, bytes_{pack(value_)} {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

  T take(std::error_code* error) override {
    (void)failed(*this->op, error);
    return std::move(value_);
  }
  void abandon() noexcept override {
    drop(this->op, &packed_owned_send::free, static_cast<body_base*>(this));
  }

 private:
  static void free(void* self) noexcept {
    delete static_cast<packed_owned_send*>(static_cast<body_base*>(self));
  }
  T value_;
  std::vector<std::byte> bytes_;
};

/// What decoding throws, with the peer and the place of the call; or as a code.
[[noreturn]] PEAL_EXPORT void rethrow_decode_error(const error&, int peer, const location&);

template <class T>
T take_value(incoming<T>& from, const outcome& end, const location& where) {
  try {
    return from.take(end.bytes);
  } catch (const error& e) {
    rethrow_decode_error(e, end.source, where);
  }
}

/// Of irecv<T>.
template <class T>
class receive_body final : public body<T> {
 public:
  incoming<T> value;

  T take(std::error_code* error) override {
    if (failed(*this->op, error)) return nothing_of<T>();
    if (!error) return take_value(value, result_of(*this->op), origin_of(*this->op));
    try {
      return value.take(result_of(*this->op).bytes);
    } catch (const peal::error& e) {
      *error = e.code();
      return nothing_of<T>();
    }
  }
};

/// Of irecv_into with a strided view.
template <strided_view View>
class strided_receive final : public body<status> {
 public:
  explicit strided_receive(const View& into)
      : into_{into}, raw_{elements_of(into) * sizeof(typename View::element_type)} {}
  [[nodiscard]] const raw_memory& raw() const noexcept { return raw_; }

  status take(std::error_code* error) override {
    if (failed(*op, error)) return status_now();
    unpack(into_, raw_.view().first(result_of(*op).bytes));
    return status_now();
  }

 private:
  View into_;
  raw_memory raw_;
};

// ---- waiting
inline bool is_over(body_base& it) noexcept { return it.pending() == nullptr && it.settled(); }

inline bool wait_for_body(body_base& it, time_point deadline = never) {
  while (operation* next = it.pending())
    if (!wait(*next, deadline)) return false;
  return it.settled() ||
         wait_until([](void* all) { return static_cast<body_base*>(all)->settled(); }, &it,
                    deadline);
}

}  // namespace peal::detail
