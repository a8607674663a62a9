// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "hang/analysis.cpp"
#include "hang/attach.cpp"
#include "hang/hang_report.cpp"
#include "hang/hang_watch.cpp"
#include "hang/job_table.cpp"
#include "hang/rank_ranges.cpp"
#include "hang/stacks.cpp"
#include "hang/stillness.cpp"
#include "hang/wait_words.cpp"
