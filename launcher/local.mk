bin_PROGRAMS += pealrun
pealrun_SOURCES = \
  launcher/cause.hpp \
  launcher/command_line.cpp \
  launcher/command_line.hpp \
  launcher/descriptors.hpp \
  launcher/end_order.hpp \
  launcher/guard.hpp \
  launcher/input.hpp \
  launcher/job.hpp \
  launcher/output.hpp \
  launcher/placement.hpp \
  launcher/pmix_host.hpp \
  launcher/pmix_infos.hpp \
  launcher/pmix_upcalls.hpp \
  launcher/program.hpp \
  launcher/signals.hpp \
  launcher/spawn.hpp \
  launcher/strays.hpp
if UNITS
pealrun_SOURCES += launcher/unit.cpp
else
pealrun_SOURCES += \
  launcher/cause.cpp \
  launcher/descriptors.cpp \
  launcher/end_order.cpp \
  launcher/guard.cpp \
  launcher/input.cpp \
  launcher/job.cpp \
  launcher/job_ends.cpp \
  launcher/main.cpp \
  launcher/output.cpp \
  launcher/placement.cpp \
  launcher/pmix_host.cpp \
  launcher/pmix_upcalls.cpp \
  launcher/program.cpp \
  launcher/signals.cpp \
  launcher/spawn.cpp \
  launcher/strays.cpp
endif
pealrun_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS) $(HWLOC_CFLAGS) $(FMT_CFLAGS)
pealrun_LDADD = libpeal_core.la $(PMIX_LIBS) $(HWLOC_LIBS) $(FMT_LIBS)

bin_PROGRAMS += peal-info
peal_info_SOURCES = \
  launcher/info/explain.cpp \
  launcher/info/explain.hpp \
  launcher/info/json.cpp \
  launcher/info/main.cpp \
  launcher/info/measure.cpp \
  launcher/info/measure.hpp \
  launcher/info/report.cpp \
  launcher/info/report.hpp \
  launcher/info/text.cpp \
  launcher/info/tune.cpp \
  launcher/info/tune.hpp
peal_info_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS)
peal_info_LDADD = libpeal_core.la $(FMT_LIBS)

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
peal_sim_LDADD = libpeal_simulator.la libpeal_core.la $(FMT_LIBS)
