#include "mpi/point_to_point/send_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

class buffered_message {
 public:
  buffered_message(detail::operation* begun, std::unique_ptr<std::byte[]> copy,
                   std::int64_t bytes) noexcept
      : begun_{begun}, copy_{std::move(copy)}, bytes_{bytes} {}
  buffered_message(const buffered_message&) = delete;
  buffered_message& operator=(const buffered_message&) = delete;
  ~buffered_message() {
    detail::drop(
        begun_, [](void* copy) noexcept { delete[] static_cast<std::byte*>(copy); },
        copy_.release());
  }
  [[nodiscard]] detail::operation& begun() const noexcept { return *begun_; }
  [[nodiscard]] bool is_sent() const noexcept { return detail::finished(*begun_); }
  /// With what the standard lets an implementation take besides.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  detail::operation* begun_;
  std::unique_ptr<std::byte[]> copy_;
  std::int64_t bytes_;
};

namespace {

/// Is over when messages are, which it keeps.
class flush_request final : public request {
 public:
  flush_request(MPI_Comm comm, std::vector<std::shared_ptr<buffered_message>> awaited) noexcept
      : request{comm}, awaited_{std::move(awaited)} {}

  [[nodiscard]] bool is_done() noexcept override { return pending() == nullptr; }
  [[nodiscard]] detail::operation* pending() noexcept override {
    for (const auto& each : awaited_)
      if (!each->is_sent()) return &each->begun();
    return nullptr;
  }

 private:
  std::vector<std::shared_ptr<buffered_message>> awaited_;
};

}  // namespace

send_buffer::~send_buffer() = default;

void send_buffer::attach(void* address, std::int64_t bytes) {
  const std::lock_guard<std::mutex> guard{lock_};
  if (attached_) fail(MPI_ERR_BUFFER, "a buffer is attached already");
  const bool automatic = address == MPI_BUFFER_AUTOMATIC;
  if (!automatic) {
    need(bytes >= 0, MPI_ERR_ARG, "size", bytes, "it must not be negative");
    if (address == nullptr && bytes != 0)
      fail(MPI_ERR_BUFFER, "buffer is a null pointer, and its size is not 0");
  }
  given_ = {address, automatic ? 0 : bytes};
  attached_ = true;
}

send_buffer::memory send_buffer::detach() {
  flush();
  const std::lock_guard<std::mutex> guard{lock_};
  forget_sent();
  attached_ = false;
  return std::exchange(given_, {});
}

void send_buffer::flush() {
  // Without the lock, so that other threads may send meanwhile.
  for (const message_pointer& each : on_their_way()) (void)detail::wait(each->begun());
}

MPI_Request send_buffer::start_flush(MPI_Comm comm) {
  return hand_out(std::make_unique<flush_request>(comm, on_their_way()));
}

bool send_buffer::is_attached() const {
  const std::lock_guard<std::mutex> guard{lock_};
  return attached_;
}

std::vector<send_buffer::message_pointer> send_buffer::on_their_way() const {
  const std::lock_guard<std::mutex> guard{lock_};
  return messages_;
}

/// With the lock held, as below.
void send_buffer::forget_sent() {
  std::erase_if(messages_, [this](const message_pointer& each) {
    if (!each->is_sent()) return false;
    used_ -= each->bytes();
    return true;
  });
}

bool send_buffer::has_room(std::int64_t bytes) const noexcept {
  return given_.address == MPI_BUFFER_AUTOMATIC || bytes <= given_.bytes - used_;
}

void send_buffer::send(const communicator& on, outgoing data, int peer, int tag) {
  const std::lock_guard<std::mutex> guard{lock_};
  forget_sent();
  const std::int64_t bytes = static_cast<std::int64_t>(data.bytes()) + MPI_BSEND_OVERHEAD;
  if (!has_room(bytes)) {
    make_progress();
    forget_sent();
  }
  if (!has_room(bytes) && peer != MPI_PROC_NULL)
    fail(MPI_ERR_BUFFER,
         attached_
             ? fmt::format("a message of {} bytes does not fit into what is free of the attached "
                           "buffer, {} of {} bytes",
                           data.bytes(), given_.bytes - used_, given_.bytes)
             : "no buffer is attached: MPI_Buffer_attach comes first");
  data.make_copy();
  detail::operation* const begun =
      detail::start_send(*on.state, data.data(), data.bytes(), on.peer_in_state(peer), tag, place);
  messages_.push_back(std::make_shared<buffered_message>(begun, data.take_copy(), bytes));
  used_ += bytes;
}

send_buffer& process_buffer() noexcept {
  static auto* const only = new send_buffer;  // the program may look at it while static objects go
  return *only;
}

namespace {
/// Of the pointers that communicators and sessions have.
std::mutex& owners_lock() noexcept {
  static auto* const only = new std::mutex;
  return *only;
}
std::shared_ptr<send_buffer> attached_to(const std::shared_ptr<send_buffer>& owner) {
  const std::lock_guard<std::mutex> guard{owners_lock()};
  return owner != nullptr && owner->is_attached() ? owner : nullptr;
}
}  // namespace

send_buffer& own_buffer(std::shared_ptr<send_buffer>& of) {
  const std::lock_guard<std::mutex> guard{owners_lock()};
  if (of == nullptr) of = std::make_shared<send_buffer>();
  return *of;
}

void send_buffered(const communicator& on, outgoing data, int peer, int tag) {
  for (const auto* each : {&on.buffer, &on.session_buffer})
    if (const auto nearest = attached_to(*each))
      return nearest->send(on, std::move(data), peer, tag);
  process_buffer().send(on, std::move(data), peer, tag);
}

}  // namespace peal::mpi
