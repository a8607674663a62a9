// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "request/checks.cpp"
#include "request/command_line.cpp"
#include "request/engine_options.cpp"
#include "request/failure_options.cpp"
#include "request/hang_options.cpp"
#include "request/help.cpp"
#include "request/output_options.cpp"
#include "request/placement_options.cpp"
#include "request/placement_request.cpp"
#include "request/report_options.cpp"
#include "request/request.cpp"
