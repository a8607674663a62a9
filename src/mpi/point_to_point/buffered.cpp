#include "mpi/point_to_point/buffered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

/// A message on its way, and its copy.
struct on_its_way {
  detail::operation* operation;
  std::unique_ptr<std::byte[]> copy;
  std::int64_t bytes;  // with what the standard lets an implementation take besides
};

struct attached {
  std::mutex lock;
  attached_memory given;
  bool is_given = false;
  std::int64_t used = 0;
  std::vector<on_its_way> messages;

  /// With the lock held.
  void forget_sent() {
    std::erase_if(messages, [this](const on_its_way& each) {
      if (!detail::finished(*each.operation)) return false;
      detail::drop(each.operation);
      used -= each.bytes;
      return true;
    });
  }
};

attached& buffer() noexcept {
  static auto* const only = new attached;
  return *only;
}

}  // namespace

void send_buffered(const communicator& on, outgoing data, int peer, int tag) {
  attached& here = buffer();
  const std::lock_guard<std::mutex> guard{here.lock};
  here.forget_sent();
  const std::int64_t bytes = static_cast<std::int64_t>(data.bytes()) + MPI_BSEND_OVERHEAD;
  if (bytes > here.given.bytes - here.used && peer != MPI_PROC_NULL) {
    (void)detail::progress();
    here.forget_sent();
  }
  if (bytes > here.given.bytes - here.used && peer != MPI_PROC_NULL)
    fail(MPI_ERR_BUFFER,
         here.is_given
             ? fmt::format("a message of {} bytes does not fit into what is free of the attached "
                           "buffer, {} of {} bytes",
                           data.bytes(), here.given.bytes - here.used, here.given.bytes)
             : "no buffer is attached: MPI_Buffer_attach comes first");
  data.make_copy();
  detail::operation* const begun =
      detail::start_send(*on.state, data.data(), data.bytes(), on.peer_in_state(peer), tag, place);
  here.messages.push_back({begun, data.take_copy(), bytes});
  here.used += bytes;
}

void attach_buffer(void* memory, std::int64_t bytes) {
  attached& here = buffer();
  const std::lock_guard<std::mutex> guard{here.lock};
  if (here.is_given) fail(MPI_ERR_BUFFER, "a buffer is attached already");
  need(bytes >= 0, MPI_ERR_ARG, "size", bytes, "it must not be negative");
  here.given = {memory, bytes};
  here.is_given = true;
}

void flush_buffer() {
  attached& here = buffer();
  const std::lock_guard<std::mutex> guard{here.lock};
  for (const on_its_way& each : here.messages) (void)detail::wait(*each.operation);
  here.forget_sent();
}

attached_memory detach_buffer() {
  flush_buffer();
  attached& here = buffer();
  const std::lock_guard<std::mutex> guard{here.lock};
  here.is_given = false;
  return std::exchange(here.given, {});
}

}  // namespace peal::mpi
