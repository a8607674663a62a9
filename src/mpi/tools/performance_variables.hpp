// mpi/tools/performance_variables.hpp
// What the library counts, as performance variables of MPI_T. They appear when MPI starts, since
// only then it is known what there is to count; after its end they keep their last values.
//
// Layer    mpi/tools.
// Units    as the description of a variable says; values are unsigned long long.
// Threads  under the lock of MPI_T.
// Errors   MPI_T_ERR_INVALID_INDEX, _SESSION, _HANDLE, _PVAR_NO_STARTSTOP, _PVAR_NO_WRITE.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mpi/support/handle_table.hpp"

namespace peal::mpi {

struct performance_variable {
  std::string name;
  std::string meaning;
  int variable_class;       // MPI_T_PVAR_CLASS_...
  std::uint64_t value = 0;  // of now, or the last one

  /// Counters begin at 0 where a tool starts them; what else there is goes on by itself.
  [[nodiscard]] bool is_counter() const noexcept {
    return variable_class == MPI_T_PVAR_CLASS_COUNTER;
  }
};

/// All of them, with their values of now. More may come, behind those that are there.
[[nodiscard]] const std::vector<performance_variable>& performance_variables();

/// A variable as one tool reads it.
class performance_handle {
 public:
  explicit performance_handle(int index) noexcept : index_{index} {}

  [[nodiscard]] std::uint64_t read() const;
  // Of counters.
  void start();
  void stop();
  void set(std::uint64_t value);
  [[nodiscard]] std::uint64_t take();  // read and set to 0 at once
  [[nodiscard]] bool is_counter() const;

 private:
  [[nodiscard]] const performance_variable& variable() const;

  int index_;
  bool runs_ = false;
  std::uint64_t since_ = 0;    // the variable's value when it was started
  std::uint64_t counted_ = 0;  // before that
};

struct performance_session {
  std::map<MPI_T_pvar_handle, performance_handle> handles;
};
using performance_session_table =
    handle_table<MPI_T_pvar_session, performance_session, handle_kind::variable_session>;
[[nodiscard]] performance_session_table& performance_sessions() noexcept;

[[nodiscard]] performance_session& session_of(MPI_T_pvar_session session);
[[nodiscard]] performance_handle& handle_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
[[nodiscard]] MPI_T_pvar_handle bind_performance_variable(performance_session& in, int index);

}  // namespace peal::mpi
