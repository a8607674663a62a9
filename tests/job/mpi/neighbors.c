/* Collectives between neighbours by MPI's C interface, blocking, nonblocking and persistent, with
 * datatypes that have gaps: on random grids and graphs, against a model of who sends what to whom.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { most_ranks = 64, most = 16, room = 5, cells = most * room * 2, equal = 3 };
enum { blocking, nonblocking, persistent, forms };

static MPI_Comm comm; /* the one under test */
static int rank, size, paired;
static int in[most_ranks][most], out[most_ranks][most], indegree[most_ranks], outdegree[most_ranks];
static int sent[cells], received[cells], expected[cells];
static MPI_Datatype types[3]; /* by the step from one element to the next, in ints */
static unsigned seed;

static int chance(int below) { /* the same on all ranks */
  seed = seed * 1103515245u + 12345u;
  return (int)(seed >> 16) % below;
}

/* Block i of `of` goes to a place in its destination; back from there: which one is `place` here?
 */
static int index_at_source(int place) {
  const int of = in[rank][place];
  int before = 0, each;
  if (paired) return place ^ 1;
  for (each = 0; each < place; ++each) before += in[rank][each] == of;
  for (each = 0; each < outdegree[of]; ++each)
    if (out[of][each] == rank && before-- == 0) return each;
  CHECK(0);
  return -1;
}

static int value(int of, int block, int element, int round) {
  return of * 10000 + block * 100 + element * 10 + round;
}
static int length(int of, int block) { return (of * 3 + block) % room; }

static void clear(void) {
  int each;
  for (each = 0; each < cells; ++each) sent[each] = received[each] = expected[each] = -1;
}
static void put(int* into, int first, int step, int count, int of, int block, int round) {
  int each;
  for (each = 0; each < count; ++each) into[first + each * step] = value(of, block, each, round);
}
static void check_received(void) { CHECK(memcmp(received, expected, sizeof expected) == 0); }

/* Calls the form of the function that is asked for; a persistent one is made in the first round. */
#define GO(name, suffix, ...)                                                                   \
  do {                                                                                          \
    if (form == blocking) CHECK(!MPI_Neighbor_##name##suffix(__VA_ARGS__, comm));               \
    if (form == nonblocking) CHECK(!MPI_Ineighbor_##name##suffix(__VA_ARGS__, comm, &request)); \
    if (form == persistent && round == 0)                                                       \
      CHECK(!MPI_Neighbor_##name##_init##suffix(__VA_ARGS__, comm, MPI_INFO_NULL, &request));   \
    if (form == persistent) CHECK(!MPI_Start(&request));                                        \
    CHECK(!MPI_Wait(&request, MPI_STATUS_IGNORE));                                              \
    if (form == persistent && round == 2) CHECK(!MPI_Request_free(&request));                   \
  } while (0)

static void equal_blocks(int form, int large, int sent_step, int step) {
  MPI_Request request = MPI_REQUEST_NULL;
  int round, each;
  for (round = 0; round < 3; ++round) { /* the same block for all */
    clear();
    put(sent, 0, sent_step, equal, rank, 0, round);
    for (each = 0; each < indegree[rank]; ++each)
      if (in[rank][each] != MPI_PROC_NULL)
        put(expected, each * equal * step, step, equal, in[rank][each], 0, round);
    if (large) GO(allgather, _c, sent, equal, types[sent_step], received, equal, types[step]);
    else GO(allgather, , sent, equal, types[sent_step], received, equal, types[step]);
    check_received();
  }
  for (round = 0; round < 3; ++round) {
    clear();
    for (each = 0; each < outdegree[rank]; ++each)
      put(sent, each * equal * sent_step, sent_step, equal, rank, each, round);
    for (each = 0; each < indegree[rank]; ++each)
      if (in[rank][each] != MPI_PROC_NULL)
        put(expected, each * equal * step, step, equal, in[rank][each], index_at_source(each),
            round);
    if (large) GO(alltoall, _c, sent, equal, types[sent_step], received, equal, types[step]);
    else GO(alltoall, , sent, equal, types[sent_step], received, equal, types[step]);
    check_received();
  }
}

static void varying_blocks(int form, int large, int sent_step, int step) {
  MPI_Request request = MPI_REQUEST_NULL;
  int counts[most], places[most], sent_counts[most], sent_places[most], round, each;
  MPI_Count large_counts[most], large_sent_counts[most];
  MPI_Aint large_places[most], large_sent_places[most];
  const int kinds = 2; /* allgatherv, alltoallv */
  int kind;
  for (kind = 0; kind < kinds; ++kind)
    for (round = 0; round < 3; ++round) {
      clear();
      for (each = 0; each < outdegree[rank]; ++each) {
        large_sent_counts[each] = sent_counts[each] = length(rank, kind == 0 ? 0 : each);
        large_sent_places[each] = sent_places[each] = each * room;
        put(sent, each * room * sent_step, sent_step, sent_counts[each], rank, each, round);
      }
      if (kind == 0) put(sent, 0, sent_step, length(rank, 0), rank, 0, round);
      for (each = 0; each < indegree[rank]; ++each) {
        const int from = in[rank][each], there = from != MPI_PROC_NULL;
        const int block = kind == 0 || !there ? 0 : index_at_source(each);
        large_counts[each] = counts[each] = there ? length(from, block) : room;
        large_places[each] = places[each] = (indegree[rank] - 1 - each) * room;
        if (there) put(expected, places[each] * step, step, counts[each], from, block, round);
      }
      if (kind == 0 && large)
        GO(allgatherv, _c, sent, length(rank, 0), types[sent_step], received, large_counts,
           large_places, types[step]);
      if (kind == 0 && !large)
        GO(allgatherv, , sent, length(rank, 0), types[sent_step], received, counts, places,
           types[step]);
      if (kind == 1 && large)
        GO(alltoallv, _c, sent, large_sent_counts, large_sent_places, types[sent_step], received,
           large_counts, large_places, types[step]);
      if (kind == 1 && !large)
        GO(alltoallv, , sent, sent_counts, sent_places, types[sent_step], received, counts, places,
           types[step]);
      check_received();
    }
}

/* Every block has a type of its own. `absolute`: displacements are addresses. */
static void types_of_their_own(int form, int large, int absolute) {
  MPI_Request request = MPI_REQUEST_NULL;
  int counts[most], sent_counts[most], round, each;
  MPI_Count large_counts[most], large_sent_counts[most];
  MPI_Aint places[most], sent_places[most];
  MPI_Datatype of[most], sent_of[most];
  void *const from_buffer = absolute ? MPI_BOTTOM : sent, *const into_buffer =
                                                              absolute ? MPI_BOTTOM : received;
  for (round = 0; round < 3; ++round) {
    clear();
    for (each = 0; each < outdegree[rank]; ++each) {
      const int step = 1 + (each + rank) % 2, first = each * room * 2;
      sent_of[each] = types[step];
      large_sent_counts[each] = sent_counts[each] = length(rank, each);
      sent_places[each] = (MPI_Aint)sizeof(int) * first;
      if (absolute) MPI_Get_address(&sent[first], &sent_places[each]);
      put(sent, first, step, sent_counts[each], rank, each, round);
    }
    for (each = 0; each < indegree[rank]; ++each) {
      const int from = in[rank][each], there = from != MPI_PROC_NULL;
      const int block = there ? index_at_source(each) : 0;
      const int step = 1 + each % 2, first = (indegree[rank] - 1 - each) * room * 2;
      of[each] = types[step];
      large_counts[each] = counts[each] = there ? length(from, block) : room;
      places[each] = (MPI_Aint)sizeof(int) * first;
      if (absolute) MPI_Get_address(&received[first], &places[each]);
      if (there) put(expected, first, step, counts[each], from, block, round);
    }
    if (large)
      GO(alltoallw, _c, from_buffer, large_sent_counts, sent_places, sent_of, into_buffer,
         large_counts, places, of);
    else
      GO(alltoallw, , from_buffer, sent_counts, sent_places, sent_of, into_buffer, counts, places,
         of);
    check_received();
  }
}

static void all_forms(void) {
  int form, large;
  for (form = 0; form < forms; ++form)
    for (large = 0; large < 2; ++large) {
      const int sent_step = 1 + chance(2), step = 1 + chance(2);
      equal_blocks(form, large, sent_step, step);
      varying_blocks(form, large, sent_step, step);
      types_of_their_own(form, large, chance(2));
    }
}

/* Takes what each rank says of its neighbours, and tests the communicator and a copy of it. */
static void test(MPI_Comm made, const int* sources, int sources_count, const int* destinations,
                 int destinations_count) {
  MPI_Comm_rank(made, &rank);
  MPI_Comm_size(made, &size);
  memset(in, 0, sizeof in);
  memset(out, 0, sizeof out);
  memcpy(in[rank], sources, sizeof(int) * (size_t)sources_count);
  memcpy(out[rank], destinations, sizeof(int) * (size_t)destinations_count);
  indegree[rank] = sources_count;
  outdegree[rank] = destinations_count;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, most, MPI_INT, made);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, out, most, MPI_INT, made);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, indegree, 1, MPI_INT, made);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, outdegree, 1, MPI_INT, made);
  if (chance(2)) MPI_Comm_dup(made, &comm);
  else comm = made;
  all_forms();
  if (comm != made) MPI_Comm_free(&comm);
}

static void random_grid(int world_size) {
  int dims[3], periods[3], around[6], ranks = 1, count = chance(4), each;
  MPI_Comm grid;
  for (each = 0; each < count; ++each) {
    dims[each] = 1 + chance(3);
    if (ranks * dims[each] > world_size) dims[each] = 1;
    ranks *= dims[each];
    periods[each] = chance(2);
  }
  MPI_Cart_create(MPI_COMM_WORLD, count, dims, periods, chance(2), &grid);
  if (grid == MPI_COMM_NULL) return;
  for (each = 0; each < count; ++each)
    MPI_Cart_shift(grid, each, 1, &around[each * 2], &around[each * 2 + 1]);
  paired = 1;
  test(grid, around, count * 2, around, count * 2);
  MPI_Comm_free(&grid);
}

static void random_graph(int world_size) {
  int edges[most_ranks * most], index[most_ranks], degree[most_ranks] = {0};
  int near[most_ranks][most], nodes = world_size, from, count = 0, each;
  MPI_Comm made;
  for (each = 0; each < 3 * nodes; ++each) { /* also several of a pair, and from a node to itself */
    const int to = chance(nodes);
    from = chance(nodes);
    if (degree[from] + 2 > most || degree[to] + 2 > most) continue;
    near[from][degree[from]++] = to;
    near[to][degree[to]++] = from;
  }
  for (from = 0; from < nodes; ++from) {
    for (each = 0; each < degree[from]; ++each) edges[count++] = near[from][each];
    index[from] = count;
  }
  MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, 1, &made);
  MPI_Comm_rank(made, &rank);
  paired = 0;
  test(made, near[rank], degree[rank], near[rank], degree[rank]);
  MPI_Comm_free(&made);
}

static void random_distributed_graph(int world_size) {
  int sources[most], destinations[most], weights[most], degree = 0, other = 0, weighted, each;
  int one[most_ranks], counts[most_ranks], to[most_ranks], given = 0;
  int ends[most_ranks] = {0}, begins[most_ranks] = {0};
  MPI_Comm made;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (each = 0; each < 3 * world_size && given < most_ranks; ++each) {
    const int from = chance(world_size), into = chance(world_size), by = chance(world_size);
    if (++begins[from] > most || ++ends[into] > most) continue;
    if (by != rank) continue;
    one[given] = from;
    to[given] = into;
    counts[given++] = 1;
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, given, one, counts, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &made);
  MPI_Dist_graph_neighbors_count(made, &degree, &other, &weighted);
  CHECK(degree <= most && other <= most && !weighted);
  MPI_Dist_graph_neighbors(made, most, sources, weights, most, destinations, weights);
  paired = 0;
  test(made, sources, degree, destinations, other);
  MPI_Comm_free(&made);
}

/* A line in which each rank sends more than it receives: both of an edge say the same of it, but
 * blocks that come are not as long as those that go. */
static void lengths_that_differ(void) {
  int before, next, form, each;
  MPI_Request request = MPI_REQUEST_NULL;
  const int round = 2; /* where a persistent one goes */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  before = rank - 1, next = rank + 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, &before, MPI_UNWEIGHTED, next < size,
                                 &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  for (form = 0; form < persistent; ++form) {
    clear();
    for (each = 0; each <= rank; ++each) sent[each * 2] = value(rank, 0, each, 0);
    for (each = 0; each < rank; ++each) expected[each] = value(before, 0, each, 0);
    GO(allgather, , sent, rank + 1, types[2], received, rank, MPI_INT);
    check_received();
    memset(received, -1, sizeof received);
    GO(alltoall, , sent, rank + 1, types[2], received, rank, MPI_INT);
    check_received();
  }
  MPI_Comm_free(&comm);
}

static void refusals(void) {
  int number = 0, code, error_class, index[2] = {1, 1}, edge = 1;
  MPI_Comm one_way;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  code = MPI_Neighbor_allgather(&number, 1, MPI_INT, &number, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Error_class(code, &error_class);
  CHECK(error_class == MPI_ERR_TOPOLOGY);
  if (size < 2) return;
  MPI_Graph_create(MPI_COMM_WORLD, 2, index, &edge, 0, &one_way);
  if (one_way == MPI_COMM_NULL) return;
  code = MPI_Neighbor_allgather(&number, 1, MPI_INT, &number, 1, MPI_INT, one_way);
  MPI_Error_class(code, &error_class);
  CHECK(error_class == MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&one_way);
}

int main(int argc, char** argv) {
  int world_size, round;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  CHECK(world_size <= most_ranks);
  types[1] = MPI_INT;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &types[2]);
  MPI_Type_commit(&types[2]);
  for (round = 0; round < 12; ++round) {
    seed = (unsigned)(round * 1000 + world_size), random_grid(world_size);
    seed = (unsigned)(round * 2000 + world_size), random_graph(world_size);
    seed = (unsigned)(round * 3000 + world_size), random_distributed_graph(world_size);
  }
  lengths_that_differ();
  refusals();
  MPI_Type_free(&types[2]);
  MPI_Finalize();
  return 0;
}
