// peal/detail/export.hpp
// Which names leave libpeal.so: everything is hidden but what carries PEAL_EXPORT.
#pragma once

#define PEAL_EXPORT __attribute__((visibility("default")))
