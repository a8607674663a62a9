#include "mpi/tools/tool_function.hpp"

#include <algorithm>
#include <new>

#include "mpi/support/cut.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {
int times_begun = 0;
}

std::mutex& tools_lock() noexcept {
  static auto* const only = new std::mutex;  // tools look at peal while static objects go
  return *only;
}

void begin_tools() noexcept { ++times_begun; }
void end_tools() {
  need_tools();
  --times_begun;
}
void need_tools() {
  if (times_begun == 0)
    fail(MPI_T_ERR_NOT_INITIALIZED, "MPI_T is not in use: MPI_T_init_thread comes first");
}

int code_of_thrown() noexcept {
  try {
    throw;
  } catch (const failure& thrown) {
    return thrown.error_class;
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  } catch (...) {
    return MPI_T_ERR_INVALID;
  }
}

void need_index(int index, std::size_t count) {
  need(index >= 0 && static_cast<std::size_t>(index) < count, MPI_T_ERR_INVALID_INDEX, "index",
       index, "there is no such one");
}

void need_argument(const void* place) {
  if (place == nullptr) fail(MPI_T_ERR_INVALID, "an argument is a null pointer");
}

void tell_text(char* wanted, int* length, std::string_view text) noexcept {
  if (length == nullptr) return;
  if (wanted == nullptr || *length <= 0) *length = static_cast<int>(text.size()) + 1;
  else *length = static_cast<int>(copy_cut(text, wanted, static_cast<std::size_t>(*length))) + 1;
}

void tell_indices(int room, int* wanted, const std::vector<int>& indices) {
  need(room >= 0, MPI_T_ERR_INVALID, "len", room, "it must not be negative");
  if (room > 0) need_argument(wanted);
  const auto count = std::min(static_cast<std::size_t>(room), indices.size());
  std::copy_n(indices.begin(), count, wanted);
}

}  // namespace peal::mpi
