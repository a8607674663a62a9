# The soak: one job that lives for minutes or hours, and short ones beside it.
check_PROGRAMS += tests/soak/soak
tests_soak_soak_SOURCES = tests/soak/accounts.hpp tests/soak/blocks.cpp tests/soak/blocks.hpp tests/soak/calls.hpp \
  tests/soak/soak.cpp tests/job/exchange.hpp tests/job/random/block.hpp tests/job/random/buffers.cpp \
  tests/job/random/moves.cpp tests/job/random/reductions.cpp tests/job/random/scene.hpp tests/job/random/turn.hpp \
  tests/job/support.hpp tests/job/task.hpp
tests_soak_soak_LDADD = libpeal.la -lpthread

EXTRA_DIST += \
  tests/soak/run_soak_tests \
  tests/soak/short.toml
