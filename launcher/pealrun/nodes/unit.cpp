// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "nodes/agent/answer_lines.cpp"
#include "nodes/agent/file_pieces.cpp"
#include "nodes/agent/node_agent.cpp"
#include "nodes/agent/step_filter.cpp"
#include "nodes/clock_samples.cpp"
#include "nodes/node_agents.cpp"
#include "nodes/node_view.cpp"
#include "nodes/node_watch.cpp"
#include "nodes/slurm_job.cpp"
#include "nodes/watched_run.cpp"
