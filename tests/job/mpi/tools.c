/* MPI_T before, within and after MPI; and what a program may ask of its surroundings. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static int rank, size;

/* ---- settings */

static void settings_before_the_start(void) {
  int provided = -1, index = -1, count = 0, number = 0, length = 0, bind = 0, scope = 0, value = -1,
      verbosity = 0;
  char name[64], short_name[5], text[1024], *description;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum items = MPI_T_ENUM_NULL;
  MPI_T_cvar_handle handle;
  CHECK(MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_init_thread(-1, &provided) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  CHECK(MPI_T_cvar_get_num(&number) == MPI_SUCCESS && number > 10);
  CHECK(MPI_T_cvar_get_index("PEAL_NO_SUCH_THING", &index) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_cvar_get_index("PEAL_SHM_DIR", &index) == MPI_SUCCESS);
  CHECK(MPI_T_cvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
        MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_cvar_get_info(index, NULL, &length, &verbosity, &type, &items, NULL, NULL, &bind,
                            &scope) == MPI_SUCCESS);
  CHECK(length == (int)sizeof "PEAL_SHM_DIR" && type == MPI_CHAR && items == MPI_T_ENUM_NULL);
  CHECK(bind == MPI_T_BIND_NO_OBJECT && verbosity == MPI_T_VERBOSITY_USER_BASIC);
  length = sizeof name;
  MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  CHECK(strcmp(name, "PEAL_SHM_DIR") == 0 && length == (int)sizeof "PEAL_SHM_DIR");
  length = sizeof short_name;
  MPI_T_cvar_get_info(index, short_name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  CHECK(strcmp(short_name, "PEAL") == 0 && length == 5);
  length = 0;
  MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, &length, NULL, NULL);
  CHECK(length > 5);
  description = malloc((size_t)length);
  MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, description, &length, NULL, NULL);
  CHECK((int)strlen(description) == length - 1);
  free(description);

  CHECK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS);
  CHECK(count > 8 && count <= (int)sizeof text);
  CHECK(MPI_T_cvar_read(handle, text) == MPI_SUCCESS);
  CHECK(getenv("PEAL_SHM_DIR") != NULL || strcmp(text, "/dev/shm") == 0);
  CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS && handle == MPI_T_CVAR_HANDLE_NULL);
  CHECK(MPI_T_cvar_read(handle, text) == MPI_T_ERR_INVALID_HANDLE);

  MPI_T_cvar_get_index("PEAL_STATS", &index);
  MPI_T_cvar_get_info(index, NULL, NULL, NULL, &type, NULL, NULL, NULL, NULL, NULL);
  CHECK(type == MPI_INT);
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  CHECK(count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value == 0);
  value = 7;
  CHECK(MPI_T_cvar_write(handle, &value) == MPI_T_ERR_INVALID);
  MPI_T_cvar_handle_free(&handle);
  MPI_T_cvar_get_index("PEAL_WAIT", &index);
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  CHECK(MPI_T_cvar_write(handle, "block") == MPI_SUCCESS);
  MPI_T_cvar_handle_free(&handle);
  MPI_T_pvar_get_num(&number);
  CHECK(number == 0);
}

static void settings_after_the_start(void) {
  int index, count;
  char text[1024];
  MPI_T_cvar_handle handle;
  MPI_T_cvar_get_index("PEAL_WAIT", &index);
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  CHECK(MPI_T_cvar_read(handle, text) == MPI_SUCCESS && strcmp(text, "block") == 0);
  CHECK(MPI_T_cvar_write(handle, "poll") == MPI_T_ERR_CVAR_SET_NOT_NOW);
  MPI_T_cvar_handle_free(&handle);
}

/* ---- counters */

/* Waits that sleep, of which the library counts several things. */
static void communicate(void) {
  int each;
  for (each = 0; each < 50; ++each) MPI_Barrier(MPI_COMM_WORLD);
}

static void counters(void) {
  int number = 0, index = -1, var_class = 0, readonly = 1, continuous = 1, atomic = 0, count = 0,
      each, some = 0;
  unsigned long long value = 99, later = 0, preset = 1000;
  char name[128];
  MPI_Datatype type;
  MPI_T_pvar_session session, other;
  MPI_T_pvar_handle handle, *all;
  MPI_T_pvar_get_num(&number);
  CHECK(number > 3);
  CHECK(MPI_T_pvar_get_index("wait.spins", MPI_T_PVAR_CLASS_TIMER, &index) ==
        MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_pvar_get_index("wait.spins", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_get_info(index, NULL, NULL, NULL, &var_class, &type, NULL, NULL, NULL, NULL,
                            &readonly, &continuous, &atomic) == MPI_SUCCESS);
  CHECK(var_class == MPI_T_PVAR_CLASS_COUNTER && type == MPI_UNSIGNED_LONG_LONG);
  CHECK(!readonly && !continuous && atomic);
  CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_session_create(&other) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_handle_alloc(session, number, NULL, &handle, &count) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS);
  CHECK(count == 1 && MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS && value == 0);
  communicate();
  MPI_T_pvar_read(session, handle, &value);
  CHECK(value == 0); /* not started */
  CHECK(MPI_T_pvar_write(session, handle, &preset) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_start(session, handle) == MPI_SUCCESS);
  MPI_T_pvar_read(session, handle, &value);
  CHECK(value >= 1000);
  communicate();
  MPI_T_pvar_read(session, handle, &later);
  CHECK(later >= value);
  CHECK(MPI_T_pvar_stop(session, handle) == MPI_SUCCESS);
  MPI_T_pvar_read(session, handle, &value);
  communicate();
  MPI_T_pvar_readreset(session, handle, &later);
  CHECK(later == value);
  MPI_T_pvar_read(session, handle, &value);
  CHECK(value == 0);
  CHECK(MPI_T_pvar_read(other, handle, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_read(MPI_T_PVAR_SESSION_NULL, handle, &value) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS);
  CHECK(handle == MPI_T_PVAR_HANDLE_NULL);

  /* all of them at a time: something must have been counted, where there is anybody to talk to */
  all = malloc(sizeof *all * (size_t)number);
  for (each = 0; each < number; ++each)
    MPI_T_pvar_handle_alloc(session, each, NULL, &all[each], &count);
  CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
  communicate();
  CHECK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
  for (each = 0; each < number; ++each) {
    count = sizeof name;
    MPI_T_pvar_get_info(each, name, &count, NULL, &var_class, NULL, NULL, NULL, NULL, NULL, NULL,
                        &continuous, NULL);
    MPI_T_pvar_read(session, all[each], &value);
    if (var_class == MPI_T_PVAR_CLASS_COUNTER && value > 0) ++some;
    if (continuous)
      CHECK(MPI_T_pvar_start(session, all[each]) == MPI_T_ERR_PVAR_NO_STARTSTOP &&
            MPI_T_pvar_write(session, all[each], &preset) == MPI_T_ERR_PVAR_NO_WRITE);
  }
  CHECK(some > 0 || size == 1);
  MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES);
  for (each = 0; each < number; ++each) {
    MPI_T_pvar_get_info(each, NULL, NULL, NULL, &var_class, NULL, NULL, NULL, NULL, NULL, NULL,
                        NULL, NULL);
    MPI_T_pvar_read(session, all[each], &value);
    CHECK(var_class != MPI_T_PVAR_CLASS_COUNTER || value == 0);
  }
  free(all);
  CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
  MPI_T_pvar_session_free(&other);
}

/* ---- categories, and what there is none of */

static void categories(void) {
  int number = 0, each, var, cvars = 0, pvars = 0, settings = 0, counted = 0, below = -1,
      index = -1, length, *indices, total = 0;
  char name[64];
  MPI_T_category_get_num(&number);
  CHECK(MPI_T_category_get_index("no such", &index) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_category_get_index("shm", &index) == MPI_SUCCESS && index >= 0 && index < number);
  for (each = 0; each < number; ++each) {
    length = sizeof name;
    CHECK(MPI_T_category_get_info(each, name, &length, NULL, NULL, &cvars, &pvars, &below) ==
          MPI_SUCCESS);
    CHECK(below == 0 && cvars + pvars > 0 && (int)strlen(name) == length - 1);
    CHECK((each == index) == (strcmp(name, "shm") == 0));
    settings += cvars, counted += pvars;
    indices = malloc(sizeof(int) * (size_t)(cvars + pvars));
    CHECK(MPI_T_category_get_cvars(each, cvars, indices) == MPI_SUCCESS);
    CHECK(MPI_T_category_get_pvars(each, pvars, indices + cvars) == MPI_SUCCESS);
    for (var = 0; var < cvars; ++var) CHECK(indices[var] >= 0);
    free(indices);
  }
  MPI_T_cvar_get_num(&total);
  CHECK(settings == total);
  MPI_T_pvar_get_num(&total);
  CHECK(counted == total);
  CHECK(MPI_T_category_get_cvars(number, 0, NULL) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_category_changed(&total) == MPI_SUCCESS);
  CHECK(MPI_T_event_get_num(&total) == MPI_SUCCESS && total == 0);
  CHECK(MPI_T_source_get_num(&total) == MPI_SUCCESS && total == 0);
  CHECK(MPI_T_category_get_num_events(0, &total) == MPI_SUCCESS && total == 0);
  CHECK(MPI_T_event_get_index("x", &total) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_source_get_timestamp(0, NULL) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_event_handle_get_info(NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &total, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
}

/* ---- surroundings */

static int code_of_file = MPI_SUCCESS;
static void note_file(MPI_File* file, int* code, ...) {
  CHECK(*file == MPI_FILE_NULL);
  code_of_file = *code;
}

static void surroundings(void) {
  MPI_Info info, none;
  MPI_Errhandler handler, told;
  char value[MPI_MAX_INFO_VAL + 1];
  int flag = 0, yes = 1, no = 0, length = sizeof value;
  CHECK(MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &length, value, &flag) == MPI_SUCCESS);
  CHECK(flag && atoi(value) == size);
  length = sizeof value;
  MPI_Info_get_string(MPI_INFO_ENV, "thread_level", &length, value, &flag);
  CHECK(flag && strcmp(value, "MPI_THREAD_MULTIPLE") == 0);
  {
    int* application = NULL;
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &application, &flag) == MPI_SUCCESS);
    CHECK(getenv("PMIX_NAMESPACE") == NULL || (flag && *application == 0));
  }
  MPI_Get_hw_resource_info(&info);
  length = sizeof value;
  MPI_Info_get_string(info, "hwloc://Machine", &length, value, &flag);
  CHECK(flag && strcmp(value, "true") == 0);
  MPI_Info_free(&info);
  MPI_Abi_get_info(&info);
  length = sizeof value;
  MPI_Info_get_string(info, "mpi_count_size", &length, value, &flag);
  CHECK(flag && atoi(value) == (int)sizeof(MPI_Count));
  CHECK(MPI_Abi_get_fortran_booleans(4, &yes, &no, &flag) == MPI_SUCCESS && !flag);
  CHECK(MPI_Abi_set_fortran_booleans(4, &yes, &no) == MPI_SUCCESS);
  CHECK(MPI_Abi_get_fortran_info(&none) == MPI_SUCCESS && none == MPI_INFO_NULL);
  CHECK(MPI_Abi_set_fortran_info(info) == MPI_SUCCESS);
  MPI_Info_free(&info);

  MPI_File_get_errhandler(MPI_FILE_NULL, &told);
  CHECK(told == MPI_ERRORS_RETURN);
  MPI_File_create_errhandler(note_file, &handler);
  CHECK(MPI_File_set_errhandler(MPI_FILE_NULL, handler) == MPI_SUCCESS);
  MPI_Errhandler_free(&handler);
  CHECK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO) == MPI_SUCCESS);
  CHECK(code_of_file == MPI_ERR_IO);
  CHECK(MPI_File_get_errhandler((MPI_File)&value, &told) == MPI_ERR_FILE);
  CHECK(code_of_file == MPI_ERR_FILE);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  CHECK(MPI_Win_get_errhandler(MPI_WIN_NULL, &told) == MPI_ERR_WIN);
}

int main(int argc, char** argv) {
  int provided = 0, number = 0;
  settings_before_the_start();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  settings_after_the_start();
  counters();
  categories();
  surroundings();
  MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
  MPI_T_finalize(); /* the first one still holds */
  CHECK(MPI_T_cvar_get_num(&number) == MPI_SUCCESS);
  MPI_Finalize();
  if (MPI_T_pvar_get_num(&number) != MPI_SUCCESS || number == 0) return 1;
  if (MPI_T_finalize() != MPI_SUCCESS) return 1;
  return MPI_T_pvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED ? 0 : 1;
}
