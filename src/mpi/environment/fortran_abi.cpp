#include "mpi/environment/fortran_abi.hpp"

#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

struct fortran_state {
  std::mutex lock;
  std::optional<info> told;
  std::string logical_true, logical_false;  // their bytes; empty: not told
};
fortran_state& state() noexcept {
  static auto* const only = new fortran_state;
  return *only;
}

bool same(const info& one, const info& other) noexcept {
  if (one.size() != other.size()) return false;
  for (int each = 0; each != one.size(); ++each) {
    const std::string& key = one.key(each);
    const std::string* const value = other.find(key);
    if (value == nullptr || *value != *one.find(key)) return false;
  }
  return true;
}

/// Of a logical.
void need_size(int size) {
  need(size == 1 || size == 2 || size == 4 || size == 8 || size == 16, MPI_ERR_ARG, "logical_size",
       size, "no logical has so many bytes");
}

}  // namespace

void set_fortran_info(const info& told) {
  fortran_state& here = state();
  const std::lock_guard<std::mutex> guard{here.lock};
  if (here.told && !same(*here.told, told))
    fail(MPI_ERR_ABI, "something else was told of the types of Fortran before");
  here.told = told;
}

std::optional<info> fortran_info() {
  fortran_state& here = state();
  const std::lock_guard<std::mutex> guard{here.lock};
  return here.told;
}

void set_fortran_booleans(int logical_size, const void* logical_true, const void* logical_false) {
  need_size(logical_size);
  need_place(logical_true, "logical_true");
  need_place(logical_false, "logical_false");
  const auto length = static_cast<std::size_t>(logical_size);
  const std::string yes{static_cast<const char*>(logical_true), length};
  const std::string no{static_cast<const char*>(logical_false), length};
  fortran_state& here = state();
  const std::lock_guard<std::mutex> guard{here.lock};
  if (!here.logical_true.empty() && (here.logical_true != yes || here.logical_false != no))
    fail(MPI_ERR_ABI, "other logical values of Fortran were told before");
  here.logical_true = yes;
  here.logical_false = no;
}

bool get_fortran_booleans(int logical_size, void* logical_true, void* logical_false) {
  need_size(logical_size);
  fortran_state& here = state();
  const std::lock_guard<std::mutex> guard{here.lock};
  if (here.logical_true.empty()) return false;
  const auto length = static_cast<std::size_t>(logical_size);
  if (length != here.logical_true.size())
    fail(MPI_ERR_ABI, "the logical values of Fortran were told with another size");
  need_place(logical_true, "logical_true");
  need_place(logical_false, "logical_false");
  std::memcpy(logical_true, here.logical_true.data(), length);
  std::memcpy(logical_false, here.logical_false.data(), length);
  return true;
}

info abi_info() {
  info made;
  made.set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  made.set("mpi_count_size", std::to_string(sizeof(MPI_Count)));
  made.set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
  return made;
}

}  // namespace peal::mpi
