#include "mpi/collectives/persistent.hpp"

#include "mpi/requests/request.hpp"

namespace peal::mpi {

namespace {

class persistent_collective final : public request {
 public:
  persistent_collective(MPI_Comm comm, std::unique_ptr<work> prepared)
      : request{comm}, work_{std::move(prepared)} {}

  [[nodiscard]] bool is_active() const noexcept override { return active_; }
  [[nodiscard]] bool is_persistent() const noexcept override { return true; }
  int finish(MPI_Status& status) noexcept override {
    const int code = request::finish(status);
    active_ = false;
    return code;
  }
  void start() override {
    if (active_) fail(MPI_ERR_REQUEST, "request is active already");
    run(work_->start_prepared());
    active_ = true;
  }
  void cancel() override { fail(MPI_ERR_REQUEST, "a collective cannot be cancelled"); }

 private:
  void take_in(std::size_t /*bytes*/) noexcept override { work_->finish(); }

  std::unique_ptr<work> work_;
  bool active_ = false;
};

}  // namespace

MPI_Request hand_out_prepared(std::unique_ptr<work> filled, MPI_Comm comm) {
  filled->prepare();
  return hand_out(std::make_unique<persistent_collective>(comm, std::move(filled)));
}

}  // namespace peal::mpi
