#include "mpi/datatypes/constructors/parameterized.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <tuple>

#include "mpi/datatypes/constructors/predefined.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

// combiner, and its two arguments
using question = std::tuple<int, std::intptr_t, std::intptr_t>;

/// The answers that were given, in the order of their questions.
class answers {
 public:
  template <class Make>
  MPI_Datatype find(const question& asked, const Make& make) {
    const std::lock_guard<std::mutex> guard{mutex_};
    const auto found = given_.find(asked);
    if (found != given_.end()) return found->second;
    const MPI_Datatype made = add(make());
    given_.emplace(asked, made);
    return made;
  }

 private:
  static MPI_Datatype add(std::unique_ptr<definition> made) {
    definition& type = *made;
    const MPI_Datatype handle = add_datatype(definition_pointer{std::move(made)});
    type.set_predefined(handle);
    datatype_of(handle).committed = true;
    (void)type.plan();
    return handle;
  }

  std::mutex mutex_;
  std::map<question, MPI_Datatype> given_;
};

answers& given() {
  static answers& all = *new answers;
  return all;
}

struct real_kind {
  int precision;
  int range;
  MPI_Datatype real;
  MPI_Datatype complex;
};
struct integer_kind {
  int range;
  MPI_Datatype type;
};

// The kinds of gfortran: IEEE's of 4, 8 and 16 bytes, and on x86 that of 10 bytes in between.
const real_kind& real_kind_of(int precision, int range) {
  static const std::array kinds = {real_kind{6, 37, MPI_REAL4, MPI_COMPLEX8},
                                   real_kind{15, 307, MPI_REAL8, MPI_COMPLEX16},
                                   real_kind{18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
                                   real_kind{33, 4931, MPI_REAL16, MPI_COMPLEX32}};
  if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED)
    fail(MPI_ERR_ARG, "both p and r are MPI_UNDEFINED");
  for (const real_kind& each : kinds)
    if ((precision == MPI_UNDEFINED || precision <= each.precision) &&
        (range == MPI_UNDEFINED || range <= each.range))
      return each;
  fail(MPI_ERR_ARG, fmt::format("no type has {} digits and a range of {}", precision, range));
}

MPI_Datatype integer_of(int range) {
  static const std::array kinds = {integer_kind{2, MPI_INTEGER1}, integer_kind{4, MPI_INTEGER2},
                                   integer_kind{9, MPI_INTEGER4}, integer_kind{18, MPI_INTEGER8},
                                   integer_kind{38, MPI_INTEGER16}};
  for (const integer_kind& each : kinds)
    if (range <= each.range) return each.type;
  fail(MPI_ERR_ARG, "r", range, "no integer has so many digits");
}

std::unique_ptr<definition> copy_of(MPI_Datatype type, contents with) {
  return std::make_unique<definition>(datatype_of(type).type().layout(), std::move(with));
}

contents f90_contents(int combiner, int precision, int range) {
  contents with{combiner};
  with.add_integer(precision);
  with.add_integer(range);
  return with;
}

bool is_number(const basic_type* type) noexcept {
  return type != nullptr && (type->known == domain::integer || type->known == domain::floating);
}

}  // namespace

MPI_Datatype f90_real(int precision, int range) {
  const real_kind& kind = real_kind_of(precision, range);
  return given().find({MPI_COMBINER_F90_REAL, precision, range}, [&] {
    return copy_of(kind.real, f90_contents(MPI_COMBINER_F90_REAL, precision, range));
  });
}

MPI_Datatype f90_complex(int precision, int range) {
  const real_kind& kind = real_kind_of(precision, range);
  return given().find({MPI_COMBINER_F90_COMPLEX, precision, range}, [&] {
    return copy_of(kind.complex, f90_contents(MPI_COMBINER_F90_COMPLEX, precision, range));
  });
}

MPI_Datatype f90_integer(int range) {
  const MPI_Datatype type = integer_of(range);
  return given().find({MPI_COMBINER_F90_INTEGER, range, 0}, [&] {
    contents with{MPI_COMBINER_F90_INTEGER};
    with.add_integer(range);
    return copy_of(type, std::move(with));
  });
}

MPI_Datatype match_size(int type_class, int size) {
  struct row {
    int type_class;
    MPI_Datatype type;
  };
  static const std::array rows = {
      row{MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL1},  row{MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL2},
      row{MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL4},  row{MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL8},
      row{MPIX_TYPECLASS_LOGICAL, MPI_LOGICAL16}, row{MPI_TYPECLASS_INTEGER, MPI_INTEGER1},
      row{MPI_TYPECLASS_INTEGER, MPI_INTEGER2},   row{MPI_TYPECLASS_INTEGER, MPI_INTEGER4},
      row{MPI_TYPECLASS_INTEGER, MPI_INTEGER8},   row{MPI_TYPECLASS_INTEGER, MPI_INTEGER16},
      row{MPI_TYPECLASS_REAL, MPI_REAL4},         row{MPI_TYPECLASS_REAL, MPI_REAL8},
      row{MPI_TYPECLASS_REAL, MPI_REAL16},        row{MPI_TYPECLASS_COMPLEX, MPI_COMPLEX8},
      row{MPI_TYPECLASS_COMPLEX, MPI_COMPLEX16},  row{MPI_TYPECLASS_COMPLEX, MPI_COMPLEX32}};
  bool known = false;
  for (const row& each : rows) {
    if (each.type_class != type_class) continue;
    known = true;
    if (datatype_of(each.type).type().size() == size) return each.type;
  }
  need(known, MPI_ERR_ARG, "typeclass", type_class, "it is no class of datatypes");
  fail(MPI_ERR_ARG, "size", size, "no type of this class has it");
}

MPI_Datatype value_index_type(MPI_Datatype value, MPI_Datatype index) {
  static const std::array named = {
      std::tuple{MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
      std::tuple{MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
      std::tuple{MPI_LONG, MPI_INT, MPI_LONG_INT},
      std::tuple{MPI_INT, MPI_INT, MPI_2INT},
      std::tuple{MPI_SHORT, MPI_INT, MPI_SHORT_INT},
      std::tuple{MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
      std::tuple{MPI_REAL, MPI_REAL, MPI_2REAL},
      std::tuple{MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
      std::tuple{MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER}};
  const definition_pointer values = datatype_of(value, "value_type").shared;
  const definition_pointer indices = datatype_of(index, "index_type").shared;
  if (!is_number(values->basic()) || !is_number(indices->basic()))
    fail(MPI_ERR_TYPE, "a value and its index are both of predefined types of numbers");
  for (const auto& [of, with, pair] : named)
    if (of == value && with == index) return pair;
  if (indices->basic()->known != domain::integer) return MPI_DATATYPE_NULL;
  return given().find({MPI_COMBINER_VALUE_INDEX, reinterpret_cast<std::intptr_t>(value),
                       reinterpret_cast<std::intptr_t>(index)},
                      [&] {
                        return make_pair_type(
                            values, indices,
                            contents{MPI_COMBINER_VALUE_INDEX, form::small, {values, indices}});
                      });
}

}  // namespace peal::mpi
