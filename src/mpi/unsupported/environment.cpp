// Functions of mpi/environment.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

