// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "streams/descriptor_sink.cpp"
#include "streams/file_sink.cpp"
#include "streams/line_prefix.cpp"
#include "streams/output_folder.cpp"
#include "streams/pseudo_terminal.cpp"
#include "streams/rank_input.cpp"
#include "streams/rank_output.cpp"
#include "streams/spool.cpp"
