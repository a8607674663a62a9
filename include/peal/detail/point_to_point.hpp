// peal/detail/point_to_point.hpp
// The messages of basic_communicator.
#pragma once

#include <optional>
#include <utility>

#include <peal/basic_communicator.hpp>
#include <peal/detail/owner.hpp>

namespace peal {

template <sendable B>
void basic_communicator::send(B&& value, int dest, peal::tag tag, const place& where) const {
  detail::communicator_state& in = state(where);
  detail::with_bytes(value, [&](const void* data, std::size_t bytes) {
    detail::send(in, data, bytes, dest, tag.value(), where);
  });
}

namespace detail {

/// Start: start_send, or another function that sends.
template <auto Start, class B>
request<B> begin_owned_send(communicator_state& in, B&& owned, int dest, peal::tag tag,
                            const location& where) {
  using made_type = std::conditional_t<sent_in_place<B>, owned_send<B>, packed_owned_send<B>>;
  auto made = detail::make_owner<made_type>(std::move(owned));
  std::span<const std::byte> bytes;
  if constexpr (sent_in_place<B>) bytes = bytes_of(made->value());
  else bytes = made->bytes();
  made->op = Start(in, bytes.data(), bytes.size(), dest, tag.value(), where);
  return request<B>{made.release()};
}

template <auto Start, class B>
request<> begin_lent_send(communicator_state& in, const B& lent, int dest, peal::tag tag,
                          const location& where) {
  if constexpr (sent_in_place<B>) {
    const auto bytes = bytes_of(lent);
    return request<>{Start(in, bytes.data(), bytes.size(), dest, tag.value(), where)};
  } else {
    auto made = detail::make_owner<packed_send>(pack(lent));
    made->op = Start(in, made->bytes().data(), made->bytes().size(), dest, tag.value(), where);
    return request<>{made.release()};
  }
}

}  // namespace detail

template <sendable B>
  requires(!lasting<B>)
request<B> basic_communicator::isend(B&& owned, int dest, peal::tag tag, const place& where) const {
  return detail::begin_owned_send<&detail::start_send>(state(where), std::move(owned), dest, tag,
                                                       where);
}

template <sendable B>
  requires lasting<B>
request<> basic_communicator::isend(B&& lent, int dest, peal::tag tag, const place& where) const {
  return detail::begin_lent_send<&detail::start_send>(state(where), lent, dest, tag, where);
}

template <sendable B>
void basic_communicator::ssend(B&& value, int dest, peal::tag tag, const place& where) const {
  detail::begin_lent_send<&detail::start_synchronous_send>(state(where), value, dest, tag, where)
      .wait(where);
}

template <sendable B>
  requires(!lasting<B>)
request<B> basic_communicator::issend(B&& owned, int dest, peal::tag tag,
                                      const place& where) const {
  return detail::begin_owned_send<&detail::start_synchronous_send>(state(where), std::move(owned),
                                                                   dest, tag, where);
}

template <sendable B>
  requires lasting<B>
request<> basic_communicator::issend(B&& lent, int dest, peal::tag tag, const place& where) const {
  return detail::begin_lent_send<&detail::start_synchronous_send>(state(where), lent, dest, tag,
                                                                  where);
}

template <receivable T>
T basic_communicator::recv(int source, peal::tag tag, status* known, const place& where) const {
  detail::communicator_state& in = state(where);
  detail::incoming<T> value;
  detail::outcome end;
  if constexpr (fixed<T>)
    end = detail::recv(in, value.data(), sizeof(T), source, tag.value(), where);
  else end = detail::recv_growing(in, value.buffer(), source, tag.value(), where);
  if (known) *known = detail::status_of(end);
  return detail::take_value(value, end, where);
}

template <recv_buffer B>
status basic_communicator::recv_into(B&& into, int source, peal::tag tag,
                                     const place& where) const {
  detail::communicator_state& in = state(where);
  if constexpr (strided_view<B>) {
    detail::raw_memory raw{detail::elements_of(into) * sizeof(*into.data_handle())};
    const detail::outcome end =
        detail::recv(in, raw.data(), raw.size(), source, tag.value(), where);
    detail::unpack(into, raw.view().first(end.bytes));
    return detail::status_of(end);
  } else {
    const auto room = detail::room_of(into);
    return detail::status_of(
        detail::recv(in, room.data(), room.size(), source, tag.value(), where));
  }
}

template <class C>
status basic_communicator::recv_into(grow_buffer<C> into, int source, peal::tag tag,
                                     const place& where) const {
  return into.checked(detail::recv_growing(state(where), into.buffer(), source, tag.value(), where),
                      where);
}

template <receivable T>
request<T> basic_communicator::irecv(int source, peal::tag tag, const place& where) const {
  auto made = detail::make_owner<detail::receive_body<T>>();
  if constexpr (fixed<T>)
    made->op =
        detail::start_recv(state(where), made->value.data(), sizeof(T), source, tag.value(), where);
  else
    made->op =
        detail::start_recv_growing(state(where), made->value.buffer(), source, tag.value(), where);
  return request<T>{made.release()};
}

template <recv_buffer B>
  requires lasting<B>
request<status> basic_communicator::irecv_into(B&& into, int source, peal::tag tag,
                                               const place& where) const {
  detail::communicator_state& in = state(where);
  if constexpr (strided_view<B>) {
    auto made = detail::make_owner<detail::strided_receive<std::remove_cvref_t<B>>>(into);
    made->op =
        detail::start_recv(in, made->raw().data(), made->raw().size(), source, tag.value(), where);
    return request<status>{made.release()};
  } else {
    const auto room = detail::room_of(into);
    return request<status>{
        detail::start_recv(in, room.data(), room.size(), source, tag.value(), where)};
  }
}

template <class C>
request<status> basic_communicator::irecv_into(grow_buffer<C> into, int source, peal::tag tag,
                                               const place& where) const {
  auto made = detail::make_owner<detail::growing_receive<C>>();
  made->op = detail::start_recv_growing(state(where), into.buffer(), source, tag.value(), where);
  return request<status>{made.release()};
}

template <receivable R, sendable B>
R basic_communicator::sendrecv(B&& value, int dest, int source, peal::tag tag,
                               const place& where) const {
  return sendrecv<R>(value, dest, tag, source, tag, where);
}

template <receivable R, sendable B>
R basic_communicator::sendrecv(B&& value, int dest, peal::tag sent, int source, peal::tag received,
                               const place& where) const {
  request<> under_way = isend(std::as_const(value), dest, sent, where);
  if constexpr (std::default_initializable<R>) {
    R got = recv<R>(source, received, nullptr, where);
    under_way.wait();
    return got;
  } else {
    request<R> got = irecv<R>(source, received, where);
    under_way.wait();
    return got.wait();
  }
}

template <sendable B, class R>
  requires(recv_buffer<R> || detail::grown<R>)
status basic_communicator::sendrecv_into(B&& value, int dest, R&& into, int source, peal::tag tag,
                                         const place& where) const {
  return sendrecv_into(value, dest, tag, into, source, tag, where);
}

template <sendable B, class R>
  requires(recv_buffer<R> || detail::grown<R>)
status basic_communicator::sendrecv_into(B&& value, int dest, peal::tag sent, R&& into, int source,
                                         peal::tag received, const place& where) const {
  request<> under_way = isend(std::as_const(value), dest, sent, where);
  const status known = recv_into(into, source, received, where);
  under_way.wait();
  return known;
}

inline status basic_communicator::probe(int source, peal::tag tag, const place& where) const {
  return detail::status_of(detail::probe(state(where), source, tag.value(), where));
}

inline std::optional<status> basic_communicator::iprobe(int source, peal::tag tag,
                                                        const place& where) const {
  detail::outcome known;
  if (!detail::try_probe(state(where), source, tag.value(), known, where)) return std::nullopt;
  return detail::status_of(known);
}

inline message basic_communicator::mprobe(int source, peal::tag tag, const place& where) const {
  detail::outcome known;
  detail::matched_message* taken =
      detail::probe_take(state(where), source, tag.value(), known, where);
  return {taken, detail::status_of(known)};
}

inline std::optional<message> basic_communicator::improbe(int source, peal::tag tag,
                                                          const place& where) const {
  detail::outcome known;
  detail::matched_message* taken =
      detail::try_probe_take(state(where), source, tag.value(), known, where);
  if (!taken) return std::nullopt;
  return std::optional<message>{std::in_place, taken, detail::status_of(known)};
}

}  // namespace peal
