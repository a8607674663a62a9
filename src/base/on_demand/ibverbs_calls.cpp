// base/on_demand/ibverbs_calls.cpp
// The functions of libibverbs that libpeal calls: each calls the real one, which is looked for at
// the first call (shared_library.hpp).
//
// They are weak, so that a program which has libibverbs itself, linked statically, gets that.
//
// Layer    base; part of libpeal only, not of programs that link libibverbs themselves.
// Threads  any.
// Errors   as shared_library.
// Source   infiniband/verbs.h, which has macros of the names of two of them; verbs.h(7).
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/log.hpp"
#include "base/on_demand/shared_library.hpp"
#include "peal/error.hpp"

namespace {

constinit peal::shared_library library{"libibverbs.so.1", "libibverbs1"};

}  // namespace

#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr

extern "C" {

[[gnu::weak]] ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* entries,
                                           std::size_t max_entries, std::uint32_t flags,
                                           std::size_t entry_size) {
  return library.real<_ibv_query_gid_table>("_ibv_query_gid_table")(context, entries, max_entries,
                                                                    flags, entry_size);
}
[[gnu::weak]] void ibv_ack_async_event(ibv_async_event* event) {
  library.real<ibv_ack_async_event>("ibv_ack_async_event")(event);
}
[[gnu::weak]] void ibv_ack_cq_events(ibv_cq* cq, unsigned int count) {
  library.real<ibv_ack_cq_events>("ibv_ack_cq_events")(cq, count);
}
[[gnu::weak]] ibv_pd* ibv_alloc_pd(ibv_context* context) {
  return library.real<ibv_alloc_pd>("ibv_alloc_pd")(context);
}
[[gnu::weak]] int ibv_close_device(ibv_context* context) {
  return library.real<ibv_close_device>("ibv_close_device")(context);
}
[[gnu::weak]] ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* attr) {
  return library.real<ibv_create_ah>("ibv_create_ah")(pd, attr);
}
[[gnu::weak]] ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  return library.real<ibv_create_comp_channel>("ibv_create_comp_channel")(context);
}
[[gnu::weak]] ibv_cq* ibv_create_cq(ibv_context* context, int entries, void* cq_context,
                                    ibv_comp_channel* channel, int vector) {
  return library.real<ibv_create_cq>("ibv_create_cq")(context, entries, cq_context, channel,
                                                      vector);
}
[[gnu::weak]] ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* wanted) {
  return library.real<ibv_create_qp>("ibv_create_qp")(pd, wanted);
}
[[gnu::weak]] ibv_srq* ibv_create_srq(ibv_pd* pd, ibv_srq_init_attr* wanted) {
  return library.real<ibv_create_srq>("ibv_create_srq")(pd, wanted);
}
[[gnu::weak]] int ibv_dealloc_pd(ibv_pd* pd) {
  return library.real<ibv_dealloc_pd>("ibv_dealloc_pd")(pd);
}
[[gnu::weak]] int ibv_dereg_mr(ibv_mr* mr) {
  return library.real<ibv_dereg_mr>("ibv_dereg_mr")(mr);
}
[[gnu::weak]] int ibv_destroy_ah(ibv_ah* ah) {
  return library.real<ibv_destroy_ah>("ibv_destroy_ah")(ah);
}
[[gnu::weak]] int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  return library.real<ibv_destroy_comp_channel>("ibv_destroy_comp_channel")(channel);
}
[[gnu::weak]] int ibv_destroy_cq(ibv_cq* cq) {
  return library.real<ibv_destroy_cq>("ibv_destroy_cq")(cq);
}
[[gnu::weak]] int ibv_destroy_qp(ibv_qp* qp) {
  return library.real<ibv_destroy_qp>("ibv_destroy_qp")(qp);
}
[[gnu::weak]] int ibv_destroy_srq(ibv_srq* srq) {
  return library.real<ibv_destroy_srq>("ibv_destroy_srq")(srq);
}
[[gnu::weak]] const char* ibv_event_type_str(ibv_event_type event) {
  return library.real<ibv_event_type_str>("ibv_event_type_str")(event);
}
[[gnu::weak]] int ibv_fork_init() { return library.real<ibv_fork_init>("ibv_fork_init")(); }
[[gnu::weak]] void ibv_free_device_list(ibv_device** list) {
  library.real<ibv_free_device_list>("ibv_free_device_list")(list);
}
[[gnu::weak]] int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  return library.real<ibv_get_async_event>("ibv_get_async_event")(context, event);
}
[[gnu::weak]] int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) {
  return library.real<ibv_get_cq_event>("ibv_get_cq_event")(channel, cq, cq_context);
}
// Where the library is missing there is no device.
[[gnu::weak]] ibv_device** ibv_get_device_list(int* count) {
  try {
    return library.real<ibv_get_device_list>("ibv_get_device_list")(count);
  } catch (const peal::error& missing) {
    peal::log_error("{}", missing.what());
    if (count != nullptr) *count = 0;
    errno = ENOSYS;
    return nullptr;
  }
}
[[gnu::weak]] const char* ibv_get_device_name(ibv_device* device) {
  return library.real<ibv_get_device_name>("ibv_get_device_name")(device);
}
[[gnu::weak]] ibv_fork_status ibv_is_fork_initialized() {
  return library.real<ibv_is_fork_initialized>("ibv_is_fork_initialized")();
}
[[gnu::weak]] int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attr, int mask) {
  return library.real<ibv_modify_qp>("ibv_modify_qp")(qp, attr, mask);
}
[[gnu::weak]] int ibv_modify_srq(ibv_srq* srq, ibv_srq_attr* attr, int mask) {
  return library.real<ibv_modify_srq>("ibv_modify_srq")(srq, attr, mask);
}
[[gnu::weak]] ibv_context* ibv_open_device(ibv_device* device) {
  return library.real<ibv_open_device>("ibv_open_device")(device);
}
[[gnu::weak]] int ibv_query_device(ibv_context* context, ibv_device_attr* device_attr) {
  return library.real<ibv_query_device>("ibv_query_device")(context, device_attr);
}
[[gnu::weak]] int ibv_query_pkey(ibv_context* context, std::uint8_t port_num, int index,
                                 __be16* pkey) {
  return library.real<ibv_query_pkey>("ibv_query_pkey")(context, port_num, index, pkey);
}
[[gnu::weak]] int ibv_query_port(ibv_context* context, std::uint8_t port_num,
                                 _compat_ibv_port_attr* port_attr) {
  return library.real<ibv_query_port>("ibv_query_port")(context, port_num, port_attr);
}
[[gnu::weak]] int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* attr, int mask, ibv_qp_init_attr* made) {
  return library.real<ibv_query_qp>("ibv_query_qp")(qp, attr, mask, made);
}
[[gnu::weak]] ibv_mr* ibv_reg_mr(ibv_pd* pd, void* address, std::size_t length, int access) {
  return library.real<ibv_reg_mr>("ibv_reg_mr")(pd, address, length, access);
}
[[gnu::weak]] ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* address, std::size_t length,
                                       std::uint64_t iova, unsigned int access) {
  return library.real<ibv_reg_mr_iova2>("ibv_reg_mr_iova2")(pd, address, length, iova, access);
}
[[gnu::weak]] int ibv_resize_cq(ibv_cq* cq, int entries) {
  return library.real<ibv_resize_cq>("ibv_resize_cq")(cq, entries);
}
[[gnu::weak]] const char* ibv_wc_status_str(ibv_wc_status status) {
  return library.real<ibv_wc_status_str>("ibv_wc_status_str")(status);
}

}  // extern "C"
