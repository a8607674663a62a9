nobase_include_HEADERS += \
  include/peal/detail/core.hpp \
  include/peal/detail/export.hpp \
  include/peal/error.hpp \
  include/peal/peal.hpp
