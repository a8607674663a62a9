#include "mpi/tools/performance_variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"
#include "mpi/tools/tool_function.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

namespace {

// What does not only grow.
constexpr std::array<std::string_view, 9> levels{"lanes",
                                                 "shm.box_bytes",
                                                 "shm.peer_bytes",
                                                 "verbs.connections_most",
                                                 "verbs.slots",
                                                 "verbs.slots_free",
                                                 "verbs.receives",
                                                 "verbs.receives_allotted",
                                                 "verbs.pinned_bytes"};

int class_of(std::string_view name) noexcept {
  if (name == "shm.most_box_bytes") return MPI_T_PVAR_CLASS_HIGHWATERMARK;
  return std::ranges::find(levels, name) != levels.end() || name.starts_with("verbs.queue_bytes.")
             ? MPI_T_PVAR_CLASS_LEVEL
             : MPI_T_PVAR_CLASS_COUNTER;
}

void take_in(std::vector<performance_variable>& all, const counter& of) {
  const auto known = std::ranges::find(all, of.name, &performance_variable::name);
  if (known != all.end()) {
    known->value = of.value;
    return;
  }
  std::string meaning{of.meaning};
  if (of.of_all_processes) meaning += " (by all processes of this machine)";
  all.push_back({of.name, std::move(meaning), class_of(of.name), of.value});
}

}  // namespace

const std::vector<performance_variable>& performance_variables() {
  static auto* const all = new std::vector<performance_variable>;
  if (detail::job_running())
    for (const counter& each : detail::job_counters(place)) take_in(*all, each);
  return *all;
}

const performance_variable& performance_handle::variable() const {
  return performance_variables()[static_cast<std::size_t>(index_)];
}

bool performance_handle::is_counter() const { return variable().is_counter(); }

std::uint64_t performance_handle::read() const {
  const performance_variable& of = variable();
  if (!of.is_counter()) return of.value;
  return counted_ + (runs_ ? of.value - since_ : 0);
}

void performance_handle::start() {
  if (runs_) return;
  since_ = variable().value;
  runs_ = true;
}

void performance_handle::stop() {
  counted_ = read();
  runs_ = false;
}

void performance_handle::set(std::uint64_t value) {
  counted_ = value;
  since_ = variable().value;
}

std::uint64_t performance_handle::take() {
  const std::uint64_t now = variable().value;
  const std::uint64_t taken = counted_ + (runs_ ? now - since_ : 0);
  counted_ = 0;
  since_ = now;
  return taken;
}

performance_session_table& performance_sessions() noexcept {
  static auto* const all = new performance_session_table;
  return *all;
}

performance_session& session_of(MPI_T_pvar_session session) {
  performance_session* const found = performance_sessions().find(session);
  if (found == nullptr)
    fail(MPI_T_ERR_INVALID_SESSION, "it is no session of performance variables");
  return *found;
}

performance_handle& handle_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  auto& all = session_of(session).handles;
  const auto found = all.find(handle);
  if (found == all.end())
    fail(MPI_T_ERR_INVALID_HANDLE, "it is no handle of a performance variable of this session");
  return found->second;
}

MPI_T_pvar_handle bind_performance_variable(performance_session& in, int index) {
  need_index(index, performance_variables().size());
  // Numbers that no session uses twice, so that a handle of another session is found to be wrong.
  static std::uintptr_t last = predefined_handles;
  const auto handle = reinterpret_cast<MPI_T_pvar_handle>(++last);
  in.handles.emplace(handle, performance_handle{index});
  return handle;
}

}  // namespace peal::mpi
