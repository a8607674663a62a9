#include "mpi/errors/thrown.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <peal/error.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

/// Without the place of the call where that is one of this library.
std::string text_of(const error& thrown) {
  std::string text = thrown.what();
  const std::source_location& where = thrown.where();
  const std::string head = fmt::format("{}:{}: ", where.file_name(), where.line());
  if (std::string_view{where.file_name()} == place.file_name() && text.starts_with(head))
    text.erase(0, head.size());
  return text;
}

failure rethrown() {
  try {
    throw;
  } catch (failure& thrown) {
    return std::move(thrown);
  } catch (const std::bad_alloc&) {
    return {MPI_ERR_NO_MEM, "there is no memory left"};
  } catch (const error& thrown) {
    return {class_of(thrown.code()), text_of(thrown)};
  } catch (const std::system_error& thrown) {
    return {class_of(thrown.code()), thrown.what()};
  } catch (const std::exception& thrown) {
    return {MPI_ERR_OTHER, thrown.what()};
  } catch (...) {
    return {MPI_ERR_OTHER, "something was thrown that is no std::exception"};
  }
}

}  // namespace

failure what_was_thrown() noexcept {
  try {
    return rethrown();
  } catch (...) {  // there was no memory for the sentence
    return {MPI_ERR_NO_MEM, {}};
  }
}

}  // namespace peal::mpi
