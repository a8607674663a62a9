# The lab: virtual nodes with RDMA devices, and what is tested in them.
EXTRA_DIST += \
	tests/lab/boots.py \
	tests/lab/collectives.toml \
	tests/lab/guest/cgroup.conf \
	tests/lab/guest/init \
	tests/lab/guest/lab-barrier \
	tests/lab/guest/lab-cases \
	tests/lab/guest/lab-leaks \
	tests/lab/guest/lab-link \
	tests/lab/guest/lab-node \
	tests/lab/guest/node \
	tests/lab/guest/slurm \
	tests/lab/guest/slurm.conf.in \
	tests/lab/place.py \
	tests/lab/results.py \
	tests/lab/run \
	tests/lab/run_lab_tests \
	tests/lab/setup \
	tests/lab/slurm.toml \
	tests/lab/verbs.toml \
	tests/lab/vlab/__init__.py \
	tests/lab/vlab/clock.py \
	tests/lab/vlab/cluster.py \
	tests/lab/vlab/cpio.py \
	tests/lab/vlab/errors.py \
	tests/lab/vlab/guest_files.py \
	tests/lab/vlab/image.py \
	tests/lab/vlab/machine.py \
	tests/lab/vlab/main.py \
	tests/lab/vlab/options.py

# Preloaded by cases about devices that grant little or fail; -rpath makes libtool build a shared object that is never installed.
check_LTLIBRARIES += tests/lab/poor_device.la
tests_lab_poor_device_la_SOURCES = tests/lab/poor_device.cpp
tests_lab_poor_device_la_LDFLAGS = -module -avoid-version -shared -rpath $(abs_builddir)/tests/lab
tests_lab_poor_device_la_CXXFLAGS = $(AM_CXXFLAGS) -fvisibility=default
tests_lab_poor_device_la_LIBADD = $(IBVERBS_LIBS) -ldl
