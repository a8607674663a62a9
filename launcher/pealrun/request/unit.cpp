// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "request/checks.cpp"
#include "request/command_line.cpp"
#include "request/help.cpp"
#include "request/options/engine_options.cpp"
#include "request/options/failure_options.cpp"
#include "request/options/hang_options.cpp"
#include "request/options/output_options.cpp"
#include "request/options/placement_options.cpp"
#include "request/options/report_options.cpp"
#include "request/placement_request.cpp"
#include "request/request.cpp"
