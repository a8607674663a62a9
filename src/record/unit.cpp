// The sources of this folder, compiled as one where the library is built in units (configure
// --enable-units).
#include "record/call_scope.cpp"
#include "record/event_log.cpp"
#include "record/recorder.cpp"
