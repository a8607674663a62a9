#include "mpi/errors/thrown.hpp"

#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace peal::mpi {

namespace {

failure rethrown() {
  try {
    throw;
  } catch (failure& thrown) {
    return std::move(thrown);
  } catch (const std::bad_alloc&) {
    return {MPI_ERR_NO_MEM, "there is no memory left"};
  } catch (const std::system_error& thrown) {  // peal::error is one
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
