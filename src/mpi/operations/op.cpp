#include "mpi/operations/op.hpp"

#include <fmt/format.h>

#include <climits>

#include "mpi/operations/kernels.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

/// Whether the standard lets the operation be used with these numbers.
bool serves(detail::builtin kind, domain known) noexcept {
  using detail::builtin;
  switch (kind) {
    case builtin::sum:
    case builtin::prod:
      return known == domain::integer || known == domain::floating || known == domain::complex;
    case builtin::min:
    case builtin::max: return known == domain::integer || known == domain::floating;
    case builtin::land:
    case builtin::lor:
    case builtin::lxor: return known == domain::integer || known == domain::logical;
    case builtin::band:
    case builtin::bor:
    case builtin::bxor: return known == domain::integer || known == domain::byte;
    case builtin::none: break;
  }
  return false;
}

struct standard_op {
  MPI_Op handle;
  op how;
};

standard_op* standard_ops() {
  using detail::builtin;
  static standard_op all[] = {
      {MPI_SUM, {"MPI_SUM", builtin::sum}},
      {MPI_PROD, {"MPI_PROD", builtin::prod}},
      {MPI_MIN, {"MPI_MIN", builtin::min}},
      {MPI_MAX, {"MPI_MAX", builtin::max}},
      {MPI_LAND, {"MPI_LAND", builtin::land}},
      {MPI_LOR, {"MPI_LOR", builtin::lor}},
      {MPI_LXOR, {"MPI_LXOR", builtin::lxor}},
      {MPI_BAND, {"MPI_BAND", builtin::band}},
      {MPI_BOR, {"MPI_BOR", builtin::bor}},
      {MPI_BXOR, {"MPI_BXOR", builtin::bxor}},
      {MPI_MINLOC, {"MPI_MINLOC"}},
      {MPI_MAXLOC, {"MPI_MAXLOC"}},
      {MPI_REPLACE, {"MPI_REPLACE", {}, false}},
      {MPI_NO_OP, {"MPI_NO_OP", {}, false}},
      {MPI_OP_NULL, {}},
  };
  return all;
}

}  // namespace

// Never destroyed: a program may free an operation while static objects go.
op_table& ops() {
  static auto* const all = [] {
    auto* const made = new op_table;
    for (standard_op* each = standard_ops(); each->handle != MPI_OP_NULL; ++each)
      made->set(each->handle, each->how);
    return made;
  }();
  return *all;
}

op& op_of(MPI_Op handle) {
  op* const found = ops().find(handle);
  if (found == nullptr)
    fail_handle(MPI_ERR_OP, "op", handle, MPI_OP_NULL, "MPI_OP_NULL", "operation");
  return *found;
}

detail::scalar scalar_joined_by(const op& how, const definition& type) noexcept {
  const basic_type* const basic = type.basic();
  if (how.function != nullptr || how.large_function != nullptr || basic == nullptr ||
      !serves(how.kind, basic->known))
    return detail::scalar::opaque;
  // Of a truth value that is a number: true is one, whatever it was made of.
  if (basic->known == domain::logical && basic->scalar != detail::scalar::boolean)
    return detail::scalar::opaque;
  return basic->scalar;
}

joining::joining(MPI_Op handle, MPI_Datatype type) : how_{op_of(handle)}, type_{type} {
  shared_ = committed_datatype_of(type).shared;
  const definition& of = *shared_;
  element_bytes_ = static_cast<std::size_t>(of.extent());
  if (how_.function != nullptr || how_.large_function != nullptr) return;
  scalar_ = scalar_joined_by(how_, of);
  if (scalar_ != detail::scalar::opaque) return;
  const basic_type* const basic = of.basic();
  if (basic != nullptr && serves(how_.kind, basic->known)) {
    kernel_ = number_kernel(how_.kind, *basic);
    if (kernel_ != nullptr) return;
  }
  if (of.pair() != nullptr) kernel_ = pair_kernel(handle, *of.pair());
  if (kernel_ == nullptr)
    fail(MPI_ERR_OP, fmt::format("op is {}, which does not know this datatype", how_.name));
}

void joining::set(detail::collective_call& call) noexcept {
  call.type = scalar_;
  call.element_size = element_bytes_;
  call.op.commutative = how_.commutative;
  if (kernel_ != nullptr) call.op.combine = &call_kernel;
  else if (scalar_ != detail::scalar::opaque) call.op.kind = how_.kind;
  else call.op.combine = &call_user;
  call.op.context = this;
}

void joining::take_from_lower_bound() {
  const layout& of = shared_->layout();
  if (of.size != 0 && (of.true_lower < of.lower || of.true_upper > of.upper))
    fail(MPI_ERR_UNSUPPORTED_OPERATION,
         "peal does not join elements that reach beyond the bounds of their datatype");
  lower_ = of.lower;
}

void joining::join(const void* in, void* inout, std::size_t count) {
  detail::collective_call call;
  set(call);
  call.bytes = count * element_bytes_;
  detail::reduce_local(call, in, inout, place);
}

void joining::call_kernel(void* self, const void* in, void* inout, std::size_t count) {
  static_cast<joining*>(self)->kernel_(in, inout, count);
}

void joining::call_user(void* self, const void* in, void* inout, std::size_t count) {
  auto& here = *static_cast<joining*>(self);
  // Neither the function nor its type knows of const.
  auto* from = const_cast<std::byte*>(static_cast<const std::byte*>(in)) - here.lower_;
  auto* into = static_cast<std::byte*>(inout) - here.lower_;
  if (here.how_.large_function != nullptr) {
    auto length = static_cast<MPI_Count>(count);
    return here.how_.large_function(from, into, &length, &here.type_);
  }
  while (count != 0) {
    int length = static_cast<int>(std::min<std::size_t>(count, INT_MAX));
    const auto taken = static_cast<std::size_t>(length);
    here.how_.function(from, into, &length, &here.type_);
    from += taken * here.element_bytes_;
    into += taken * here.element_bytes_;
    count -= taken;
  }
}

}  // namespace peal::mpi
