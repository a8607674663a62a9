#include "mpi/errors/error_codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "mpi/errors/class_texts.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

struct added_code {
  int error_class;  // its own number: a class
  bool has_text = false;
  std::string text = {};
};
struct code_table {
  std::mutex lock;
  std::map<int, added_code> all;
  int last = MPI_ERR_LASTCODE;
};
code_table& codes() {
  // Never destroyed: a program may use codes in destructors of its static objects.
  static code_table& all = *new code_table;
  return all;
}

bool is_of_standard(int code) noexcept { return text_of_class(code) != nullptr; }

// Below, the lock is held.
int next_code(code_table& table) {
  if (table.last == std::numeric_limits<int>::max())
    fail(MPI_ERR_NO_MEM, "all numbers for error codes were used");
  return ++table.last;
}
added_code& added(code_table& table, const char* argument, int code) {
  const auto found = table.all.find(code);
  if (found == table.all.end())
    fail(MPI_ERR_ARG, argument, code,
         is_of_standard(code) ? "that is one of the standard" : "the program has added none such");
  return found->second;
}
void need_no_string(code_table& table, const char* argument, int code) {
  need(!added(table, argument, code).has_text, MPI_ERR_ARG, argument, code,
       "it has a string, which must be removed first");
}

}  // namespace

int add_error_class() {
  code_table& table = codes();
  const std::lock_guard<std::mutex> guard{table.lock};
  const int made = next_code(table);
  table.all.emplace(made, added_code{made});
  return made;
}

int add_error_code(int error_class) {
  code_table& table = codes();
  const std::lock_guard<std::mutex> guard{table.lock};
  if (!is_of_standard(error_class) &&
      added(table, "errorclass", error_class).error_class != error_class)
    fail(MPI_ERR_ARG, "errorclass", error_class, "that is a code, but no class");
  const int made = next_code(table);
  table.all.emplace(made, added_code{error_class});
  return made;
}

void add_error_string(int code, std::string_view text) {
  code_table& table = codes();
  const std::lock_guard<std::mutex> guard{table.lock};
  added_code& of = added(table, "errorcode", code);
  of.text = text.substr(0, MPI_MAX_ERROR_STRING - 1);
  of.has_text = true;
}

void remove_error_class(int error_class) {
  code_table& table = codes();
  const std::lock_guard<std::mutex> guard{table.lock};
  if (added(table, "errorclass", error_class).error_class != error_class)
    fail(MPI_ERR_ARG, "errorclass", error_class, "that is a code, but no class");
  if (std::any_of(table.all.begin(), table.all.end(), [error_class](const auto& each) {
        return each.second.error_class == error_class && each.first != error_class;
      }))
    fail(MPI_ERR_ARG, "errorclass", error_class, "it has codes, which must be removed first");
  need_no_string(table, "errorclass", error_class);
  table.all.erase(error_class);
}

void remove_error_code(int code) {
  code_table& table = codes();
  const std::lock_guard<std::mutex> guard{table.lock};
  if (added(table, "errorcode", code).error_class == code)
    fail(MPI_ERR_ARG, "errorcode", code, "that is a class");
  need_no_string(table, "errorcode", code);
  table.all.erase(code);
}

void remove_error_string(int code) {
  code_table& table = codes();
  const std::lock_guard<std::mutex> guard{table.lock};
  added_code& of = added(table, "errorcode", code);
  need(of.has_text, MPI_ERR_ARG, "errorcode", code, "it has no string");
  of.text.clear();
  of.has_text = false;
}

int class_of_code(int code) {
  if (is_of_standard(code)) return code;
  code_table& table = codes();
  const std::lock_guard<std::mutex> guard{table.lock};
  return added(table, "errorcode", code).error_class;
}

std::string text_of_code(int code) {
  if (const char* const text = text_of_class(code)) {
    const char* const name = name_of_class(code);
    return fmt::format("{}: {}", name == nullptr ? "MPI_ERR_LASTCODE" : name, text);
  }
  code_table& table = codes();
  const std::lock_guard<std::mutex> guard{table.lock};
  return added(table, "errorcode", code).text;
}

failure failure_of_code(int code) {
  try {
    return {code, text_of_code(code)};
  } catch (const failure&) {
    return {code, "the program has called the error handler"};
  }
}

int last_used_code() noexcept {
  code_table& table = codes();
  const std::lock_guard<std::mutex> guard{table.lock};
  return table.last;
}

}  // namespace peal::mpi
