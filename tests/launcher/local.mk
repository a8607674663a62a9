# Programs that tests of pealrun start.
check_PROGRAMS += tests/launcher/meeting_rank
tests_launcher_meeting_rank_SOURCES = tests/launcher/meeting_rank.cpp
tests_launcher_meeting_rank_LDADD = libpeal_core.la $(PMIX_LIBS)
