// peal/peal.hpp
// Everything a program needs: includes every header of the API.
#pragma once

#include <peal/error.hpp>
