#include "mpi/collectives/work.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mpi/datatypes/packing/packing.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"
#include "mpi/topologies/topology.hpp"

namespace peal::mpi {

namespace {

/// What stands for memory where there is nothing: a null pointer would mean something else.
std::byte nothing;

const void* or_nothing(const void* data) noexcept { return data == nullptr ? &nothing : data; }
void* or_nothing(void* data) noexcept { return data == nullptr ? &nothing : data; }

}  // namespace

work::work(detail::collective kind, MPI_Comm comm) : work{kind, communicator_of(comm)} {}

work::work(detail::collective kind, const communicator& on)
    : on_{on.state},
      comm_{&on},
      size_{detail::size_of(*on_)},
      rank_{detail::rank_of(*on_)},
      remote_first_{on.remote_first},
      remote_size_{on.remote_size} {
  call_.kind = kind;
  if (kind == detail::collective::neighbor_allgather ||
      kind == detail::collective::neighbor_alltoall)
    set_neighbors(on);
}

void work::set_neighbors(const communicator& on) {
  need_neighbors(on);
  near_ = &detail::neighbors_of(*on_);
  outgoing_ = static_cast<int>(near_->destinations.size());
  incoming_ = static_cast<int>(near_->sources.size());
  // What is sent is as long as what others receive, not as what is received here.
  call_.varying = true;
}

bool work::has_neighbor(std::size_t block, bool receives) const noexcept {
  if (near_ == nullptr) return true;
  return (receives ? near_->sources : near_->destinations)[block] != detail::proc_null_value;
}

work::~work() { detail::discard(prepared_); }

void work::load(const to_load& one) noexcept {
  if (one.type) pack(one.type->plan(), one.from, one.count, 0, one.into, one.bytes);
  else if (one.bytes != 0) std::memcpy(one.into, one.from, one.bytes);
}

void work::load_now_and_again(to_load one) {
  load(one);
  before_.push_back(std::move(one));
}

void work::load_again(const outgoing& copy, const block& from, std::int64_t count) {
  auto* const into = static_cast<std::byte*>(const_cast<void*>(copy.data()));
  before_.push_back(
      {committed_datatype_of(from.type).shared, from.buffer, count, into, copy.bytes()});
}

void work::load_received() {
  received_.back().load();
  loads_received_ = true;
}

void work::set_root(int root) {
  need(root >= 0 && root < size_, MPI_ERR_ROOT, "root", root, "it is no rank of the communicator");
  call_.root = root;
}

void work::send(const block& from, int blocks) {
  const outgoing& made = add_sent(from, blocks);
  if (made.is_copy()) load_again(made, from, from.count * blocks);
  call_.send = or_nothing(made.data());
  call_.bytes = made.bytes() / static_cast<std::size_t>(blocks);
}

void work::receive(const block& into, int blocks) {
  const incoming& made = add_received(into, blocks);
  call_.receive = or_nothing(made.data());
  call_.bytes = made.room() / static_cast<std::size_t>(blocks);
}

void work::receive_in_place(const block& into, int blocks) {
  receive(into, blocks);
  load_received();
  call_.in_place = true;
}

void work::pass_on(const block& data) {
  receive(data);
  if (is_root()) load_received();
}

void work::exchange_with_neighbors(const block& from, int sent_blocks, const block& into) {
  const outgoing& sent = add_sent(from, sent_blocks);
  if (sent.is_copy()) load_again(sent, from, from.count * sent_blocks);
  const incoming& received = add_received(into, incoming_);
  if (std::ranges::count(near_->sources, detail::proc_null_value) != 0) load_received();
  call_.send = or_nothing(sent.data());
  call_.receive = or_nothing(received.data());
  if (sent_blocks != 0) call_.bytes = sent.bytes() / static_cast<std::size_t>(sent_blocks);
  if (incoming_ == 0) return;
  const std::size_t count = near_->sources.size(), bytes = received.room() / count;
  receive_blocks_.bytes.assign(count, bytes);
  call_.receive_bytes = receive_blocks_.bytes.data();
}

void work::exchange_in_place(const block& into) {
  receive(into, size_);
  send(into, size_);
  if (!sent_.back().is_copy()) {
    sent_.back().make_copy();
    load_again(sent_.back(), into, into.count * size_);
  }
  call_.send = or_nothing(sent_.back().data());
}

/// `loads`: a copy begins with what is in the buffer. `unpacks`: it goes back in the end.
work::placed work::place_blocks(const block_array& all, bool loads, bool unpacks,
                                bool always_copies) {
  const auto count = static_cast<std::size_t>(unpacks ? incoming_ : outgoing_);
  check_arrays(all, static_cast<int>(count));
  placed found;
  found.bytes.resize(count);
  found.offsets.resize(count);
  std::vector<definition_pointer> types(count);  // null: nobody is there
  std::vector<std::int64_t> at(count);           // from the buffer, in bytes
  // Without a buffer displacements are addresses.
  bool in_one_block = all.buffer != nullptr && !always_copies;
  std::size_t total = 0;
  for (std::size_t each = 0; each != count; ++each) {
    if (!has_neighbor(each, unpacks)) continue;
    types[each] =
        committed_datatype_of(all.types.is_given ? all.types.first[each] : all.type).shared;
    const definition& type = *types[each];
    found.bytes[each] = static_cast<std::size_t>(bytes_of(type, all.counts[each]));
    const std::int64_t unit = all.types.is_given ? 1 : type.extent();
    at[each] = all.displacements[each] * unit;
    if (all.buffer <= MPI_IN_PLACE) [[unlikely]]
      need_memory(all.buffer, type, all.counts[each] * type.size(), "buf", at[each]);
    const plan& by = type.plan();
    in_one_block &= by.is_contiguous() && by.offset() + at[each] >= 0;
    total += found.bytes[each];
  }
  auto* const buffer = static_cast<std::byte*>(const_cast<void*>(all.buffer));
  if (in_one_block) {
    found.base = buffer;
    for (std::size_t each = 0; each != count; ++each)
      if (types[each])
        found.offsets[each] = static_cast<std::size_t>(at[each] + types[each]->plan().offset());
    return found;
  }
  found.copy.reset(new std::byte[total]);
  found.base = found.copy.get();
  std::size_t offset = 0;
  for (std::size_t each = 0; each != count; ++each) {
    if (!types[each]) continue;
    found.offsets[each] = offset;
    std::byte* const place = buffer + at[each];
    if (loads)
      load_now_and_again(
          {types[each], place, all.counts[each], found.base + offset, found.bytes[each]});
    if (unpacks)
      after_.push_back(
          {types[each], place, all.counts[each], found.base + offset, found.bytes[each]});
    offset += found.bytes[each];
  }
  return found;
}

void work::send(const block_array& from, bool always_copies) {
  with_names(names_of_arrays(from, false),
             [&] { send_blocks_ = place_blocks(from, true, false, always_copies); });
  call_.varying = true;
  call_.send = or_nothing(static_cast<const void*>(send_blocks_.base));
  call_.send_bytes = send_blocks_.bytes.data();
  call_.send_offsets = send_blocks_.offsets.data();
}

void work::receive(const block_array& into) {
  with_names(names_of_arrays(into, true),
             [&] { receive_blocks_ = place_blocks(into, false, true); });
  call_.varying = true;
  call_.receive = or_nothing(static_cast<void*>(receive_blocks_.base));
  call_.receive_bytes = receive_blocks_.bytes.data();
  call_.receive_offsets = receive_blocks_.offsets.data();
}

void work::receive_in_place(const block_array& into) {
  with_names(names_of_arrays(into, true),
             [&] { receive_blocks_ = place_blocks(into, true, true); });
  call_.varying = call_.in_place = true;
  call_.receive = or_nothing(static_cast<void*>(receive_blocks_.base));
  call_.receive_bytes = receive_blocks_.bytes.data();
  call_.receive_offsets = receive_blocks_.offsets.data();
  call_.bytes = receive_blocks_.bytes[static_cast<std::size_t>(rank_)];
}

void work::exchange_in_place(const block_array& into) {
  receive(into);
  send(into, true);
}

/// Elements with gaps are joined in copies that have these gaps, too.
void work::take_raw(const void* from, void* into, std::int64_t count,
                    const definition_pointer& type) {
  const layout& of = type->layout();
  const std::int64_t lower = of.lower;
  op_->take_from_lower_bound();
  const auto bytes = static_cast<std::size_t>(of.extent() * count);
  if (from != nullptr) {
    raw_from_.reset(new std::byte[bytes + 1]);
    load_now_and_again(
        {nullptr, static_cast<const std::byte*>(from) + lower, 0, raw_from_.get(), bytes});
    call_.send = raw_from_.get();
  }
  if (into == nullptr) return;
  raw_into_.reset(new std::byte[bytes + 1]);
  load_now_and_again({nullptr, static_cast<std::byte*>(into) + lower, 0, raw_into_.get(), bytes});
  call_.receive = raw_into_.get();
}

void work::join(const void* from, void* into, std::int64_t count, MPI_Datatype type, MPI_Op op) {
  op_.emplace(op, type);
  const definition_pointer& shared = committed_datatype_of(type).shared;
  const std::int64_t bytes = bytes_of(*shared, count);
  call_.bytes = static_cast<std::size_t>(count) * op_->element_bytes();
  op_->set(call_);
  const bool in_place = from == MPI_IN_PLACE;
  if (!in_place) need_memory(from, *shared, bytes, "sendbuf");
  if (call_.kind != detail::collective::reduce || is_root())
    need_memory(into, *shared, bytes, "recvbuf");
  call_.in_place = in_place;
  const void* const sent = in_place ? nullptr : from;
  if (shared->plan().is_contiguous() && shared->layout().lower == 0) {
    if (!in_place) call_.send = or_nothing(sent);
    if (into != nullptr || in_place || call_.kind != detail::collective::reduce || is_root())
      call_.receive = or_nothing(into);
    return;
  }
  take_raw(sent, into, count, shared);
  if (raw_into_) after_.push_back({shared, into, count, raw_into_.get(), call_.bytes});
}

void work::join_blocks(const void* from, void* into, number_array counts, std::int64_t equal,
                       MPI_Datatype type, MPI_Op op) {
  op_.emplace(op, type);
  const definition_pointer& shared = committed_datatype_of(type).shared;
  op_->set(call_);
  const auto count = static_cast<std::size_t>(size_);
  if (counts.is_given() && !counts.exists()) fail(MPI_ERR_ARG, "recvcounts is a null pointer");
  std::int64_t all = equal * size_;
  std::int64_t own = equal;
  if (counts.exists()) {
    call_.varying = true;
    send_blocks_.bytes.resize(count);
    all = 0;
    for (std::size_t each = 0; each != count; ++each) {
      need(counts[each] >= 0, MPI_ERR_COUNT, "recvcounts", counts[each], "it must not be negative");
      send_blocks_.bytes[each] = static_cast<std::size_t>(counts[each]) * op_->element_bytes();
      all += counts[each];
    }
    own = counts[static_cast<std::size_t>(rank_)];
    call_.send_bytes = send_blocks_.bytes.data();
  }
  const std::int64_t bytes = with_names({{"count", "recvcount"}}, [&] {
    (void)bytes_of(*shared, own);
    return bytes_of(*shared, all);
  });
  call_.bytes = static_cast<std::size_t>(own) * op_->element_bytes();
  call_.in_place = from == MPI_IN_PLACE;
  if (!call_.in_place) need_memory(from, *shared, bytes, "sendbuf");
  need_memory(into, *shared, call_.in_place ? bytes : bytes_of(*shared, own), "recvbuf");
  const void* const sent = call_.in_place ? nullptr : from;
  if (shared->plan().is_contiguous() && shared->layout().lower == 0) {
    if (!call_.in_place) call_.send = or_nothing(sent);
    call_.receive = or_nothing(into);
    return;
  }
  take_raw(nullptr, into, call_.in_place ? all : own, shared);
  if (sent != nullptr) take_raw(sent, nullptr, all, shared);
  after_.push_back({shared, into, own, raw_into_.get(), call_.bytes});
}

void work::run() {
  detail::run_collective(*on_, call_, place);
  finish();
}

detail::operation* work::start() { return detail::start_collective(*on_, call_, place); }

void work::prepare() { prepared_ = detail::prepare_collective(*on_, call_, place); }

detail::operation* work::start_prepared() {
  for (const to_load& each : before_) load(each);
  if (loads_received_)
    for (incoming& each : received_) each.load();
  if (groups_) load_groups();
  return detail::start_prepared(*prepared_, place);
}

void work::finish() noexcept {
  if (gathered_) gathered_->join();
  for (incoming& each : received_) each.arrived(each.room());
  for (const to_unpack& each : after_) {
    if (!raw_into_) {
      unpack(each.type->plan(), each.into, each.count, 0, each.from, each.bytes);
      continue;
    }
    // Only what the type covers: what lies in the gaps is the program's. Packed and unpacked it
    // goes from one to the other.
    const plan& by = each.type->plan();
    const auto bytes = static_cast<std::size_t>(by.size() * each.count);
    const std::unique_ptr<std::byte[]> packed{new (std::nothrow) std::byte[bytes + 1]};
    if (!packed) continue;
    pack(by, each.from - each.type->layout().lower, each.count, 0, packed.get(), bytes);
    unpack(by, each.into, each.count, 0, packed.get(), bytes);
  }
}

}  // namespace peal::mpi
