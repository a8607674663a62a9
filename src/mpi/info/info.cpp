#include "mpi/info/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "mpi/info/env_info.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

auto place_of(auto& entries, std::string_view key) noexcept {
  return std::find_if(entries.begin(), entries.end(),
                      [key](const auto& entry) { return entry.first == key; });
}

/// `room`: with the byte that ends it.
std::string_view checked(const char* text, std::size_t room, int error_class, const char* what) {
  if (text == nullptr) fail(error_class, fmt::format("{} is a null pointer", what));
  const std::size_t length = strnlen(text, room);
  if (length == room)
    fail(error_class, fmt::format("{} has more than {} bytes: {:.32}...", what, room - 1, text));
  return {text, length};
}

}  // namespace

void info::set(std::string_view key, std::string_view value) {
  if (const auto found = place_of(entries_, key); found != entries_.end()) found->second = value;
  else entries_.emplace_back(key, value);
}

void info::erase(std::string_view key) {
  const auto found = place_of(entries_, key);
  if (found == entries_.end())
    fail(MPI_ERR_INFO_NOKEY, fmt::format("key is {}: the info object has no such key", key));
  entries_.erase(found);
}

const std::string* info::find(std::string_view key) const noexcept {
  const auto found = place_of(entries_, key);
  return found == entries_.end() ? nullptr : &found->second;
}

std::string_view checked_key(const char* key) {
  const std::string_view given = checked(key, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY, "key");
  if (given.empty()) fail(MPI_ERR_INFO_KEY, "key is empty");
  return given;
}

std::string_view checked_value(const char* value) {
  return checked(value, MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE, "value");
}

info_table& infos() {
  // Never destroyed: a program may use info objects in destructors of its static objects.
  static info_table& all = *[] {
    auto* const made = new info_table;
    made->set(MPI_INFO_ENV, env_info());
    return made;
  }();
  return all;
}

info& info_of(MPI_Info handle) {
  info* const found = infos().find(handle);
  if (found == nullptr) [[unlikely]]
    fail_handle(MPI_ERR_INFO, "info", handle, MPI_INFO_NULL, "MPI_INFO_NULL", "info object");
  return *found;
}

const info* hints_of(MPI_Info handle) {
  return handle == MPI_INFO_NULL ? nullptr : &info_of(handle);
}

MPI_Info handle_of(info made) { return infos().add(std::make_unique<info>(std::move(made))); }

}  // namespace peal::mpi
