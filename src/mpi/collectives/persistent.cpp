#include "mpi/collectives/persistent.hpp"

#include "mpi/requests/request.hpp"

namespace peal::mpi {

namespace {

class persistent_collective final : public request {
 public:
  persistent_collective(MPI_Comm comm, std::unique_ptr<work> prepared)
      : request{comm, form::persistent}, work_{std::move(prepared)} {}

  void cancel() override { fail(MPI_ERR_REQUEST, "a collective cannot be cancelled"); }

 private:
  void begin() override { run(work_->start_prepared()); }
  void take_in(std::size_t /*bytes*/) noexcept override { work_->finish(); }

  std::unique_ptr<work> work_;
};

}  // namespace

MPI_Request hand_out_prepared(std::unique_ptr<work> filled, MPI_Comm comm) {
  filled->prepare();
  return hand_out(std::make_unique<persistent_collective>(comm, std::move(filled)));
}

}  // namespace peal::mpi
