# Jobs that go through every form of the C++ API.
check_PROGRAMS += \
  tests/job/api/collectives \
  tests/job/api/communicators \
  tests/job/api/compositions \
  tests/job/api/coroutines \
  tests/job/api/events \
  tests/job/api/into \
  tests/job/api/lanes \
  tests/job/api/named_tags \
  tests/job/api/layouts \
  tests/job/api/message_plans \
  tests/job/api/messages \
  tests/job/api/mismatches \
  tests/job/api/neighbors \
  tests/job/api/pieces \
  tests/job/api/plans \
  tests/job/api/requests \
  tests/job/api/serialized \
  tests/job/api/strided \
  tests/job/api/threads \
  tests/job/api/wide

tests_job_api_collectives_SOURCES = tests/job/api/collectives.cpp
tests_job_api_collectives_LDADD = libpeal.la
tests_job_api_communicators_SOURCES = tests/job/api/communicators.cpp
tests_job_api_communicators_LDADD = libpeal.la
tests_job_api_compositions_SOURCES = tests/job/api/compositions.cpp tests/job/task.hpp
tests_job_api_compositions_LDADD = libpeal.la
tests_job_api_coroutines_SOURCES = tests/job/api/coroutines.cpp
tests_job_api_coroutines_LDADD = libpeal.la -lpthread
tests_job_api_into_SOURCES = tests/job/api/into.cpp
tests_job_api_into_LDADD = libpeal.la
tests_job_api_layouts_SOURCES = tests/job/api/layouts.cpp
tests_job_api_layouts_LDADD = libpeal.la
tests_job_api_serialized_SOURCES = tests/job/api/serialized.cpp
tests_job_api_serialized_LDADD = libpeal.la
tests_job_api_lanes_SOURCES = tests/job/api/lanes.cpp
tests_job_api_lanes_LDADD = libpeal.la -lpthread
tests_job_api_named_tags_SOURCES = tests/job/api/named_tags.cpp
tests_job_api_named_tags_LDADD = libpeal.la -lpthread
tests_job_api_events_SOURCES = tests/job/api/events.cpp
tests_job_api_events_LDADD = libpeal.la -lpthread
tests_job_api_message_plans_SOURCES = tests/job/api/prepared/message_plans.cpp
tests_job_api_message_plans_LDADD = libpeal.la
tests_job_api_messages_SOURCES = tests/job/api/messages.cpp
tests_job_api_messages_LDADD = libpeal.la
tests_job_api_mismatches_SOURCES = tests/job/api/mismatches.cpp
tests_job_api_mismatches_LDADD = libpeal.la
tests_job_api_neighbors_SOURCES = tests/job/api/neighbors.cpp
tests_job_api_neighbors_LDADD = libpeal.la
tests_job_api_pieces_SOURCES = tests/job/api/pieces.cpp
tests_job_api_pieces_LDADD = libpeal.la
tests_job_api_plans_SOURCES = tests/job/api/prepared/plans.cpp tests/job/api/prepared/plan_lives.cpp tests/job/api/prepared/plan_lives.hpp
tests_job_api_plans_LDADD = libpeal.la
tests_job_api_requests_SOURCES = tests/job/api/requests.cpp tests/job/task.hpp
tests_job_api_requests_LDADD = libpeal.la
tests_job_api_strided_SOURCES = tests/job/api/strided.cpp
tests_job_api_strided_LDADD = libpeal.la
tests_job_api_threads_SOURCES = tests/job/api/threads.cpp
tests_job_api_threads_LDADD = libpeal.la -lpthread
tests_job_api_wide_SOURCES = tests/job/api/wide.cpp
tests_job_api_wide_LDADD = libpeal.la
tests_job_api_wide_CXXFLAGS = $(AM_CXXFLAGS) -std=gnu++20

EXTRA_DIST += tests/job/api.toml
