// base/on_demand/hwloc_calls.cpp
// The functions of hwloc that libpeal calls: each calls the real one, which is looked for at the
// first call (shared_library.hpp).
//
// They are weak, so that a program which has hwloc itself, linked statically, gets that.
//
// Layer    base; part of libpeal only, not of programs that link hwloc themselves.
// Threads  any.
// Errors   as shared_library.
// Source   hwloc 2 reference.
#include <hwloc.h>
#include <hwloc/linux.h>

#include "base/on_demand/shared_library.hpp"

// Another version is another file.
static_assert(HWLOC_API_VERSION >= 0x20000 && HWLOC_API_VERSION < 0x30000);

namespace {

constinit peal::shared_library library{"libhwloc.so.15", "libhwloc15"};

}  // namespace

extern "C" {

[[gnu::weak]] hwloc_bitmap_t hwloc_bitmap_alloc() {
  return library.real<hwloc_bitmap_alloc>("hwloc_bitmap_alloc")();
}
[[gnu::weak]] int hwloc_bitmap_copy(hwloc_bitmap_t to, hwloc_const_bitmap_t from) {
  return library.real<hwloc_bitmap_copy>("hwloc_bitmap_copy")(to, from);
}
[[gnu::weak]] void hwloc_bitmap_free(hwloc_bitmap_t bitmap) {
  library.real<hwloc_bitmap_free>("hwloc_bitmap_free")(bitmap);
}
[[gnu::weak]] int hwloc_bitmap_isset(hwloc_const_bitmap_t bitmap, unsigned id) {
  return library.real<hwloc_bitmap_isset>("hwloc_bitmap_isset")(bitmap, id);
}
[[gnu::weak]] int hwloc_bitmap_iszero(hwloc_const_bitmap_t bitmap) {
  return library.real<hwloc_bitmap_iszero>("hwloc_bitmap_iszero")(bitmap);
}
[[gnu::weak]] int hwloc_bitmap_next(hwloc_const_bitmap_t bitmap, int prev) {
  return library.real<hwloc_bitmap_next>("hwloc_bitmap_next")(bitmap, prev);
}
[[gnu::weak]] int hwloc_get_cpubind(hwloc_topology_t topology, hwloc_cpuset_t set, int flags) {
  return library.real<hwloc_get_cpubind>("hwloc_get_cpubind")(topology, set, flags);
}
[[gnu::weak]] unsigned hwloc_get_nbobjs_by_depth(hwloc_topology_t topology, int depth) {
  return library.real<hwloc_get_nbobjs_by_depth>("hwloc_get_nbobjs_by_depth")(topology, depth);
}
[[gnu::weak]] hwloc_obj_t hwloc_get_obj_by_depth(hwloc_topology_t topology, int depth,
                                                 unsigned index) {
  return library.real<hwloc_get_obj_by_depth>("hwloc_get_obj_by_depth")(topology, depth, index);
}
[[gnu::weak]] int hwloc_get_type_depth(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return library.real<hwloc_get_type_depth>("hwloc_get_type_depth")(topology, type);
}
[[gnu::weak]] int hwloc_linux_read_path_as_cpumask(const char* path, hwloc_bitmap_t set) {
  return library.real<hwloc_linux_read_path_as_cpumask>("hwloc_linux_read_path_as_cpumask")(path,
                                                                                            set);
}
[[gnu::weak]] void hwloc_topology_destroy(hwloc_topology_t topology) {
  library.real<hwloc_topology_destroy>("hwloc_topology_destroy")(topology);
}
[[gnu::weak]] hwloc_const_cpuset_t hwloc_topology_get_allowed_cpuset(hwloc_topology_t topology) {
  return library.real<hwloc_topology_get_allowed_cpuset>("hwloc_topology_get_allowed_cpuset")(
      topology);
}
[[gnu::weak]] hwloc_const_cpuset_t hwloc_topology_get_complete_cpuset(hwloc_topology_t topology) {
  return library.real<hwloc_topology_get_complete_cpuset>("hwloc_topology_get_complete_cpuset")(
      topology);
}
[[gnu::weak]] int hwloc_topology_init(hwloc_topology_t* made) {
  return library.real<hwloc_topology_init>("hwloc_topology_init")(made);
}
[[gnu::weak]] int hwloc_topology_is_thissystem(hwloc_topology_t topology) {
  return library.real<hwloc_topology_is_thissystem>("hwloc_topology_is_thissystem")(topology);
}
[[gnu::weak]] int hwloc_topology_load(hwloc_topology_t topology) {
  return library.real<hwloc_topology_load>("hwloc_topology_load")(topology);
}
[[gnu::weak]] int hwloc_topology_set_all_types_filter(hwloc_topology_t topology,
                                                      hwloc_type_filter_e filter) {
  return library.real<hwloc_topology_set_all_types_filter>("hwloc_topology_set_all_types_filter")(
      topology, filter);
}
[[gnu::weak]] int hwloc_topology_set_components(hwloc_topology_t topology, unsigned long flags,
                                                const char* name) {
  return library.real<hwloc_topology_set_components>("hwloc_topology_set_components")(topology,
                                                                                      flags, name);
}
[[gnu::weak]] int hwloc_topology_set_type_filter(hwloc_topology_t topology, hwloc_obj_type_t type,
                                                 hwloc_type_filter_e filter) {
  return library.real<hwloc_topology_set_type_filter>("hwloc_topology_set_type_filter")(
      topology, type, filter);
}

}  // extern "C"
