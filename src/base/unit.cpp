// The sources of this folder, compiled as one where the library is built in units (configure
// --enable-units).
#include "base/copy.cpp"
#include "base/error.cpp"
#include "base/log.cpp"
#include "base/on_demand/shared_library.cpp"
#include "base/settings.cpp"
#include "base/timing/ticks.cpp"
#include "base/uncaught.cpp"
#include "base/value_types.cpp"
#include "base/variables.cpp"
