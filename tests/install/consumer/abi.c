/* Compiled without mpi.h: what is declared here was written from the tables of MPI 5.0, chapter 20
 * and appendix A, apart from peal's header. So it stands for a program that was compiled with
 * another library's header of the ABI. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct abi_comm* comm_handle;
typedef struct abi_type* type_handle;
typedef struct abi_op* op_handle;
typedef struct abi_request* request_handle;
typedef struct abi_errhandler* errhandler_handle;
typedef struct abi_group* group_handle;
typedef struct abi_info* info_handle;
struct status {
  int source, tag, error, internal[5];
};
typedef int errhandler_function(comm_handle*, int*, ...);

int MPI_Init_thread(int*, char***, int, int*);
int MPI_Finalize(void);
int MPI_Abi_get_version(int*, int*);
int MPI_Comm_rank(comm_handle, int*);
int MPI_Comm_size(comm_handle, int*);
int MPI_Comm_split(comm_handle, int, int, comm_handle*);
int MPI_Comm_free(comm_handle*);
int MPI_Comm_group(comm_handle, group_handle*);
int MPI_Group_free(group_handle*);
int MPI_Comm_get_attr(comm_handle, int, void*, int*);
int MPI_Comm_set_errhandler(comm_handle, errhandler_handle);
int MPI_Comm_toint(comm_handle);
int MPI_Isend(const void*, int, type_handle, int, int, comm_handle, request_handle*);
int MPI_Recv(void*, int, type_handle, int, int, comm_handle, struct status*);
int PMPI_Sendrecv(const void*, int, type_handle, int, int, void*, int, type_handle, int, int,
                  comm_handle, struct status*);
int MPI_Wait(request_handle*, struct status*);
int MPI_Waitall(int, request_handle[], struct status[]);
int MPI_Get_count(const struct status*, type_handle, int*);
int MPI_Get_count_c(const struct status*, type_handle, int64_t*);
int MPI_Type_size(type_handle, int*);
int MPI_Type_vector(int, int, int, type_handle, type_handle*);
int MPI_Type_commit(type_handle*);
int MPI_Type_free(type_handle*);
int MPI_Type_get_extent(type_handle, intptr_t*, intptr_t*);
int MPI_Allreduce(const void*, void*, int, type_handle, op_handle, comm_handle);
int MPI_Allreduce_c(const void*, void*, int64_t, type_handle, op_handle, comm_handle);
int MPI_Reduce(const void*, void*, int, type_handle, op_handle, int, comm_handle);
int MPI_Error_class(int, int*);
int MPI_Info_create(info_handle*);
int MPI_Info_set(info_handle, const char*, const char*);
int MPI_Info_get_nkeys(info_handle, int*);
int MPI_Info_free(info_handle*);

#define HANDLE(kind, value) ((kind##_handle)(uintptr_t)(value))
#define WORLD HANDLE(comm, 0x101)
#define SELF HANDLE(comm, 0x102)
#define IN_PLACE ((void*)1)
enum {
  any_source = -1,
  any_tag = -2,
  proc_null = -3,
  multiple = 4096,
  undefined = -32766,
  tag_ub = 501,
  truncated = 15,
  wrong_rank = 6
};

static int rank, size;
#define CHECK(holds)                                                     \
  do {                                                                   \
    if (!(holds)) {                                                      \
      fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #holds); \
      exit(1);                                                           \
    }                                                                    \
  } while (0)

static void types(void) {
  static const struct {
    int value, size;
  } known[] = {{0x207, 1},
               {0x201, sizeof(intptr_t)},
               {0x202, 8},
               {0x203, 8},
               {0x208, sizeof(short)},
               {0x209, sizeof(int)},
               {0x20a, sizeof(long)},
               {0x20b, sizeof(long long)},
               {0x20c, sizeof(short)},
               {0x20d, sizeof(unsigned)},
               {0x20e, sizeof(long)},
               {0x20f, sizeof(long long)},
               {0x210, sizeof(float)},
               {0x214, sizeof(double)},
               {0x240, 1},
               {0x241, 1},
               {0x243, 1},
               {0x244, 1},
               {0x245, 1},
               {0x247, 1},
               {0x248, 2},
               {0x249, 2},
               {0x250, 4},
               {0x251, 4},
               {0x258, 8},
               {0x259, 8}};
  for (size_t each = 0; each != sizeof known / sizeof known[0]; ++each) {
    int bytes = 0;
    CHECK(MPI_Type_size(HANDLE(type, known[each].value), &bytes) == 0 && bytes == known[each].size);
  }
}

static void operations(void) {
  static const struct {
    int op, of_two_and_six; /* 2 op 6 */
  } known[] = {{0x21, 8}, {0x22, 2}, {0x23, 6}, {0x24, 12}, {0x28, 2},
               {0x29, 6}, {0x2a, 4}, {0x30, 1}, {0x31, 1},  {0x32, 0}};
  int both[2], mine, result, expected;
  comm_handle pair;
  CHECK(MPI_Comm_split(WORLD, rank < 2 ? 0 : undefined, rank, &pair) == 0);
  CHECK((pair == HANDLE(comm, 0x100)) == (rank >= 2));
  if (rank >= 2) return;
  both[0] = 2;
  both[1] = 6;
  mine = both[rank];
  for (size_t each = 0; each != sizeof known / sizeof known[0]; ++each) {
    expected = size == 1 ? mine : known[each].of_two_and_six;
    CHECK(MPI_Allreduce(&mine, &result, 1, HANDLE(type, 0x209), HANDLE(op, known[each].op), pair) ==
              0 &&
          result == expected);
    result = mine;
    CHECK(MPI_Allreduce_c(IN_PLACE, &result, 1, HANDLE(type, 0x209), HANDLE(op, known[each].op),
                          pair) == 0 &&
          result == expected);
  }
  CHECK(MPI_Comm_free(&pair) == 0 && pair == HANDLE(comm, 0x100));
}

static void messages(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int sent[6] = {rank, 1, 2, 3, 4, 5}, got[6], count = 0;
  int64_t count_c = 0;
  struct status status, statuses[2];
  request_handle requests[2];
  type_handle column;
  intptr_t lower = 1, extent = 0;
  memset(&status, 0x55, sizeof status);
  CHECK(sizeof status == 32);
  CHECK(MPI_Isend(sent, 6, HANDLE(type, 0x209), right, 7, WORLD, &requests[0]) == 0);
  CHECK(MPI_Recv(got, 6, HANDLE(type, 0x209), any_source, any_tag, WORLD, &status) == 0);
  CHECK(status.source == left && status.tag == 7 && got[0] == left && got[5] == 5);
  CHECK(MPI_Get_count(&status, HANDLE(type, 0x209), &count) == 0 && count == 6);
  CHECK(MPI_Get_count_c(&status, HANDLE(type, 0x214), &count_c) == 0 && count_c == 3);
  CHECK(MPI_Wait(&requests[0], NULL) == 0 && requests[0] == HANDLE(request, 0x180));
  requests[1] = requests[0];
  CHECK(MPI_Waitall(2, requests, statuses) == 0 && statuses[1].source == any_source &&
        statuses[1].tag == any_tag);

  CHECK(MPI_Type_vector(3, 1, 2, HANDLE(type, 0x209), &column) == 0 &&
        MPI_Type_commit(&column) == 0);
  CHECK(MPI_Type_get_extent(column, &lower, &extent) == 0 && lower == 0 && extent == 20);
  CHECK(PMPI_Sendrecv(sent, 1, column, right, 8, got, 3, HANDLE(type, 0x209), left, 8, WORLD,
                      &status) == 0);
  CHECK(got[0] == left && got[1] == 2 && got[2] == 4);
  CHECK(MPI_Type_free(&column) == 0 && column == HANDLE(type, 0x200));
  CHECK(PMPI_Sendrecv(sent, 1, HANDLE(type, 0x209), proc_null, 9, got, 1, HANDLE(type, 0x209),
                      proc_null, 9, WORLD, &status) == 0);
  CHECK(status.source == proc_null && status.tag == any_tag);
}

static void errors(void) {
  int class_of = 0, here = 1, there[2];
  request_handle request;
  CHECK(MPI_Comm_set_errhandler(WORLD, HANDLE(errhandler, 0x143)) == 0);
  CHECK(MPI_Error_class(MPI_Isend(&here, 1, HANDLE(type, 0x209), size, 0, WORLD, &request),
                        &class_of) == 0 &&
        class_of == wrong_rank);
  CHECK(MPI_Comm_set_errhandler(SELF, HANDLE(errhandler, 0x143)) == 0);
  there[0] = there[1] = 2;
  CHECK(MPI_Isend(there, 2, HANDLE(type, 0x209), 0, 0, SELF, &request) == 0);
  CHECK(MPI_Error_class(MPI_Recv(&here, 1, HANDLE(type, 0x209), 0, 0, SELF, NULL), &class_of) ==
            0 &&
        class_of == truncated);
  (void)MPI_Wait(&request, NULL);
}

int main(int argc, char** argv) {
  int provided = 0, major = 0, minor = -1, flag = 0, keys = 0;
  int* bound = NULL;
  group_handle group;
  info_handle info;
  CHECK(MPI_Abi_get_version(&major, &minor) == 0 && major == 1 && minor == 0);
  CHECK(MPI_Init_thread(&argc, &argv, multiple, &provided) == 0 && provided == multiple);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  CHECK(MPI_Comm_toint(WORLD) == 0x101);
  CHECK(MPI_Comm_get_attr(WORLD, tag_ub, &bound, &flag) == 0 && flag && *bound >= 32767);
  CHECK(MPI_Comm_group(WORLD, &group) == 0 && MPI_Group_free(&group) == 0 &&
        group == HANDLE(group, 0x108));
  CHECK(MPI_Info_create(&info) == 0 && MPI_Info_set(info, "key", "value") == 0 &&
        MPI_Info_get_nkeys(info, &keys) == 0 && keys == 1);
  CHECK(MPI_Info_free(&info) == 0 && info == HANDLE(info, 0x130));
  types();
  operations();
  messages();
  errors();
  CHECK(MPI_Finalize() == 0);
  if (rank == 0) puts("as the ABI says");
  return 0;
}
