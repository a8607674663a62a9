// mpi/info/info.hpp
// Keys and their values, as hints to the library and from it.
//
// Layer    mpi/info.
// Units    lengths of strings in bytes, without the one that ends them.
// Threads  one at a time for each object.
// Errors   a failure: MPI_ERR_INFO_KEY and MPI_ERR_INFO_VALUE for what is empty, or too long to be
//          one; MPI_ERR_INFO_NOKEY; MPI_ERR_ARG.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/support/handle_table.hpp"

namespace peal::mpi {

class info {
 public:
  /// Adds it, or gives it another value at its old place.
  void set(std::string_view key, std::string_view value);
  /// Fails with MPI_ERR_INFO_NOKEY where it is absent.
  void erase(std::string_view key);
  /// Null: absent.
  [[nodiscard]] const std::string* find(std::string_view key) const noexcept;
  [[nodiscard]] int size() const noexcept { return static_cast<int>(entries_.size()); }
  /// In the order in which they were added. Requires: 0 <= which < size().
  [[nodiscard]] const std::string& key(int which) const noexcept {
    return entries_[static_cast<std::size_t>(which)].first;
  }

 private:
  // Programs give a handful of keys, and ask for them by their number.
  std::vector<std::pair<std::string, std::string>> entries_;
};

/// What a program gave as a key: fails for a null pointer and for what no key can be.
[[nodiscard]] std::string_view checked_key(const char* key);
[[nodiscard]] std::string_view checked_value(const char* value);

using info_table = handle_table<MPI_Info, info, handle_kind::info>;
[[nodiscard]] info_table& infos();
/// Fails, MPI_ERR_INFO, for MPI_INFO_NULL and for whatever is no info object.
[[nodiscard]] info& info_of(MPI_Info handle);
/// For what takes hints: null for MPI_INFO_NULL.
[[nodiscard]] const info* hints_of(MPI_Info handle);
/// A new handle, which MPI_Info_free gives back.
[[nodiscard]] MPI_Info handle_of(info made);

}  // namespace peal::mpi
