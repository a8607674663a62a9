check_PROGRAMS += tests/unit/launcher_test
tests_unit_launcher_test_SOURCES = \
  launcher/pealrun/end/cause.cpp \
  launcher/pealrun/hang/analysis.cpp \
  launcher/pealrun/hang/hang_report.cpp \
  launcher/pealrun/hang/hang_watch.cpp \
  launcher/pealrun/hang/job_table.cpp \
  launcher/pealrun/hang/rank_ranges.cpp \
  launcher/pealrun/hang/stacks.cpp \
  launcher/pealrun/hang/wait_words.cpp \
  launcher/pealrun/shown/call_sites.cpp \
  launcher/pealrun/shown/process_stat.cpp \
  launcher/pealrun/shown/rank_pages.cpp \
  launcher/pealrun/shown/snapshot.cpp \
  launcher/pealrun/shown/snapshot_json.cpp \
  launcher/pealrun/shown/tool.cpp \
  tests/unit/launcher/end/cause_test.cpp \
  tests/unit/launcher/hang/analysis_test.cpp \
  tests/unit/launcher/hang/hang_report_test.cpp \
  tests/unit/launcher/hang/hang_watch_test.cpp \
  tests/unit/launcher/hang/job_table_test.cpp \
  tests/unit/launcher/hang/modelled_job.hpp \
  tests/unit/launcher/hang/rank_ranges_test.cpp \
  tests/unit/launcher/hang/stacks_test.cpp \
  tests/unit/launcher/hang/wait_words_test.cpp \
  tests/unit/launcher/shown/call_sites_test.cpp \
  tests/unit/launcher/shown/process_stat_test.cpp \
  tests/unit/launcher/shown/rank_pages_test.cpp \
  tests/unit/launcher/shown/snapshot_test.cpp \
  tests/unit/launcher/shown/tool_test.cpp
tests_unit_launcher_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/launcher/pealrun
tests_unit_launcher_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_launcher_test_LDADD = $(unit_ldadd)
