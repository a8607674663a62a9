check_PROGRAMS += tests/unit/launcher_test
tests_unit_launcher_test_SOURCES = tests/unit/launcher/end/cause_test.cpp launcher/pealrun/end/cause.cpp
tests_unit_launcher_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/launcher/pealrun
tests_unit_launcher_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_launcher_test_LDADD = $(unit_ldadd)

check_PROGRAMS += tests/unit/engine_test
tests_unit_engine_test_SOURCES = \
  launcher/pealrun/engine/choice.cpp \
  launcher/pealrun/engine/counterparts.cpp \
  launcher/pealrun/engine/prterun_command.cpp \
  launcher/pealrun/engine/ranks_command.cpp \
  launcher/pealrun/engine/slurm/srun_command.cpp \
  launcher/pealrun/engine/slurm/srun_errors.cpp \
  launcher/pealrun/engine/slurm/text_filter.cpp \
  launcher/pealrun/processes/signals.cpp \
  launcher/pealrun/request/request.cpp \
  tests/unit/launcher/engine/choice_test.cpp \
  tests/unit/launcher/engine/prterun_command_test.cpp \
  tests/unit/launcher/engine/ranks_command_test.cpp \
  tests/unit/launcher/engine/request_maker.hpp \
  tests/unit/launcher/engine/slurm/srun_command_test.cpp \
  tests/unit/launcher/engine/slurm/srun_errors_test.cpp \
  tests/unit/launcher/engine/slurm/text_filter_test.cpp
tests_unit_engine_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/launcher/pealrun $(FMT_CFLAGS)
tests_unit_engine_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_engine_test_LDADD = $(unit_ldadd) $(FMT_LIBS)
