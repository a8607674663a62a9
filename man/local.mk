dist_man_MANS += \
  man/peal.7 \
  man/peal_environment.7 \
  man/pealrun.1
