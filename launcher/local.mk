bin_PROGRAMS += pealrun
pealrun_SOURCES = \
  launcher/pealrun/end/cause.hpp \
  launcher/pealrun/end/end_order.hpp \
  launcher/pealrun/job.hpp \
  launcher/pealrun/pmix/pmix_host.hpp \
  launcher/pealrun/pmix/pmix_infos.hpp \
  launcher/pealrun/pmix/pmix_upcalls.hpp \
  launcher/pealrun/processes/descriptors.hpp \
  launcher/pealrun/processes/guard.hpp \
  launcher/pealrun/processes/placement.hpp \
  launcher/pealrun/processes/program.hpp \
  launcher/pealrun/processes/signals.hpp \
  launcher/pealrun/processes/spawn.hpp \
  launcher/pealrun/processes/strays.hpp \
  launcher/pealrun/report/charts.hpp \
  launcher/pealrun/report/gathered.hpp \
  launcher/pealrun/report/heat_map.hpp \
  launcher/pealrun/report/page.hpp \
  launcher/pealrun/report/page_tables.hpp \
  launcher/pealrun/report/places.hpp \
  launcher/pealrun/report/run_record.hpp \
  launcher/pealrun/report/summary.hpp \
  launcher/pealrun/report/text.hpp \
  launcher/pealrun/report/trace.hpp \
  launcher/pealrun/request/checks.hpp \
  launcher/pealrun/request/command_line.hpp \
  launcher/pealrun/request/failure_options.hpp \
  launcher/pealrun/request/output_options.hpp \
  launcher/pealrun/request/placement_options.hpp \
  launcher/pealrun/request/report_options.hpp \
  launcher/pealrun/request/request.hpp \
  launcher/pealrun/say.hpp \
  launcher/pealrun/streams/input.hpp \
  launcher/pealrun/streams/output.hpp
if UNITS
pealrun_SOURCES += launcher/pealrun/request/unit.cpp launcher/pealrun/unit.cpp
else
pealrun_SOURCES += \
  launcher/pealrun/end/cause.cpp \
  launcher/pealrun/end/end_order.cpp \
  launcher/pealrun/job.cpp \
  launcher/pealrun/job_ends.cpp \
  launcher/pealrun/job_signals.cpp \
  launcher/pealrun/main.cpp \
  launcher/pealrun/pmix/pmix_host.cpp \
  launcher/pealrun/pmix/pmix_upcalls.cpp \
  launcher/pealrun/processes/descriptors.cpp \
  launcher/pealrun/processes/guard.cpp \
  launcher/pealrun/processes/placement.cpp \
  launcher/pealrun/processes/program.cpp \
  launcher/pealrun/processes/signals.cpp \
  launcher/pealrun/processes/spawn.cpp \
  launcher/pealrun/processes/strays.cpp \
  launcher/pealrun/report/charts.cpp \
  launcher/pealrun/report/gathered.cpp \
  launcher/pealrun/report/heat_map.cpp \
  launcher/pealrun/report/page.cpp \
  launcher/pealrun/report/page_tables.cpp \
  launcher/pealrun/report/places.cpp \
  launcher/pealrun/report/run_record.cpp \
  launcher/pealrun/report/summary.cpp \
  launcher/pealrun/report/text.cpp \
  launcher/pealrun/report/trace.cpp \
  launcher/pealrun/request/checks.cpp \
  launcher/pealrun/request/command_line.cpp \
  launcher/pealrun/request/failure_options.cpp \
  launcher/pealrun/request/output_options.cpp \
  launcher/pealrun/request/placement_options.cpp \
  launcher/pealrun/request/report_options.cpp \
  launcher/pealrun/request/request.cpp \
  launcher/pealrun/streams/input.cpp \
  launcher/pealrun/streams/output.cpp
endif
pealrun_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/launcher/pealrun $(PMIX_CFLAGS) $(HWLOC_CFLAGS) $(FMT_CFLAGS)
pealrun_LDADD = libpeal_core.la $(PMIX_LIBS) $(HWLOC_LIBS) $(FMT_LIBS)

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
