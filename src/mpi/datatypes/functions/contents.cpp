// How a datatype was made.

#include <algorithm>

#include "mpi/datatypes/functions/arguments.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

namespace {

/// What the functions without large counts cannot tell.
void need_small(const contents& made_with) {
  if (made_with.made_by == form::large)
    fail(MPI_ERR_TYPE,
         "the datatype was made with large counts: ask MPI_Type_get_envelope_c and "
         "MPI_Type_get_contents_c");
}

template <class Count>
struct envelope_places {
  Count* integers;
  Count* addresses;
  Count* large_counts;  // null: those cannot be told
  Count* types;
  int* combiner;
};

template <class Count>
void envelope(MPI_Datatype type, const envelope_places<Count>& to) {
  need_place(to.integers, "num_integers");
  need_place(to.addresses, "num_addresses");
  need_place(to.types, "num_datatypes");
  need_place(to.combiner, "combiner");
  const contents& with = datatype_of(type).type().made_with();
  if (to.large_counts == nullptr) need_small(with);
  else *to.large_counts = static_cast<Count>(with.large_counts.size());
  *to.integers = static_cast<Count>(with.integers.size());
  *to.addresses = static_cast<Count>(with.addresses.size());
  *to.types = static_cast<Count>(with.types.size());
  *to.combiner = with.combiner;
}

template <class Value>
void need_room(const std::vector<Value>& values, std::int64_t most, const Value* list,
               const char* count, const char* name) {
  need(most >= static_cast<std::int64_t>(values.size()), MPI_ERR_ARG, count, most,
       "there are more of them");
  if (!values.empty()) need_place(list, name);
}

/// A predefined type is told by its handle, another one by a new handle.
MPI_Datatype handle_for(const definition_pointer& type) {
  return type->predefined() != nullptr ? type->predefined() : add_datatype(type);
}

struct content_places {
  std::int64_t most_integers;
  std::int64_t most_addresses;
  std::int64_t most_large_counts;
  std::int64_t most_types;
  int* integers;
  MPI_Aint* addresses;
  MPI_Count* large_counts;
  MPI_Datatype* types;
};

void tell_contents(MPI_Datatype type, const content_places& to) {
  const definition_pointer told = datatype_of(type).shared;
  const contents& with = told->made_with();
  if (with.combiner == MPI_COMBINER_NAMED)
    fail(MPI_ERR_TYPE, datatype_of(type).name + " is a predefined datatype and has no contents");
  need_room(with.integers, to.most_integers, to.integers, "max_integers", "array_of_integers");
  need_room(with.addresses, to.most_addresses, to.addresses, "max_addresses", "array_of_addresses");
  need_room(with.large_counts, to.most_large_counts, to.large_counts, "max_large_counts",
            "array_of_large_counts");
  need(to.most_types >= static_cast<std::int64_t>(with.types.size()), MPI_ERR_ARG, "max_datatypes",
       to.most_types, "there are more of them");
  if (!with.types.empty()) need_place(to.types, "array_of_datatypes");
  std::ranges::copy(with.integers, to.integers);
  std::ranges::copy(with.addresses, to.addresses);
  std::ranges::copy(with.large_counts, to.large_counts);
  std::ranges::transform(with.types, to.types, handle_for);
}

}  // namespace

PEAL_MPI_FUNCTION(int, Type_get_envelope, MPI_Datatype datatype, int* num_integers,
                  int* num_addresses, int* num_datatypes, int* combiner) {
  return run_in_job("MPI_Type_get_envelope", [&] {
    envelope<int>(datatype, {num_integers, num_addresses, nullptr, num_datatypes, combiner});
  });
}
PEAL_MPI_FUNCTION(int, Type_get_envelope_c, MPI_Datatype datatype, MPI_Count* num_integers,
                  MPI_Count* num_addresses, MPI_Count* num_large_counts, MPI_Count* num_datatypes,
                  int* combiner) {
  return run_in_job("MPI_Type_get_envelope_c", [&] {
    need_place(num_large_counts, "num_large_counts");
    envelope<MPI_Count>(datatype,
                        {num_integers, num_addresses, num_large_counts, num_datatypes, combiner});
  });
}
PEAL_MPI_FUNCTION(int, Type_get_contents, MPI_Datatype datatype, int max_integers,
                  int max_addresses, int max_datatypes, int array_of_integers[],
                  MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) {
  return run_in_job("MPI_Type_get_contents", [&] {
    need_small(datatype_of(datatype).type().made_with());
    tell_contents(datatype, {max_integers, max_addresses, 0, max_datatypes, array_of_integers,
                             array_of_addresses, nullptr, array_of_datatypes});
  });
}
PEAL_MPI_FUNCTION(int, Type_get_contents_c, MPI_Datatype datatype, MPI_Count max_integers,
                  MPI_Count max_addresses, MPI_Count max_large_counts, MPI_Count max_datatypes,
                  int array_of_integers[], MPI_Aint array_of_addresses[],
                  MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[]) {
  return run_in_job("MPI_Type_get_contents_c", [&] {
    tell_contents(datatype,
                  {max_integers, max_addresses, max_large_counts, max_datatypes, array_of_integers,
                   array_of_addresses, array_of_large_counts, array_of_datatypes});
  });
}

}  // namespace peal::mpi
