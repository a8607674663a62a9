# Programs that tests of pealrun start.
check_PROGRAMS += \
  tests/launcher/blocked_rank \
  tests/launcher/busy_rank \
  tests/launcher/hanging_mpi \
  tests/launcher/hanging_rank \
  tests/launcher/learnt_rank \
  tests/launcher/meeting_rank \
  tests/launcher/numbered_rank \
  tests/launcher/plain_rank \
  tests/launcher/report_mpi_rank \
  tests/launcher/report_rank \
  tests/launcher/standing_rank
tests_launcher_blocked_rank_SOURCES = tests/launcher/blocked_rank.cpp
tests_launcher_blocked_rank_LDADD = libpeal.la
tests_launcher_busy_rank_SOURCES = tests/launcher/busy_rank.cpp
tests_launcher_busy_rank_LDADD = libpeal.la
tests_launcher_hanging_mpi_SOURCES = tests/launcher/hanging/hanging_mpi.c
tests_launcher_hanging_mpi_LDADD = libmpi_abi.la
tests_launcher_hanging_rank_SOURCES = tests/launcher/hanging/hanging_rank.cpp
tests_launcher_hanging_rank_LDADD = libpeal.la
tests_launcher_learnt_rank_SOURCES = tests/launcher/learnt_rank.cpp
tests_launcher_learnt_rank_LDADD = libpeal.la
tests_launcher_meeting_rank_SOURCES = tests/launcher/meeting_rank.cpp
tests_launcher_meeting_rank_LDADD = $(peal_parts) $(PMIX_LIBS)
tests_launcher_numbered_rank_SOURCES = tests/launcher/numbered_rank.c
tests_launcher_numbered_rank_LDADD = libmpi_abi.la
tests_launcher_plain_rank_SOURCES = tests/launcher/plain_rank.cpp
tests_launcher_report_mpi_rank_SOURCES = tests/launcher/report_mpi_rank.c
tests_launcher_report_mpi_rank_LDADD = libmpi_abi.la
tests_launcher_report_rank_SOURCES = tests/launcher/report_rank.cpp
tests_launcher_report_rank_LDADD = libpeal.la
tests_launcher_standing_rank_SOURCES = tests/launcher/standing_rank.cpp
tests_launcher_standing_rank_LDADD = libpeal_core.la $(FMT_LIBS)

EXTRA_DIST += \
  tests/launcher/cases/blocked_cases.py \
  tests/launcher/cases/__init__.py \
  tests/launcher/cases/completion_cases.py \
  tests/launcher/cases/ending_cases.py \
  tests/launcher/harness.py \
  tests/launcher/cases/engine_cases.py \
  tests/launcher/cases/explain_cases.py \
  tests/launcher/cases/hang_cases.py \
  tests/launcher/cases/info_cases.py \
  tests/launcher/cases/killing_cases.py \
  tests/launcher/cases/meeting_cases.py \
  tests/launcher/cases/nodes_cases.py \
  tests/launcher/cases/placing_cases.py \
  tests/launcher/cases/plot_cases.py \
  tests/launcher/cases/prrte_cases.py \
  tests/launcher/cases/report_cases.py \
  tests/launcher/run_launcher_tests \
  tests/launcher/cases/running_cases.py \
  tests/launcher/cases/sim_cases.py \
  tests/launcher/slurm_cluster.py \
  tests/launcher/cases/streams_cases.py \
  tests/launcher/cases/terminal_cases.py \
  tests/launcher/cases/usage_cases.py \
  tests/sanitize/lsan.supp \
  tests/sanitize/tsan.supp
