// peal/environment.hpp
// This process's part of a job, from its making to its end, and the communicator of all its ranks.
//
// Errors   as peal/detail/environment.hpp says, which has the class.
#pragma once

#include <peal/communicator.hpp>
#include <peal/detail/environment.hpp>  // IWYU pragma: export
