// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "nodes/answer_lines.cpp"
#include "nodes/clock_samples.cpp"
#include "nodes/file_pieces.cpp"
#include "nodes/node_agent.cpp"
#include "nodes/node_agents.cpp"
#include "nodes/node_view.cpp"
#include "nodes/node_watch.cpp"
#include "nodes/slurm_job.cpp"
#include "nodes/step_filter.cpp"
#include "nodes/watched_run.cpp"
