// Info objects of a program.
#include <cstddef>
#include <span>
#include <string>

#include "mpi/info/env_info.hpp"
#include "mpi/info/info.hpp"
#include "mpi/support/cut.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

/// One that the program may change or free.
info& own_info_of(MPI_Info handle) {
  info& found = info_of(handle);
  if (info_table::is_predefined(handle))
    fail(MPI_ERR_INFO, "info is MPI_INFO_ENV, which is only to be read");
  return found;
}

}  // namespace

PEAL_MPI_FUNCTION(int, Info_create, MPI_Info* info) {
  return run("MPI_Info_create", [&] {
    need_place(info, "info");
    *info = handle_of(peal::mpi::info{});
  });
}

PEAL_MPI_FUNCTION(int, Info_create_env, int argc, char* argv[], MPI_Info* info) {
  return run("MPI_Info_create_env", [&] {
    need(argc >= 0, MPI_ERR_ARG, "argc", argc, "it must not be negative");
    need_place(info, "info");
    if (argc > 0) need_place(argv, "argv");
    for (int each = 0; each != argc; ++each) need_place(argv[each], "an element of argv");
    *info = handle_of(env_info_for({argv, static_cast<std::size_t>(argc)}));
  });
}

PEAL_MPI_FUNCTION(int, Info_dup, MPI_Info info, MPI_Info* newinfo) {
  return run("MPI_Info_dup", [&] {
    const peal::mpi::info& of = info_of(info);
    need_place(newinfo, "newinfo");
    *newinfo = handle_of(of);
  });
}

PEAL_MPI_FUNCTION(int, Info_free, MPI_Info* info) {
  return run("MPI_Info_free", [&] {
    need_place(info, "info");
    (void)own_info_of(*info);
    infos().remove(*info);
    *info = MPI_INFO_NULL;
  });
}

PEAL_MPI_FUNCTION(int, Info_set, MPI_Info info, const char* key, const char* value) {
  return run("MPI_Info_set", [&] {
    peal::mpi::info& to = own_info_of(info);
    const std::string_view name = checked_key(key);
    to.set(name, checked_value(value));
  });
}

PEAL_MPI_FUNCTION(int, Info_delete, MPI_Info info, const char* key) {
  return run("MPI_Info_delete", [&] { own_info_of(info).erase(checked_key(key)); });
}

PEAL_MPI_FUNCTION(int, Info_get_nkeys, MPI_Info info, int* nkeys) {
  return run("MPI_Info_get_nkeys", [&] {
    const peal::mpi::info& of = info_of(info);
    need_place(nkeys, "nkeys");
    *nkeys = of.size();
  });
}

PEAL_MPI_FUNCTION(int, Info_get_nthkey, MPI_Info info, int n, char* key) {
  return run("MPI_Info_get_nthkey", [&] {
    const peal::mpi::info& of = info_of(info);
    need(n >= 0 && n < of.size(), MPI_ERR_ARG, "n", n, "the info object has no such key");
    need_place(key, "key");
    copy_cut(of.key(n), key, MPI_MAX_INFO_KEY);
  });
}

PEAL_MPI_FUNCTION(int, Info_get_string, MPI_Info info, const char* key, int* buflen, char* value,
                  int* flag) {
  return run("MPI_Info_get_string", [&] {
    const std::string* const found = info_of(info).find(checked_key(key));
    need_place(buflen, "buflen");
    need(*buflen >= 0, MPI_ERR_ARG, "buflen", *buflen, "it must not be negative");
    need_place(flag, "flag");
    *flag = found != nullptr;
    if (found == nullptr) return;
    if (*buflen > 0) {
      need_place(value, "value");
      copy_cut(*found, value, static_cast<std::size_t>(*buflen));
    }
    *buflen = static_cast<int>(found->size()) + 1;
  });
}

PEAL_MPI_FUNCTION(int, Info_get, MPI_Info info, const char* key, int valuelen, char* value,
                  int* flag) {
  return run("MPI_Info_get", [&] {
    const std::string* const found = info_of(info).find(checked_key(key));
    need(valuelen >= 0, MPI_ERR_ARG, "valuelen", valuelen, "it must not be negative");
    need_place(flag, "flag");
    *flag = found != nullptr;
    if (found == nullptr) return;
    need_place(value, "value");
    copy_cut(*found, value, static_cast<std::size_t>(valuelen) + 1);
  });
}

PEAL_MPI_FUNCTION(int, Info_get_valuelen, MPI_Info info, const char* key, int* valuelen,
                  int* flag) {
  return run("MPI_Info_get_valuelen", [&] {
    const std::string* const found = info_of(info).find(checked_key(key));
    need_place(flag, "flag");
    *flag = found != nullptr;
    if (found == nullptr) return;
    need_place(valuelen, "valuelen");
    *valuelen = static_cast<int>(found->size());
  });
}
