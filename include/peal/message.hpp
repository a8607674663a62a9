// peal/message.hpp
// A message that a probe took out of matching: no other call can receive it.
//
// Errors   as the receives of communicator. A message destroyed without having been received is
//          thrown away.
#pragma once

#include <source_location>
#include <utility>

#include <peal/data/buffer.hpp>
#include <peal/data/grow.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/owner.hpp>
#include <peal/detail/request_body.hpp>
#include <peal/requests/request.hpp>
#include <peal/status.hpp>

namespace peal {

/// Move-only; can be received once.
class message {
 public:
  /// @{
  /// Leaves `from` without a message.
  message(message&& from) noexcept
      : taken_{std::exchange(from.taken_, nullptr)}, status_{from.status_} {}
  message& operator=(message&& from) noexcept {
    message other{std::move(from)};
    std::swap(taken_, other.taken_);  // what was here before goes with `other`
    std::swap(status_, other.status_);
    return *this;
  }
  /// @}
  /// A message that was not received is thrown away.
  ~message() {
    if (taken_) detail::discard(taken_);
  }
  /// For the library.
  message(detail::matched_message* taken, const peal::status& known) noexcept
      : taken_{taken}, status_{known} {}

  /// Source, tag and length.
  [[nodiscard]] const peal::status& status() const noexcept { return status_; }

  /// The value, or a container as long as the message.
  template <receivable T>
  [[nodiscard]] T recv(const std::source_location& where = std::source_location::current()) && {
    return std::move(*this).irecv<T>(where).wait();
  }
  /// Fills from the start. A message that is longer throws errc::truncated.
  template <recv_buffer B>
  peal::status recv_into(B&& into,
                         const std::source_location& where = std::source_location::current()) && {
    if constexpr (strided_view<B>) {
      detail::raw_memory raw{detail::elements_of(into) * sizeof(*into.data_handle())};
      const peal::status end = request<peal::status>{start(raw.data(), raw.size(), where)}.wait();
      detail::unpack(into, raw.view().first(end.bytes));
      return end;
    } else {
      const auto room = detail::room_of(into);
      return request<peal::status>{start(room.data(), room.size(), where)}.wait();
    }
  }
  /// The container is made as long as the message: recv_into(peal::grow(v)).
  template <class C>
  peal::status recv_into(grow_buffer<C> into,
                         const std::source_location& where = std::source_location::current()) && {
    const detail::growing_buffer room = into.buffer();
    void* const to = room.allocate(room.owner, status_.bytes);
    if (to == nullptr)
      detail::fail(errc::no_space, "no memory for the message", status_.source, where);
    request<peal::status>{start(to, status_.bytes, where)}.wait();
    return into.checked({status_.tag.value(), status_.source, status_.bytes, {}}, where);
  }
  /// As recv, later.
  template <receivable T>
  [[nodiscard]] request<T> irecv(
      const std::source_location& where = std::source_location::current()) && {
    auto made = detail::make_owner<detail::receive_body<T>>();
    void* to = nullptr;
    if constexpr (fixed<T>) {
      made->op = start(made->value.data(), sizeof(T), where);
    } else {
      to = made->value.allocate(&made->value, status_.bytes);
      if (to == nullptr)
        detail::fail(errc::no_space, "no memory for the message", status_.source, where);
      made->op = start(to, status_.bytes, where);
    }
    return request<T>{made.release()};
  }

 private:
  detail::operation* start(void* data, std::size_t capacity, const std::source_location& where) {
    if (!taken_)
      detail::fail(errc::invalid_argument, "this message was received already, or moved from", -1,
                   where);
    return detail::start_recv_matched(std::exchange(taken_, nullptr), data, capacity, where);
  }
  detail::matched_message* taken_;
  peal::status status_;
};

}  // namespace peal
