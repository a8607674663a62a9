// How plans live and end, and what becomes of those that are used in a wrong way.
#pragma once

#include <peal/peal.hpp>

namespace plans {

void lives(const peal::communicator& world);
void misuse(const peal::communicator& world);

}  // namespace plans
