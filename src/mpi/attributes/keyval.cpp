#include "mpi/attributes/keyval.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

struct keyval_table {
  std::mutex lock;
  std::unordered_map<int, std::shared_ptr<const keyval>> all;
  // Those that were freed. Attributes keep them.
  std::unordered_map<int, std::weak_ptr<const keyval>> freed;
  // Above those of the standard. A number is never given twice: attributes outlive their key.
  int next = 1024;
};
keyval_table& keyvals() {
  // Never destroyed: a program may free keys in destructors of its static objects.
  static keyval_table& all = *new keyval_table;
  return all;
}

/// The numbers 0 and 1 stand for functions of the library (include/mpi/callbacks.h).
template <class Function>
bool is_dup(Function* function) noexcept {
  return reinterpret_cast<std::uintptr_t>(function) == 1;
}

template <class Handle>
constexpr const char* kind_name = "a communicator";
template <>
constexpr const char* kind_name<MPI_Datatype> = "a datatype";

template <class Handle>
void need_for(const keyval& found) {
  if (!found.is_for<Handle>())
    fail(MPI_ERR_KEYVAL, fmt::format("keyval is {}: it is not one for attributes of {}",
                                     found.number(), kind_name<Handle>));
}
/// With the lock held.
template <class Handle>
std::shared_ptr<const keyval> find_keyval(keyval_table& table, int number) {
  const auto found = table.all.find(number);
  if (found == table.all.end())
    fail(MPI_ERR_KEYVAL, "keyval", number,
         number == MPI_KEYVAL_INVALID ? "that is MPI_KEYVAL_INVALID"
         : number < 1024              ? "that is none of the program's"
                                      : "there is no such key, or it was freed");
  need_for<Handle>(*found->second);
  return found->second;
}

}  // namespace

template <class Handle>
bool keyval::copy(Handle owner, void* value, void*& copied) const {
  const auto& of = std::get<keyval_functions<Handle>>(functions_);
  copied = value;
  if (of.copy == nullptr) return false;
  if (is_dup(of.copy)) return true;
  int wanted = 0;
  const int code = of.copy(owner, number_, extra_state_, value, &copied, &wanted);
  if (code != MPI_SUCCESS)
    fail(code, fmt::format("the function that copies attribute {} returned {}", number_, code));
  return wanted != 0;
}

template <class Handle>
void keyval::remove(Handle owner, void* value) const {
  const auto& of = std::get<keyval_functions<Handle>>(functions_);
  if (of.remove == nullptr) return;
  if (const int code = of.remove(owner, number_, value, extra_state_); code != MPI_SUCCESS)
    fail(code, fmt::format("the function that deletes attribute {} returned {}", number_, code));
}

int make_keyval(keyval::any_functions functions, void* extra_state) {
  keyval_table& table = keyvals();
  const std::lock_guard<std::mutex> guard{table.lock};
  if (table.next == std::numeric_limits<int>::max())
    fail(MPI_ERR_NO_MEM, "all numbers for keys of attributes were used");
  table.all.emplace(table.next, std::make_shared<const keyval>(table.next, functions, extra_state));
  return table.next++;
}

template <class Handle>
void free_keyval(int number) {
  keyval_table& table = keyvals();
  const std::lock_guard<std::mutex> guard{table.lock};
  // While attributes have it, it may be freed by each who has its number, as is usual in the
  // functions that delete them.
  if (const auto freed = table.freed.find(number); freed != table.freed.end()) {
    if (const auto in_use = freed->second.lock()) return need_for<Handle>(*in_use);
    table.freed.erase(freed);
  }
  const std::shared_ptr<const keyval> found = find_keyval<Handle>(table, number);
  table.all.erase(number);
  if (found.use_count() > 1) table.freed.emplace(number, found);
}

template <class Handle>
std::shared_ptr<const keyval> keyval_of(int number) {
  keyval_table& table = keyvals();
  const std::lock_guard<std::mutex> guard{table.lock};
  return find_keyval<Handle>(table, number);
}

template bool keyval::copy(MPI_Comm, void*, void*&) const;
template bool keyval::copy(MPI_Datatype, void*, void*&) const;
template void keyval::remove(MPI_Comm, void*) const;
template void keyval::remove(MPI_Datatype, void*) const;
template void free_keyval<MPI_Comm>(int);
template void free_keyval<MPI_Datatype>(int);
template std::shared_ptr<const keyval> keyval_of<MPI_Comm>(int);
template std::shared_ptr<const keyval> keyval_of<MPI_Datatype>(int);

}  // namespace peal::mpi
