// Categories of MPI_T.
#include "mpi/support/failure.hpp"
#include "mpi/tools/categories.hpp"
#include "mpi/tools/performance_variables.hpp"
#include "mpi/tools/tool_function.hpp"

using namespace peal::mpi;

namespace {

category category_at(int index) {
  std::vector<category> all = categories();
  need_index(index, all.size());
  return std::move(all[static_cast<std::size_t>(index)]);
}

}  // namespace

PEAL_MPI_FUNCTION(int, T_category_get_num, int* num_cat) {
  return run_tool([&] {
    need_argument(num_cat);
    *num_cat = static_cast<int>(categories().size());
  });
}

PEAL_MPI_FUNCTION(int, T_category_get_info, int cat_index, char* name, int* name_len, char* desc,
                  int* desc_len, int* num_cvars, int* num_pvars, int* num_categories) {
  return run_tool([&] {
    const category of = category_at(cat_index);
    tell_text(name, name_len, of.name);
    tell_text(desc, desc_len, "settings and counters of " + of.name);
    tell(num_cvars, static_cast<int>(of.control_variables.size()));
    tell(num_pvars, static_cast<int>(of.performance_variables.size()));
    tell(num_categories, 0);
  });
}

PEAL_MPI_FUNCTION(int, T_category_get_index, const char* name, int* cat_index) {
  return run_tool([&] {
    need_argument(name);
    need_argument(cat_index);
    const std::vector<category> all = categories();
    for (std::size_t each = 0; each != all.size(); ++each)
      if (all[each].name == name) {
        *cat_index = static_cast<int>(each);
        return;
      }
    fail(MPI_T_ERR_INVALID_NAME, "there is no category of that name");
  });
}

PEAL_MPI_FUNCTION(int, T_category_get_cvars, int cat_index, int len, int indices[]) {
  return run_tool([&] { tell_indices(len, indices, category_at(cat_index).control_variables); });
}

PEAL_MPI_FUNCTION(int, T_category_get_pvars, int cat_index, int len, int indices[]) {
  return run_tool(
      [&] { tell_indices(len, indices, category_at(cat_index).performance_variables); });
}

// There are no categories in categories, and no events.

PEAL_MPI_FUNCTION(int, T_category_get_categories, int cat_index, int len, int indices[]) {
  return run_tool([&] {
    (void)category_at(cat_index);
    tell_indices(len, indices, {});
  });
}

PEAL_MPI_FUNCTION(int, T_category_get_events, int cat_index, int len, int indices[]) {
  return run_tool([&] {
    (void)category_at(cat_index);
    tell_indices(len, indices, {});
  });
}

PEAL_MPI_FUNCTION(int, T_category_get_num_events, int cat_index, int* num_events) {
  return run_tool([&] {
    (void)category_at(cat_index);
    tell(num_events, 0);
  });
}

PEAL_MPI_FUNCTION(int, T_category_changed, int* update_number) {
  return run_tool([&] {
    need_argument(update_number);
    // They change as variables come, and these never go.
    *update_number = static_cast<int>(performance_variables().size());
  });
}
