// One-way latency of messages whose elements have gaps between them: ping-pong of blocking sends
// and receives of one derived datatype. Every size is what is sent; gaps come on top.
//   vector    one double of every four
//   indexed   1 to 7 doubles, then a gap of 1 to 7
//   struct    an int, a double, 6 chars and a float of every 32 bytes
//   subarray  the inner part of an array of doubles with a border of one, in three dimensions
//   rows      the left half of a matrix with rows of 16 KiB, of two rows at least
#include "common.h"

// A datatype, and which bytes of its extent belong to it, found out without it.
typedef struct {
  MPI_Datatype type;
  int count;  // elements of it in a message
  size_t extent;
  char* belongs;
} shape;

static void mark(shape* s, size_t at, size_t bytes) { memset(s->belongs + at, 1, bytes); }

static shape with_memory(size_t extent, int count) {
  return (shape){.count = count, .extent = extent, .belongs = new_buffer(extent)};
}

static shape vector_of(size_t bytes) {
  size_t doubles = bytes / sizeof(double);
  shape made = with_memory(4 * bytes, 1);
  MPI_Type_vector((int)doubles, 1, 4, MPI_DOUBLE, &made.type);
  for (size_t each = 0; each != doubles; ++each)
    mark(&made, 4 * each * sizeof(double), sizeof(double));
  return made;
}

static shape indexed_of(size_t bytes) {
  size_t doubles = bytes / sizeof(double), blocks = 0, left = doubles, at = 0;
  int *lengths = malloc(doubles * sizeof(int)), *starts = malloc(doubles * sizeof(int));
  shape made = with_memory(8 * bytes + 64, 1);
  for (unsigned random = 1; left != 0; ++blocks) {
    random = random * 1103515245 + 12345;
    size_t length = 1 + (random >> 16) % 7, gap = 1 + (random >> 24) % 7;
    if (length > left) length = left;
    lengths[blocks] = (int)length;
    starts[blocks] = (int)at;
    mark(&made, at * sizeof(double), length * sizeof(double));
    at += length + gap;
    left -= length;
  }
  MPI_Type_indexed((int)blocks, lengths, starts, MPI_DOUBLE, &made.type);
  free(lengths);
  free(starts);
  return made;
}

static shape struct_of(size_t bytes) {
  enum { whole = 32, members = 4 };
  int lengths[members] = {1, 1, 6, 1};
  MPI_Aint starts[members] = {0, 8, 16, 24};
  MPI_Datatype types[members] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_FLOAT}, one;
  int sizes[members] = {4, 8, 6, 4}, count = (int)(bytes / 22);
  shape made = with_memory((size_t)count * whole, count);
  MPI_Type_create_struct(members, lengths, starts, types, &one);
  MPI_Type_create_resized(one, 0, whole, &made.type);
  MPI_Type_free(&one);
  for (int each = 0; each != count; ++each)
    for (int member = 0; member != members; ++member)
      mark(&made, (size_t)each * whole + (size_t)starts[member], (size_t)sizes[member]);
  return made;
}

static shape subarray_of(size_t bytes) {
  int inner[3] = {1, 1, 1}, outer[3], start[3] = {1, 1, 1};
  for (size_t each = 2, count = bytes / sizeof(double); count > 1; count /= 2) {
    inner[each] *= 2;
    each = each == 0 ? 2 : each - 1;
  }
  size_t all = sizeof(double);
  for (int each = 0; each != 3; ++each) all *= (size_t)(outer[each] = inner[each] + 2);
  shape made = with_memory(all, 1);
  MPI_Type_create_subarray(3, outer, inner, start, MPI_ORDER_C, MPI_DOUBLE, &made.type);
  for (int x = 0; x != inner[0]; ++x)
    for (int y = 0; y != inner[1]; ++y) {
      size_t row = ((size_t)(x + 1) * (size_t)outer[1] + (size_t)(y + 1)) * (size_t)outer[2] + 1;
      mark(&made, row * sizeof(double), (size_t)inner[2] * sizeof(double));
    }
  return made;
}

static shape rows_of(size_t bytes) {
  size_t row = bytes < 16384 ? bytes / 2 : 8192;
  int outer[2] = {(int)(bytes / row), (int)(2 * row)}, inner[2] = {outer[0], (int)row};
  shape made = with_memory(2 * bytes, 1);
  MPI_Type_create_subarray(2, outer, inner, (int[]){0, 0}, MPI_ORDER_C, MPI_BYTE, &made.type);
  for (size_t at = 0; at != 2 * bytes; at += 2 * row) mark(&made, at, row);
  return made;
}

static void ping_pong(const settings* s, const shape* of, char* sent, char* received, int n) {
  for (int i = 0; i < n; ++i) {
    if (s->rank == 0) {
      MPI_Send(sent, of->count, of->type, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(received, of->count, of->type, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (s->rank == 1) {
      MPI_Recv(received, of->count, of->type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(sent, of->count, of->type, 0, 1, MPI_COMM_WORLD);
    }
  }
}

// What belongs to the datatype is what the other rank has sent, and what lies between is as before.
static void check(const settings* s, const shape* of, const char* received) {
  for (size_t each = 0; each != of->extent; ++each) {
    char other = (char)(each * 7 + 2 - (size_t)s->rank);
    if (received[each] != (of->belongs[each] ? other : 0)) wrong(s);
  }
}

static double latency(const settings* s, size_t bytes, shape of) {
  MPI_Type_commit(&of.type);
  char *sent = new_buffer(of.extent), *received = new_buffer(of.extent);
  for (size_t each = 0; each != of.extent; ++each)
    sent[each] = (char)(each * 7 + 1 + (size_t)s->rank);
  MPI_Barrier(MPI_COMM_WORLD);
  ping_pong(s, &of, sent, received, warm_up_for(s, bytes));
  int n = iterations_for(s, bytes);
  double start = MPI_Wtime();
  ping_pong(s, &of, sent, received, n);
  double took = (MPI_Wtime() - start) * 1e6 / 2 / n;
  if (s->rank < 2) check(s, &of, received);
  MPI_Type_free(&of.type);
  free(of.belongs);
  free(sent);
  free(received);
  return took;
}

int main(int argc, char** argv) {
  settings s = begin(&argc, &argv,
                     (settings){.min_bytes = 1024,
                                .max_bytes = 4 << 20,
                                .iterations = 5000,
                                .warm_up = 100,
                                .large_iterations = 100,
                                .large_warm_up = 10,
                                .step = 4});
  title(&s, "Derived Datatypes Latency Test",
        "# Size          vector(us)       indexed(us)        struct(us)      subarray(us)"
        "          rows(us)");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes *= s.step) {
    double took[5] = {latency(&s, bytes, vector_of(bytes)), latency(&s, bytes, indexed_of(bytes)),
                      latency(&s, bytes, struct_of(bytes)), latency(&s, bytes, subarray_of(bytes)),
                      latency(&s, bytes, rows_of(bytes))};
    if (s.rank == 0)
      printf("%-10zu%18.3f%18.3f%18.3f%18.3f%18.3f\n", bytes, took[0], took[1], took[2], took[3],
             took[4]);
    fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
