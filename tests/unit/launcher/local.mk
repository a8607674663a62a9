check_PROGRAMS += tests/unit/launcher_test
tests_unit_launcher_test_SOURCES = \
  tests/unit/launcher/end/cause_test.cpp \
  tests/unit/launcher/explain/plan_test.cpp \
  tests/unit/launcher/hang/analysis_test.cpp \
  tests/unit/launcher/hang/attach_test.cpp \
  tests/unit/launcher/hang/hang_report_test.cpp \
  tests/unit/launcher/hang/job_table_test.cpp \
  tests/unit/launcher/hang/modelled_job.hpp \
  tests/unit/launcher/hang/rank_ranges_test.cpp \
  tests/unit/launcher/hang/stacks_test.cpp \
  tests/unit/launcher/hang/stillness_test.cpp \
  tests/unit/launcher/hang/wait_words_test.cpp \
  tests/unit/launcher/nodes/agent/answer_lines_test.cpp \
  tests/unit/launcher/nodes/clock_samples_test.cpp \
  tests/unit/launcher/nodes/agent/file_pieces_test.cpp \
  tests/unit/launcher/nodes/slurm_job_test.cpp \
  tests/unit/launcher/nodes/agent/step_filter_test.cpp \
  tests/unit/launcher/placement/bindings_text_test.cpp \
  tests/unit/launcher/placement/held_cores_test.cpp \
  tests/unit/launcher/placement/mapping_test.cpp \
  tests/unit/launcher/placement/node_cores_test.cpp \
  tests/unit/launcher/placement/place_test.cpp \
  tests/unit/launcher/placement/rankfile_test.cpp \
  tests/unit/launcher/placement/topologies.hpp \
  tests/unit/launcher/processes/restart_test.cpp \
  tests/unit/launcher/processes/unkillable_test.cpp \
  tests/unit/launcher/report/page/charts_test.cpp \
  tests/unit/launcher/report/page/heat_map_test.cpp \
  tests/unit/launcher/report/page/page_test.cpp \
  tests/unit/launcher/report/summary_test.cpp \
  tests/unit/launcher/report/text_test.cpp \
  tests/unit/launcher/report/trace_test.cpp \
  tests/unit/launcher/request/help_test.cpp \
  tests/unit/launcher/request/placement_request_test.cpp \
  tests/unit/launcher/shown/call_sites_test.cpp \
  tests/unit/launcher/shown/process_stat_test.cpp \
  tests/unit/launcher/shown/rank_pages_test.cpp \
  tests/unit/launcher/shown/snapshot_test.cpp \
  tests/unit/launcher/shown/tool_test.cpp \
  tests/unit/launcher/streams/descriptor_sink_test.cpp \
  tests/unit/launcher/streams/file_sink_test.cpp \
  tests/unit/launcher/streams/line_prefix_test.cpp \
  tests/unit/launcher/streams/output_folder_test.cpp \
  tests/unit/launcher/streams/pseudo_terminal_test.cpp \
  tests/unit/launcher/streams/spool_test.cpp \
  launcher/pealrun/end/cause.cpp \
  launcher/pealrun/engine/ranks_command.cpp \
  launcher/pealrun/engine/slurm/slurm_step.cpp \
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
  launcher/pealrun/nodes/agent/answer_lines.cpp \
  launcher/pealrun/nodes/clock_samples.cpp \
  launcher/pealrun/nodes/agent/file_pieces.cpp \
  launcher/pealrun/nodes/node_agents.cpp \
  launcher/pealrun/nodes/slurm_job.cpp \
  launcher/pealrun/nodes/agent/step_filter.cpp \
  launcher/pealrun/placement/bindings_text.cpp \
  launcher/pealrun/placement/held_cores.cpp \
  launcher/pealrun/placement/mapping.cpp \
  launcher/pealrun/placement/node_cores.cpp \
  launcher/pealrun/placement/place.cpp \
  launcher/pealrun/placement/placement.cpp \
  launcher/pealrun/placement/rankfile.cpp \
  launcher/pealrun/processes/descriptors.cpp \
  launcher/pealrun/processes/restart.cpp \
  launcher/pealrun/processes/signals.cpp \
  launcher/pealrun/processes/unkillable.cpp \
  launcher/pealrun/report/page/charts.cpp \
  launcher/pealrun/report/page/heat_map.cpp \
  launcher/pealrun/report/page/page.cpp \
  launcher/pealrun/report/page/page_tables.cpp \
  launcher/pealrun/report/places.cpp \
  launcher/pealrun/report/summary.cpp \
  launcher/pealrun/report/text.cpp \
  launcher/pealrun/report/trace.cpp \
  launcher/pealrun/request/checks.cpp \
  launcher/pealrun/request/help.cpp \
  launcher/pealrun/request/placement_request.cpp \
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
  launcher/pealrun/streams/rank_output.cpp \
  launcher/pealrun/streams/spool.cpp
tests_unit_launcher_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/launcher/pealrun -I$(top_srcdir)/tests/unit/launcher
tests_unit_launcher_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_launcher_test_LDADD = $(unit_ldadd) -lresolv $(HWLOC_LIBS) $(FMT_LIBS)

check_PROGRAMS += tests/unit/engine_test
tests_unit_engine_test_SOURCES = \
  launcher/pealrun/engine/choice.cpp \
  launcher/pealrun/engine/counterparts.cpp \
  launcher/pealrun/engine/prterun_command.cpp \
  launcher/pealrun/engine/prterun_errors.cpp \
  launcher/pealrun/engine/ranks_command.cpp \
  launcher/pealrun/engine/slurm/slurm_step.cpp \
  launcher/pealrun/engine/slurm/slurmd_contact.cpp \
  launcher/pealrun/engine/slurm/srun_command.cpp \
  launcher/pealrun/engine/slurm/srun_errors.cpp \
  launcher/pealrun/engine/slurm/step_watch.cpp \
  launcher/pealrun/engine/slurm/text_filter.cpp \
  launcher/pealrun/processes/signals.cpp \
  launcher/pealrun/request/request.cpp \
  tests/unit/launcher/engine/choice_test.cpp \
  tests/unit/launcher/engine/prterun_command_test.cpp \
  tests/unit/launcher/engine/prterun_errors_test.cpp \
  tests/unit/launcher/engine/ranks_command_test.cpp \
  tests/unit/launcher/engine/request_maker.hpp \
  tests/unit/launcher/engine/slurm/slurmd_contact_test.cpp \
  tests/unit/launcher/engine/slurm/srun_command_test.cpp \
  tests/unit/launcher/engine/slurm/srun_errors_test.cpp \
  tests/unit/launcher/engine/slurm/step_watch_test.cpp \
  tests/unit/launcher/engine/slurm/text_filter_test.cpp
tests_unit_engine_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/launcher/pealrun $(FMT_CFLAGS)
tests_unit_engine_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_engine_test_LDADD = $(unit_ldadd) $(FMT_LIBS)
