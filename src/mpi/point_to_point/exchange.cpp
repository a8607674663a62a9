#include "mpi/point_to_point/exchange.hpp"

namespace peal::mpi {

namespace {

class exchange_request final : public request {
 public:
  exchange_request(MPI_Comm comm, std::unique_ptr<request> sent,
                   std::unique_ptr<request> received) noexcept
      : request{comm}, sent_{std::move(sent)}, received_{std::move(received)} {}

  [[nodiscard]] bool is_done() noexcept override {
    return received_->is_done() && sent_->is_done();
  }
  [[nodiscard]] detail::operation* pending() noexcept override {
    detail::operation* const receive = received_->pending();
    return receive != nullptr ? receive : sent_->pending();
  }
  int look(MPI_Status& status) noexcept override {
    MPI_Status of_send;
    const int code_of_send = sent_->look(of_send), code = received_->look(status);
    return code != MPI_SUCCESS ? code : code_of_send;
  }
  int end(MPI_Status& status) noexcept override {
    MPI_Status of_send;
    const int code_of_send = sent_->finish(of_send), code = received_->finish(status);
    return code != MPI_SUCCESS ? code : code_of_send;
  }
  /// The message that was sent is to arrive all the same.
  void cancel() override { received_->cancel(); }

 private:
  std::unique_ptr<request> sent_, received_;
};

}  // namespace

MPI_Request start_exchange(const send_call& out, const receive_call& in, bool replace) {
  outgoing copy;  // before anything arrives
  if (replace) {
    copy = outgoing{out.buffer, out.count, out.type};
    copy.make_copy();
  } else {
    need_apart(out, in);
  }
  // The receive first: so a message to this rank itself finds it. A send that is refused takes it
  // back.
  const bool two = !replace;
  auto received = with_names(names_of_received(two), [&] { return begin_receive(in); });
  auto sent = with_names(names_of_sent(two), [&] {
    return replace ? begin_copy(out, std::move(copy)) : begin_send(send_mode::standard, out);
  });
  return hand_out(
      std::make_unique<exchange_request>(out.comm, std::move(sent), std::move(received)));
}

}  // namespace peal::mpi
