# The lab: virtual nodes with RDMA devices, and what is tested in them.
EXTRA_DIST += \
	tests/lab/guest/cgroup.conf \
	tests/lab/guest/init \
	tests/lab/guest/lab-barrier \
	tests/lab/guest/lab-leaks \
	tests/lab/guest/lab-link \
	tests/lab/guest/node \
	tests/lab/guest/slurm \
	tests/lab/guest/slurm.conf.in \
	tests/lab/run \
	tests/lab/run_lab_tests \
	tests/lab/setup \
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
