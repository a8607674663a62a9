dist_man_MANS += \
  man/peal-bench.1 \
  man/peal-info.1 \
  man/peal-sim.1 \
  man/peal.7 \
  man/peal_environment.7 \
  man/pealcc.1 \
  man/pealrun.1
