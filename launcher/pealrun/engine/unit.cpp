// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "engine/choice.cpp"
#include "engine/counterparts.cpp"
#include "engine/other_launcher.cpp"
#include "engine/prterun_command.cpp"
#include "engine/ranks_command.cpp"
#include "engine/slurm/slurm_step.cpp"
#include "engine/slurm/srun_command.cpp"
#include "engine/slurm/srun_errors.cpp"
#include "engine/slurm/text_filter.cpp"
#include "engine/supervisor.cpp"
#include "engine/terminal_relay.cpp"
