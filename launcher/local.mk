bin_PROGRAMS += pealrun
pealrun_SOURCES = \
  launcher/pealrun/end/cause.hpp \
  launcher/pealrun/end/end_order.hpp \
  launcher/pealrun/engine/choice.hpp \
  launcher/pealrun/engine/counterparts.hpp \
  launcher/pealrun/engine/other_end.hpp \
  launcher/pealrun/engine/other_launcher.hpp \
  launcher/pealrun/engine/prterun_command.hpp \
  launcher/pealrun/engine/prterun_errors.hpp \
  launcher/pealrun/engine/prterun_remains.hpp \
  launcher/pealrun/engine/ranks_command.hpp \
  launcher/pealrun/engine/slurm/daemon_watch.hpp \
  launcher/pealrun/engine/slurm/slurmd_contact.hpp \
  launcher/pealrun/engine/slurm/slurm_step.hpp \
  launcher/pealrun/engine/slurm/srun_command.hpp \
  launcher/pealrun/engine/slurm/srun_errors.hpp \
  launcher/pealrun/engine/slurm/step_watch.hpp \
  launcher/pealrun/engine/slurm/text_filter.hpp \
  launcher/pealrun/engine/supervisor.hpp \
  launcher/pealrun/engine/terminal_relay.hpp \
  launcher/pealrun/explain/devices.hpp \
  launcher/pealrun/explain/plan.hpp \
  launcher/pealrun/hang/analysis.hpp \
  launcher/pealrun/hang/attach.hpp \
  launcher/pealrun/hang/hang_report.hpp \
  launcher/pealrun/hang/hang_watch.hpp \
  launcher/pealrun/hang/job_table.hpp \
  launcher/pealrun/hang/rank_ranges.hpp \
  launcher/pealrun/hang/stacks.hpp \
  launcher/pealrun/hang/stillness.hpp \
  launcher/pealrun/hang/wait_words.hpp \
  launcher/pealrun/job.hpp \
  launcher/pealrun/nodes/agent/answer_lines.hpp \
  launcher/pealrun/nodes/clock_samples.hpp \
  launcher/pealrun/nodes/agent/file_pieces.hpp \
  launcher/pealrun/nodes/agent/node_agent.hpp \
  launcher/pealrun/nodes/node_agents.hpp \
  launcher/pealrun/nodes/node_view.hpp \
  launcher/pealrun/nodes/node_watch.hpp \
  launcher/pealrun/nodes/slurm_job.hpp \
  launcher/pealrun/nodes/agent/step_filter.hpp \
  launcher/pealrun/nodes/watched_run.hpp \
  launcher/pealrun/placement/bindings_text.hpp \
  launcher/pealrun/placement/held_cores.hpp \
  launcher/pealrun/placement/mapping.hpp \
  launcher/pealrun/placement/node_cores.hpp \
  launcher/pealrun/placement/place.hpp \
  launcher/pealrun/placement/placement.hpp \
  launcher/pealrun/placement/rankfile.hpp \
  launcher/pealrun/pmix/pmix_host.hpp \
  launcher/pealrun/pmix/pmix_infos.hpp \
  launcher/pealrun/pmix/pmix_upcalls.hpp \
  launcher/pealrun/processes/descriptors.hpp \
  launcher/pealrun/processes/guard.hpp \
  launcher/pealrun/processes/program.hpp \
  launcher/pealrun/processes/restart.hpp \
  launcher/pealrun/processes/signals.hpp \
  launcher/pealrun/processes/spawn.hpp \
  launcher/pealrun/processes/stack_limit.hpp \
  launcher/pealrun/processes/strays.hpp \
  launcher/pealrun/processes/terminal.hpp \
  launcher/pealrun/processes/unkillable.hpp \
  launcher/pealrun/report/page/charts.hpp \
  launcher/pealrun/report/gathered.hpp \
  launcher/pealrun/report/page/heat_map.hpp \
  launcher/pealrun/report/page/page.hpp \
  launcher/pealrun/report/page/page_tables.hpp \
  launcher/pealrun/report/places.hpp \
  launcher/pealrun/report/run_record.hpp \
  launcher/pealrun/report/summary.hpp \
  launcher/pealrun/report/text.hpp \
  launcher/pealrun/report/trace.hpp \
  launcher/pealrun/request/checks.hpp \
  launcher/pealrun/request/command_line.hpp \
  launcher/pealrun/request/options/engine_options.hpp \
  launcher/pealrun/request/options/failure_options.hpp \
  launcher/pealrun/request/options/hang_options.hpp \
  launcher/pealrun/request/help.hpp \
  launcher/pealrun/request/options/output_options.hpp \
  launcher/pealrun/request/options/placement_options.hpp \
  launcher/pealrun/request/placement_request.hpp \
  launcher/pealrun/request/options/report_options.hpp \
  launcher/pealrun/request/request.hpp \
  launcher/pealrun/say.hpp \
  launcher/pealrun/shown/call_sites.hpp \
  launcher/pealrun/shown/known_calls.hpp \
  launcher/pealrun/shown/process_stat.hpp \
  launcher/pealrun/shown/rank_pages.hpp \
  launcher/pealrun/shown/snapshot.hpp \
  launcher/pealrun/shown/tool.hpp \
  launcher/pealrun/streams/descriptor_sink.hpp \
  launcher/pealrun/streams/file_sink.hpp \
  launcher/pealrun/streams/line_prefix.hpp \
  launcher/pealrun/streams/output_folder.hpp \
  launcher/pealrun/streams/pseudo_terminal.hpp \
  launcher/pealrun/streams/rank_input.hpp \
  launcher/pealrun/streams/rank_output.hpp \
  launcher/pealrun/streams/sink.hpp \
  launcher/pealrun/streams/spool.hpp
if UNITS
pealrun_SOURCES += \
  launcher/pealrun/engine/unit.cpp \
  launcher/pealrun/hang/unit.cpp \
  launcher/pealrun/nodes/unit.cpp \
  launcher/pealrun/report/unit.cpp \
  launcher/pealrun/request/unit.cpp \
  launcher/pealrun/shown/unit.cpp \
  launcher/pealrun/streams/unit.cpp \
  launcher/pealrun/unit.cpp
else
pealrun_SOURCES += \
  launcher/pealrun/end/cause.cpp \
  launcher/pealrun/end/end_order.cpp \
  launcher/pealrun/engine/choice.cpp \
  launcher/pealrun/engine/counterparts.cpp \
  launcher/pealrun/engine/other_launcher.cpp \
  launcher/pealrun/engine/prterun_command.cpp \
  launcher/pealrun/engine/prterun_errors.cpp \
  launcher/pealrun/engine/prterun_remains.cpp \
  launcher/pealrun/engine/ranks_command.cpp \
  launcher/pealrun/engine/slurm/daemon_watch.cpp \
  launcher/pealrun/engine/slurm/slurmd_contact.cpp \
  launcher/pealrun/engine/slurm/slurm_step.cpp \
  launcher/pealrun/engine/slurm/srun_command.cpp \
  launcher/pealrun/engine/slurm/srun_errors.cpp \
  launcher/pealrun/engine/slurm/step_watch.cpp \
  launcher/pealrun/engine/slurm/text_filter.cpp \
  launcher/pealrun/engine/supervisor.cpp \
  launcher/pealrun/engine/terminal_relay.cpp \
  launcher/pealrun/explain/devices.cpp \
  launcher/pealrun/explain/plan.cpp \
  launcher/pealrun/hang/analysis.cpp \
  launcher/pealrun/hang/attach.cpp \
  launcher/pealrun/hang/hang_report.cpp \
  launcher/pealrun/hang/hang_watch.cpp \
  launcher/pealrun/hang/job_table.cpp \
  launcher/pealrun/hang/rank_ranges.cpp \
  launcher/pealrun/hang/stacks.cpp \
  launcher/pealrun/hang/stillness.cpp \
  launcher/pealrun/hang/wait_words.cpp \
  launcher/pealrun/job.cpp \
  launcher/pealrun/job_ends.cpp \
  launcher/pealrun/job_signals.cpp \
  launcher/pealrun/main.cpp \
  launcher/pealrun/nodes/agent/answer_lines.cpp \
  launcher/pealrun/nodes/clock_samples.cpp \
  launcher/pealrun/nodes/agent/file_pieces.cpp \
  launcher/pealrun/nodes/agent/node_agent.cpp \
  launcher/pealrun/nodes/node_agents.cpp \
  launcher/pealrun/nodes/node_view.cpp \
  launcher/pealrun/nodes/node_watch.cpp \
  launcher/pealrun/nodes/slurm_job.cpp \
  launcher/pealrun/nodes/agent/step_filter.cpp \
  launcher/pealrun/nodes/watched_run.cpp \
  launcher/pealrun/placement/bindings_text.cpp \
  launcher/pealrun/placement/held_cores.cpp \
  launcher/pealrun/placement/mapping.cpp \
  launcher/pealrun/placement/node_cores.cpp \
  launcher/pealrun/placement/place.cpp \
  launcher/pealrun/placement/placement.cpp \
  launcher/pealrun/placement/rankfile.cpp \
  launcher/pealrun/pmix/pmix_host.cpp \
  launcher/pealrun/pmix/pmix_upcalls.cpp \
  launcher/pealrun/processes/descriptors.cpp \
  launcher/pealrun/processes/guard.cpp \
  launcher/pealrun/processes/program.cpp \
  launcher/pealrun/processes/restart.cpp \
  launcher/pealrun/processes/signals.cpp \
  launcher/pealrun/processes/spawn.cpp \
  launcher/pealrun/processes/stack_limit.cpp \
  launcher/pealrun/processes/strays.cpp \
  launcher/pealrun/processes/terminal.cpp \
  launcher/pealrun/processes/unkillable.cpp \
  launcher/pealrun/report/page/charts.cpp \
  launcher/pealrun/report/gathered.cpp \
  launcher/pealrun/report/page/heat_map.cpp \
  launcher/pealrun/report/page/page.cpp \
  launcher/pealrun/report/page/page_tables.cpp \
  launcher/pealrun/report/places.cpp \
  launcher/pealrun/report/run_record.cpp \
  launcher/pealrun/report/summary.cpp \
  launcher/pealrun/report/text.cpp \
  launcher/pealrun/report/trace.cpp \
  launcher/pealrun/request/checks.cpp \
  launcher/pealrun/request/command_line.cpp \
  launcher/pealrun/request/options/engine_options.cpp \
  launcher/pealrun/request/options/failure_options.cpp \
  launcher/pealrun/request/options/hang_options.cpp \
  launcher/pealrun/request/help.cpp \
  launcher/pealrun/request/options/output_options.cpp \
  launcher/pealrun/request/options/placement_options.cpp \
  launcher/pealrun/request/placement_request.cpp \
  launcher/pealrun/request/options/report_options.cpp \
  launcher/pealrun/request/request.cpp \
  launcher/pealrun/shown/call_sites.cpp \
  launcher/pealrun/shown/known_calls.cpp \
  launcher/pealrun/shown/process_stat.cpp \
  launcher/pealrun/shown/rank_pages.cpp \
  launcher/pealrun/shown/snapshot.cpp \
  launcher/pealrun/shown/snapshot_json.cpp \
  launcher/pealrun/shown/tool.cpp \
  launcher/pealrun/streams/descriptor_sink.cpp \
  launcher/pealrun/streams/file_sink.cpp \
  launcher/pealrun/streams/line_prefix.cpp \
  launcher/pealrun/streams/output_folder.cpp \
  launcher/pealrun/streams/pseudo_terminal.cpp \
  launcher/pealrun/streams/rank_input.cpp \
  launcher/pealrun/streams/rank_output.cpp \
  launcher/pealrun/streams/spool.cpp
endif
pealrun_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/launcher/pealrun $(PMIX_CFLAGS) $(HWLOC_CFLAGS) $(FMT_CFLAGS)
# libresolv has base64.
pealrun_LDADD = $(peal_parts) -lresolv $(PMIX_LIBS) $(FMT_LIBS)

# Where these shells look for completions of programs.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = launcher/completion/bash/pealrun
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = launcher/completion/zsh/_pealrun

bin_PROGRAMS += peal-info
peal_info_SOURCES = \
  launcher/info/explain.cpp \
  launcher/info/explain.hpp \
  launcher/info/job_memory.cpp \
  launcher/info/job_memory.hpp \
  launcher/info/json.cpp \
  launcher/info/learnt.cpp \
  launcher/info/learnt.hpp \
  launcher/info/main.cpp \
  launcher/info/measure.cpp \
  launcher/info/measure.hpp \
  launcher/info/overview.cpp \
  launcher/info/overview.hpp \
  launcher/info/report.cpp \
  launcher/info/report.hpp \
  launcher/info/text.cpp \
  launcher/info/tune.cpp \
  launcher/info/tune.hpp \
  launcher/info/units.hpp
peal_info_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS)
peal_info_LDADD = $(peal_parts) $(FMT_LIBS)

bin_PROGRAMS += peal-sim
peal_sim_SOURCES = \
  launcher/sim/command_line.cpp \
  launcher/sim/command_line.hpp \
  launcher/sim/compare.cpp \
  launcher/sim/json.cpp \
  launcher/sim/main.cpp \
  launcher/sim/picture.cpp \
  launcher/sim/report.hpp \
  launcher/sim/text.cpp
peal_sim_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS)
peal_sim_LDADD = libpeal_simulator.la $(peal_parts) $(FMT_LIBS)
