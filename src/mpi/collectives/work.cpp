#include "mpi/collectives/work.hpp"

#include <cstring>
#include <numeric>

#include "mpi/datatypes/packing/packing.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

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
      size_{detail::size_of(*on_)},
      rank_{detail::rank_of(*on_)},
      remote_first_{on.remote_first},
      remote_size_{on.remote_size} {
  call_.kind = kind;
}

void work::set_root(int root) {
  need(root >= 0 && root < size_, MPI_ERR_ROOT, "root", root, "it is no rank of the communicator");
  call_.root = root;
}

void work::send(const block& from, int blocks) {
  need(from.count >= 0, MPI_ERR_COUNT, "count", from.count, "it must not be negative");
  const outgoing& made = sent_.emplace_back(from.buffer, from.count * blocks, from.type);
  call_.send = or_nothing(made.data());
  call_.bytes = made.bytes() / static_cast<std::size_t>(blocks);
}

void work::receive(const block& into, int blocks) {
  need(into.count >= 0, MPI_ERR_COUNT, "count", into.count, "it must not be negative");
  const incoming& made =
      received_.emplace_back(const_cast<void*>(into.buffer), into.count * blocks, into.type);
  call_.receive = or_nothing(made.data());
  call_.bytes = made.room() / static_cast<std::size_t>(blocks);
}

void work::receive_in_place(const block& into, int blocks) {
  receive(into, blocks);
  received_.back().load();
  call_.in_place = true;
}

void work::pass_on(const block& data) {
  receive(data);
  if (is_root()) received_.back().load();
}

void work::exchange_in_place(const block& into) {
  send(into, size_);
  sent_.back().make_copy();
  call_.send = or_nothing(sent_.back().data());
  receive(into, size_);
}

/// `loads`: a copy begins with what is in the buffer. `unpacks`: it goes back in the end.
work::placed work::place_blocks(const block_array& all, bool loads, bool unpacks) {
  const auto count = static_cast<std::size_t>(size_);
  placed found;
  found.bytes.resize(count);
  found.offsets.resize(count);
  std::vector<definition_pointer> types(count);
  std::vector<std::int64_t> at(count);  // from the buffer, in bytes
  bool in_one_block = true;
  std::int64_t packed = 0;
  std::size_t total = 0;
  for (std::size_t each = 0; each != count; ++each) {
    types[each] = committed_datatype_of(all.types != nullptr ? all.types[each] : all.type).shared;
    const definition& type = *types[each];
    found.bytes[each] = static_cast<std::size_t>(bytes_of(type, all.counts[each]));
    const std::int64_t unit = all.types != nullptr ? 1 : type.extent();
    at[each] = (all.displacements.exists() ? all.displacements[each] : packed) * unit;
    packed += all.counts[each];
    const plan& by = type.plan();
    in_one_block &= by.is_contiguous() && by.offset() + at[each] >= 0;
    total += found.bytes[each];
  }
  auto* const buffer = static_cast<std::byte*>(const_cast<void*>(all.buffer));
  if (in_one_block) {
    found.base = buffer;
    for (std::size_t each = 0; each != count; ++each)
      found.offsets[each] = static_cast<std::size_t>(at[each] + types[each]->plan().offset());
    return found;
  }
  found.copy.reset(new std::byte[total]);
  found.base = found.copy.get();
  std::size_t offset = 0;
  for (std::size_t each = 0; each != count; ++each) {
    found.offsets[each] = offset;
    std::byte* const place = buffer + at[each];
    if (loads)
      pack(types[each]->plan(), place, all.counts[each], 0, found.base + offset, found.bytes[each]);
    if (unpacks)
      after_.push_back(
          {types[each], place, all.counts[each], found.base + offset, found.bytes[each]});
    offset += found.bytes[each];
  }
  return found;
}

void work::send(const block_array& from) {
  send_blocks_ = place_blocks(from, true, false);
  call_.varying = true;
  call_.send = or_nothing(static_cast<const void*>(send_blocks_.base));
  call_.send_bytes = send_blocks_.bytes.data();
  call_.send_offsets = send_blocks_.offsets.data();
}

void work::receive(const block_array& into) {
  receive_blocks_ = place_blocks(into, false, true);
  call_.varying = true;
  call_.receive = or_nothing(static_cast<void*>(receive_blocks_.base));
  call_.receive_bytes = receive_blocks_.bytes.data();
  call_.receive_offsets = receive_blocks_.offsets.data();
}

void work::receive_in_place(const block_array& into) {
  receive_blocks_ = place_blocks(into, true, true);
  call_.varying = call_.in_place = true;
  call_.receive = or_nothing(static_cast<void*>(receive_blocks_.base));
  call_.receive_bytes = receive_blocks_.bytes.data();
  call_.receive_offsets = receive_blocks_.offsets.data();
  call_.bytes = receive_blocks_.bytes[static_cast<std::size_t>(rank_)];
}

void work::exchange_in_place(const block_array& into) {
  receive(into);
  // What is sent lies in a copy, packed.
  const auto count = static_cast<std::size_t>(size_);
  send_blocks_.bytes = receive_blocks_.bytes;
  send_blocks_.offsets.resize(count);
  std::exclusive_scan(send_blocks_.bytes.begin(), send_blocks_.bytes.end(),
                      send_blocks_.offsets.begin(), std::size_t{0});
  send_blocks_.copy.reset(
      new std::byte[send_blocks_.offsets.back() + send_blocks_.bytes.back() + 1]);
  send_blocks_.base = send_blocks_.copy.get();
  placed now = place_blocks(into, true, false);
  for (std::size_t each = 0; each != count; ++each)
    if (now.bytes[each] != 0)
      std::memcpy(send_blocks_.base + send_blocks_.offsets[each], now.base + now.offsets[each],
                  now.bytes[each]);
  call_.send = send_blocks_.base;
  call_.send_bytes = send_blocks_.bytes.data();
  call_.send_offsets = send_blocks_.offsets.data();
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
    if (bytes != 0)
      std::memcpy(raw_from_.get(), static_cast<const std::byte*>(from) + lower, bytes);
    call_.send = raw_from_.get();
  }
  if (into == nullptr) return;
  raw_into_.reset(new std::byte[bytes + 1]);
  if (bytes != 0) std::memcpy(raw_into_.get(), static_cast<std::byte*>(into) + lower, bytes);
  call_.receive = raw_into_.get();
}

void work::join(const void* from, void* into, std::int64_t count, MPI_Datatype type, MPI_Op op) {
  op_ = std::make_unique<joining>(op, type);
  const definition_pointer& shared = committed_datatype_of(type).shared;
  (void)bytes_of(*shared, count);
  call_.bytes = static_cast<std::size_t>(count) * op_->element_bytes();
  op_->set(call_);
  const bool in_place = from == MPI_IN_PLACE;
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
  op_ = std::make_unique<joining>(op, type);
  const definition_pointer& shared = committed_datatype_of(type).shared;
  op_->set(call_);
  const auto count = static_cast<std::size_t>(size_);
  std::int64_t all = equal * size_;
  std::int64_t own = equal;
  if (counts.exists()) {
    call_.varying = true;
    receive_blocks_.bytes.resize(count);
    all = 0;
    for (std::size_t each = 0; each != count; ++each) {
      need(counts[each] >= 0, MPI_ERR_COUNT, "recvcounts", counts[each], "it must not be negative");
      receive_blocks_.bytes[each] = static_cast<std::size_t>(counts[each]) * op_->element_bytes();
      all += counts[each];
    }
    own = counts[static_cast<std::size_t>(rank_)];
    call_.receive_bytes = receive_blocks_.bytes.data();
  }
  (void)bytes_of(*shared, all);
  call_.bytes = static_cast<std::size_t>(own) * op_->element_bytes();
  call_.in_place = from == MPI_IN_PLACE;
  const void* const sent = call_.in_place ? nullptr : from;
  if (shared->plan().is_contiguous() && shared->layout().lower == 0) {
    if (!call_.in_place) call_.send = or_nothing(sent);
    call_.receive = or_nothing(into);
    return;
  }
  take_raw(sent, into, call_.in_place ? all : own, shared);
  if (sent != nullptr) take_raw(sent, nullptr, all, shared);
  after_.push_back({shared, into, own, raw_into_.get(), call_.bytes});
}

void work::run() {
  detail::run_collective(*on_, call_, place);
  finish();
}

detail::operation* work::start() { return detail::start_collective(*on_, call_, place); }

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
