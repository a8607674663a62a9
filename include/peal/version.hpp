// peal/version.hpp
// Which peal a program is compiled with.
//
// Units    PEAL_VERSION: major * 10000 + minor * 100 + patch.
#pragma once

#define PEAL_VERSION_MAJOR 0
#define PEAL_VERSION_MINOR 1
#define PEAL_VERSION_PATCH 0
#define PEAL_VERSION (PEAL_VERSION_MAJOR * 10000 + PEAL_VERSION_MINOR * 100 + PEAL_VERSION_PATCH)
