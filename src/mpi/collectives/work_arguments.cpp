// What work does about arguments that are wrong.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "mpi/collectives/work.hpp"

namespace peal::mpi {

namespace {

constexpr argument_names names_of_sent = {
    {"count", "sendcount"}, {"datatype", "sendtype"}, {"buf", "sendbuf"}};
constexpr argument_names names_of_received = {
    {"count", "recvcount"}, {"datatype", "recvtype"}, {"buf", "recvbuf"}};
constexpr argument_names names_of_passed_on = {{"buf", "buffer"}};

// Only those that exchange have two arrays of displacements.
constexpr argument_names names_of_sent_arrays = {{"count", "sendcounts"},
                                                 {"counts", "sendcounts"},
                                                 {"datatype", "sendtype"},
                                                 {"buf", "sendbuf"}};
constexpr argument_names names_of_received_arrays = {{"count", "recvcounts"},
                                                     {"counts", "recvcounts"},
                                                     {"datatype", "recvtype"},
                                                     {"buf", "recvbuf"}};
constexpr argument_names names_of_sent_in_exchange = {{"count", "sendcounts"},
                                                      {"counts", "sendcounts"},
                                                      {"displs", "sdispls"},
                                                      {"datatype", "sendtype"},
                                                      {"buf", "sendbuf"}};
constexpr argument_names names_of_sent_types = {{"count", "sendcounts"},   {"counts", "sendcounts"},
                                                {"displs", "sdispls"},     {"types", "sendtypes"},
                                                {"datatype", "sendtypes"}, {"buf", "sendbuf"}};
constexpr argument_names names_of_received_in_exchange = {{"count", "recvcounts"},
                                                          {"counts", "recvcounts"},
                                                          {"displs", "rdispls"},
                                                          {"datatype", "recvtype"},
                                                          {"buf", "recvbuf"}};
constexpr argument_names names_of_received_types = {
    {"count", "recvcounts"}, {"counts", "recvcounts"},  {"displs", "rdispls"},
    {"types", "recvtypes"},  {"datatype", "recvtypes"}, {"buf", "recvbuf"}};

}  // namespace

const outgoing& work::add_sent(const block& from, int blocks) {
  return with_names(names_of_sent, [&]() -> const outgoing& {
    need(from.count >= 0, MPI_ERR_COUNT, "count", from.count, "it must not be negative");
    return sent_.emplace_back(from.buffer, from.count * blocks, from.type);
  });
}

const incoming& work::add_received(const block& into, int blocks) {
  const bool passes_on = call_.kind == detail::collective::bcast;
  return with_names(passes_on ? names_of_passed_on : names_of_received, [&]() -> const incoming& {
    need(into.count >= 0, MPI_ERR_COUNT, "count", into.count, "it must not be negative");
    return received_.emplace_back(const_cast<void*>(into.buffer), into.count * blocks, into.type);
  });
}

argument_names work::names_of_arrays(const block_array& all, bool receives) const noexcept {
  if (all.types.is_given) return receives ? names_of_received_types : names_of_sent_types;
  const bool exchanges = call_.kind == detail::collective::alltoall ||
                         call_.kind == detail::collective::neighbor_alltoall;
  if (receives) return exchanges ? names_of_received_in_exchange : names_of_received_arrays;
  return exchanges ? names_of_sent_in_exchange : names_of_sent_arrays;
}

void check_arrays(const block_array& all, int blocks) {
  if (blocks == 0) return;
  if (!all.counts.exists()) fail(MPI_ERR_ARG, "counts is a null pointer");
  if (!all.displacements.exists()) fail(MPI_ERR_ARG, "displs is a null pointer");
  if (all.types.is_given) need_place(all.types.first, "types");
}

void work::check_apart() const {
  if (call_.in_place || call_.send == nullptr || call_.receive == nullptr) return;
  // Each of the two is one block, or an array of them.
  const bool sends_array = send_blocks_.base != nullptr,
             gets_array = receive_blocks_.base != nullptr;
  if (send_blocks_.copy || receive_blocks_.copy) return;
  memory_range sent{static_cast<const std::byte*>(call_.send), call_.bytes};
  memory_range received{static_cast<const std::byte*>(call_.receive), call_.bytes};
  if (op_) {
    if (raw_from_ || raw_into_ || groups_ || gathered_) return;
    if (call_.kind == detail::collective::reduce_scatter)
      sent.bytes =
          call_.send_bytes == nullptr
              ? call_.bytes * static_cast<std::size_t>(size_)
              : std::accumulate(call_.send_bytes, call_.send_bytes + size_, std::size_t{0});
    return need_apart(sent, received);
  }
  if (!sends_array) {
    if (sent_.empty() || sent_.back().is_copy()) return;
    sent.bytes = sent_.back().bytes();
  }
  if (!gets_array) {
    if (received_.empty() || received_.back().is_copy()) return;
    received.bytes = received_.back().room();
  }
  const auto block_of = [](const placed& all, std::size_t which) {
    return memory_range{all.base + all.offsets[which], all.bytes[which]};
  };
  const std::size_t sends = sends_array ? send_blocks_.bytes.size() : 1;
  const std::size_t gets = gets_array ? receive_blocks_.bytes.size() : 1;
  const std::size_t most = std::max(sends, gets);
  for (std::size_t each = 0; each != most; ++each) {
    if (sends_array && each < sends) sent = block_of(send_blocks_, each);
    if (gets_array && each < gets) received = block_of(receive_blocks_, each);
    if ((!sends_array || each < sends) && (!gets_array || each < gets)) need_apart(sent, received);
  }
}

}  // namespace peal::mpi
