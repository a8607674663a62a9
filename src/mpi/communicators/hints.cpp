#include "mpi/communicators/hints.hpp"

#include <fmt/format.h>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

constexpr const char* no_any_tag = "mpi_assert_no_any_tag";
constexpr const char* assertions[] = {no_any_tag, "mpi_assert_no_any_source",
                                      "mpi_assert_exact_length", "mpi_assert_allow_overtaking",
                                      "mpi_assert_strict_persistent_collective_ordering"};

}  // namespace

info hints_in(MPI_Info from) {
  info found;
  const info* const given = hints_of(from);
  if (given == nullptr) return found;
  for (const char* const each : assertions) {
    const std::string* const value = given->find(each);
    if (value == nullptr) continue;
    if (*value != "true" && *value != "false")
      fail(MPI_ERR_INFO_VALUE,
           fmt::format("{} is {}, which is neither true nor false", each, *value));
    found.set(each, *value);
  }
  return found;
}

bool wants_named_tags(const info& hints) {
  const std::string* const value = hints.find(no_any_tag);
  return value != nullptr && *value == "true";
}

void set_hints(communicator& of, const info& given) {
  info made = of.hints;
  for (int each = 0; each != given.size(); ++each)
    made.set(given.key(each), *given.find(given.key(each)));
  of.hints = std::move(made);
}

info hints_in_use(const communicator& of) {
  info told = of.hints;
  told.set(no_any_tag, detail::names_tags(*of.state) ? "true" : "false");
  return told;
}

}  // namespace peal::mpi
