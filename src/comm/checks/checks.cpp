#include "comm/checks/checks.hpp"

#include <fmt/format.h>

#include "peal/error.hpp"

namespace peal {

namespace {
std::string ranks_of(const team& in) {
  return in.size() == 1 ? "the only rank is 0" : fmt::format("ranks are 0 to {}", in.size() - 1);
}
}  // namespace

void refuse_rank(const team& in, const char* role, int rank, bool any,
                 const detail::location& where) {
  throw error(errc::invalid_rank,
              fmt::format("{} {}: {}, or proc_null{}", role, rank, ranks_of(in),
                          any ? ", or any_source" : ""),
              rank, where);
}

void refuse_tag(int tag, bool any, const detail::location& where) {
  throw error(errc::invalid_tag,
              fmt::format("tag {}: tags are 0 or greater{}", tag,
                          any                            ? ", or any_tag"
                          : tag == detail::any_tag_value ? "; any_tag is for receives"
                                                         : ""),
              -1, where);
}

void refuse_any_tag(const detail::location& where) {
  throw error(errc::invalid_tag,
              "any_tag, which this communicator has renounced: it was made by dup(no_any_tag), or "
              "with the hint mpi_assert_no_any_tag, and its receives and probes name their tag",
              -1, where);
}

void refuse_root(const team& in, int root, const detail::location& where) {
  throw error(errc::invalid_root, fmt::format("root {}: {}", root, ranks_of(in)), root, where);
}

void throw_absent(const char* what, int rank, const detail::location& where) {
  throw error(
      errc::operation_failed,
      fmt::format("{}: rank {} takes no part, since it was refused its arguments", what, rank),
      rank, where);
}

void throw_failure(std::error_code code, const char* what, int peer,
                   const detail::location& where) {
  throw error(code, peer >= 0 ? fmt::format("{} rank {}", what, peer) : std::string{what}, peer,
              where);
}

}  // namespace peal
