#include "mpi/datatypes/definition.hpp"

namespace peal::mpi {

// A program may make a type of a type of a type, without end, and free them all but the last. They
// end one after the other rather than one inside of the other, which would take the whole stack.
definition::~definition() {
  std::vector<definition_pointer> ending = std::move(made_with_.types);
  while (!ending.empty()) {
    const definition_pointer last = std::move(ending.back());
    ending.pop_back();
    if (last == nullptr || last.use_count() != 1) continue;
    auto& types = const_cast<definition&>(*last).made_with_.types;
    for (definition_pointer& each : types) ending.push_back(std::move(each));
    types.clear();
  }
}

void definition::make_plan() const {
  const std::lock_guard guard{planning_};
  if (planned_.load(std::memory_order_relaxed)) return;
  plan_ = mpi::plan{layout_};
  planned_.store(true, std::memory_order_release);  // pairs with the acquire in plan
}

void need_memory(const void* buffer, const definition& type, std::int64_t bytes,
                 const char* argument, std::int64_t at) {
  constexpr std::int64_t first_page = 4096;
  if (buffer == MPI_IN_PLACE)
    fail(MPI_ERR_BUFFER, std::string{argument} + " is MPI_IN_PLACE, which has no meaning here");
  const std::int64_t first = at + type.layout().true_lower;
  if (buffer == nullptr && bytes != 0 && first >= 0 && first < first_page)
    fail(MPI_ERR_BUFFER, std::string{argument} + " is a null pointer, and it is not empty");
}

}  // namespace peal::mpi
