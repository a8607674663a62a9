/* Topologies by MPI's C interface: grids, graphs that all know, and graphs of which each rank knows
 * its own edges. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static int rank, size;

static int class_of(int code) {
  int found;
  MPI_Error_class(code, &found);
  return found;
}

static int kind_of(MPI_Comm comm) {
  int kind;
  MPI_Topo_test(comm, &kind);
  return kind;
}

/* What every rank of a grid says of itself goes together with what a second way of counting says.
 */
static void check_grid(MPI_Comm grid, int count, const int* dims, const int* periods) {
  int found = -1, told[4], told_periods[4], at[4], others[4], each, below, above, own, ranks, by;
  MPI_Cartdim_get(grid, &found);
  CHECK(found == count && kind_of(grid) == MPI_CART);
  MPI_Comm_rank(grid, &own);
  MPI_Comm_size(grid, &ranks);
  MPI_Cart_get(grid, 4, told, told_periods, at);
  for (each = 0; each < count; ++each)
    CHECK(told[each] == dims[each] && told_periods[each] == (periods[each] != 0));
  for (found = 0, each = 0; each < count; ++each) found = found * dims[each] + at[each];
  CHECK(found == own);
  MPI_Cart_rank(grid, at, &found);
  CHECK(found == own);
  MPI_Cart_coords(grid, ranks - 1, count, others);
  for (each = 0; each < count; ++each) CHECK(others[each] == dims[each] - 1);
  for (each = 0; each < count; ++each)
    for (by = -4; by <= 4; ++by) {
      const int to = at[each] + by, from = at[each] - by;
      MPI_Cart_shift(grid, each, by, &below, &above);
      memcpy(others, at, sizeof at);
      if (!periods[each] && (to < 0 || to >= dims[each])) CHECK(above == MPI_PROC_NULL);
      else {
        others[each] = to;
        MPI_Cart_rank(grid, others, &found);
        CHECK(found == above);
      }
      if (!periods[each] && (from < 0 || from >= dims[each])) CHECK(below == MPI_PROC_NULL);
      else {
        others[each] = from;
        MPI_Cart_rank(grid, others, &found);
        CHECK(found == below);
      }
    }
}

static void grids(void) {
  const int all[][3] = {{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {1, 3, 1}, {2, 1, 3}, {2, 2, 2}};
  size_t which;
  for (which = 0; which < sizeof all / sizeof all[0]; ++which) {
    const int *const dims = all[which], periods[3] = {1, 0, 7}, ranks = dims[0] * dims[1] * dims[2];
    const int kept[3] = {1, 0, 1}, none[3] = {0, 0, 0};
    int found, at[3], part_dims[2] = {dims[0], dims[2]}, part_periods[2] = {1, 1}, wanted;
    MPI_Comm grid, copy, part;
    if (ranks > size) continue;
    MPI_Cart_map(MPI_COMM_WORLD, 3, dims, periods, &found);
    CHECK(found == (rank < ranks ? rank : MPI_UNDEFINED));
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    CHECK((grid == MPI_COMM_NULL) == (rank >= ranks));
    if (grid == MPI_COMM_NULL) continue;
    check_grid(grid, 3, dims, periods);
    MPI_Comm_dup(grid, &copy);
    check_grid(copy, 3, dims, periods);
    MPI_Cart_get(grid, 3, at, at, at); /* coordinates are told last */
    MPI_Cart_sub(grid, kept, &part);
    MPI_Comm_free(&grid);
    check_grid(part, 2, part_dims, part_periods);
    MPI_Comm_rank(part, &found);
    CHECK(found == at[0] * dims[2] + at[2]);
    MPI_Comm_free(&part);
    MPI_Cart_sub(copy, none, &part);
    check_grid(part, 0, dims, periods);
    MPI_Comm_size(part, &found);
    CHECK(found == 1);
    MPI_Comm_free(&part);
    wanted = MPI_Comm_split(copy, 0, 0, &part); /* a part has no topology */
    CHECK(wanted == MPI_SUCCESS && kind_of(part) == MPI_UNDEFINED);
    MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
  }
}

static void grid_of_no_dimension(void) {
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 1, &grid);
  CHECK((grid == MPI_COMM_NULL) == (rank != 0));
  if (grid == MPI_COMM_NULL) return;
  check_grid(grid, 0, NULL, NULL);
  MPI_Comm_free(&grid);
}

/* A ring, and an edge from node 0 to itself: 0: 0 0 1 last. */
static void graphs(void) {
  const int nodes = size > 1 ? size - 1 : 1; /* one rank is left over */
  int *const index = malloc(sizeof(int) * (size_t)size), *const edges = malloc(
                                                             sizeof(int) * (size_t)(2 * size + 2));
  int *const told = malloc(sizeof(int) * (size_t)size), *const told_edges = malloc(
                                                            sizeof(int) * (size_t)(2 * size + 2));
  int count = 2, each, found, found_edges;
  MPI_Comm made, copy;
  edges[0] = edges[1] = 0;
  for (each = 0; each < nodes; ++each) {
    edges[count++] = (each + 1) % nodes;
    edges[count++] = (each + nodes - 1) % nodes;
    index[each] = count;
  }
  MPI_Graph_map(MPI_COMM_WORLD, nodes, index, edges, &found);
  CHECK(found == (rank < nodes ? rank : MPI_UNDEFINED));
  MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, 0, &made);
  CHECK((made == MPI_COMM_NULL) == (rank >= nodes));
  if (made != MPI_COMM_NULL) {
    MPI_Comm_dup(made, &copy);
    MPI_Comm_free(&made);
    CHECK(kind_of(copy) == MPI_GRAPH);
    MPI_Graphdims_get(copy, &found, &found_edges);
    CHECK(found == nodes && found_edges == count);
    MPI_Graph_get(copy, size, 2 * size + 2, told, told_edges);
    CHECK(memcmp(told, index, sizeof(int) * (size_t)nodes) == 0);
    CHECK(memcmp(told_edges, edges, sizeof(int) * (size_t)count) == 0);
    for (each = 0; each < nodes; ++each) {
      const int first = each == 0 ? 0 : index[each - 1];
      MPI_Graph_neighbors_count(copy, each, &found);
      CHECK(found == index[each] - first);
      MPI_Graph_neighbors(copy, each, found, told_edges);
      CHECK(memcmp(told_edges, &edges[first], sizeof(int) * (size_t)found) == 0);
    }
    CHECK(class_of(MPI_Graph_neighbors_count(copy, nodes, &found)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Cartdim_get(copy, &found)) == MPI_ERR_TOPOLOGY);
    MPI_Comm_free(&copy);
  }
  MPI_Graph_create(MPI_COMM_WORLD, 0, index, edges, 0, &made);
  CHECK(made == MPI_COMM_NULL);
  free(index), free(edges), free(told), free(told_edges);
}

/* Each rank names what it sends to: the next one, and itself twice; weights say which edge it is.
 */
static void adjacent_graphs(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const int sources[3] = {rank, before, rank}, source_weights[3] = {10, 20 + before, 11};
  const int destinations[3] = {rank, rank, next}, weights[3] = {10, 11, 20 + rank};
  int told[3] = {-1, -1, -1}, told_weights[3] = {-1, -1, -1}, to[3], to_weights[3], in, out, flag;
  MPI_Comm made, copy;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, source_weights, 3, destinations,
                                 weights, MPI_INFO_NULL, 0, &made);
  MPI_Comm_dup(made, &copy);
  MPI_Comm_free(&made);
  CHECK(kind_of(copy) == MPI_DIST_GRAPH);
  MPI_Dist_graph_neighbors_count(copy, &in, &out, &flag);
  CHECK(in == 3 && out == 3 && flag);
  MPI_Dist_graph_neighbors(copy, 3, told, told_weights, 3, to, to_weights);
  CHECK(memcmp(told, sources, sizeof told) == 0);
  CHECK(memcmp(told_weights, source_weights, sizeof told) == 0);
  CHECK(memcmp(to, destinations, sizeof to) == 0 && memcmp(to_weights, weights, sizeof to) == 0);
  memset(told, -1, sizeof told);
  MPI_Dist_graph_neighbors(copy, 1, told, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED);
  CHECK(told[0] == rank && told[1] == -1);
  MPI_Comm_free(&copy);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL,
                                 MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &made);
  MPI_Dist_graph_neighbors_count(made, &in, &out, &flag);
  CHECK(in == 0 && out == 0 && flag);
  MPI_Comm_free(&made);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  MPI_Dist_graph_neighbors_count(made, &in, &out, &flag);
  CHECK(in == 1 && out == 1 && !flag);
  MPI_Comm_free(&made);
}

/* The last rank gives all edges: from each rank to all those above it, twice. */
static void graphs_that_one_rank_gives(void) {
  const int gives = rank == size - 1, pairs = size * (size - 1) / 2;
  int *const sources = malloc(sizeof(int) * (size_t)size),
             *const degrees = malloc(sizeof(int) * (size_t)size),
             *const to = malloc(sizeof(int) * (size_t)(2 * pairs + 1)),
             *const weights = malloc(sizeof(int) * (size_t)(2 * pairs + 1));
  int *const from_told = malloc(sizeof(int) * (size_t)(2 * size)),
             *const from_weights = malloc(sizeof(int) * (size_t)(2 * size)),
             *const to_told = malloc(sizeof(int) * (size_t)(2 * size)),
             *const to_weights = malloc(sizeof(int) * (size_t)(2 * size));
  int each, other, count = 0, in, out, flag;
  MPI_Comm made;
  for (each = 0; each < size; ++each) {
    sources[each] = each;
    degrees[each] = 2 * (size - 1 - each);
    for (other = each + 1; other < size; ++other) {
      to[count] = to[count + 1] = other;
      weights[count] = each * 1000 + other * 2;
      weights[count + 1] = each * 1000 + other * 2 + 1;
      count += 2;
    }
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, gives ? size : 0, sources, degrees, to,
                        gives ? weights : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 1, &made);
  MPI_Dist_graph_neighbors_count(made, &in, &out, &flag);
  CHECK(in == 2 * rank && out == 2 * (size - 1 - rank) && flag);
  MPI_Dist_graph_neighbors(made, in, from_told, from_weights, out, to_told, to_weights);
  for (each = 0; each < in; ++each) {
    CHECK(from_told[each] == each / 2);
    CHECK(from_weights[each] == each / 2 * 1000 + rank * 2 + each % 2);
  }
  for (each = 0; each < out; ++each) {
    CHECK(to_told[each] == rank + 1 + each / 2);
    CHECK(to_weights[each] == rank * 1000 + to_told[each] * 2 + each % 2);
  }
  MPI_Comm_free(&made);
  free(sources), free(degrees), free(to), free(weights);
  free(from_told), free(from_weights), free(to_told), free(to_weights);
}

static void refusals(void) {
  const int too_large[1] = {size + 1}, no_extent[1] = {0}, on[1] = {1}, one[1] = {1};
  const int index[1] = {1}, far[1] = {size};
  int found, other;
  MPI_Comm made, line;
  CHECK(class_of(MPI_Cart_create(MPI_COMM_WORLD, 1, too_large, on, 0, &made)) == MPI_ERR_DIMS);
  CHECK(class_of(MPI_Cart_create(MPI_COMM_WORLD, 1, no_extent, on, 0, &made)) == MPI_ERR_DIMS);
  CHECK(class_of(MPI_Cart_create(MPI_COMM_WORLD, -1, on, on, 0, &made)) == MPI_ERR_DIMS);
  CHECK(class_of(MPI_Cart_create(MPI_COMM_WORLD, 1, NULL, on, 0, &made)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Graph_create(MPI_COMM_WORLD, 1, index, far, 0, &made)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Graph_create(MPI_COMM_WORLD, size + 1, index, far, 0, &made)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Cartdim_get(MPI_COMM_WORLD, &found)) == MPI_ERR_TOPOLOGY);
  CHECK(class_of(MPI_Graphdims_get(MPI_COMM_WORLD, &found, &other)) == MPI_ERR_TOPOLOGY);
  CHECK(class_of(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &found, &other, &found)) ==
        MPI_ERR_TOPOLOGY);
  CHECK(class_of(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, far, on, on, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &made)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Topo_test(MPI_COMM_NULL, &found)) == MPI_ERR_COMM);
  MPI_Cart_create(MPI_COMM_SELF, 1, one, on + 0, 0, &line);
  MPI_Comm_set_errhandler(line, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Cart_shift(line, 1, 1, &found, &other)) == MPI_ERR_DIMS);
  CHECK(class_of(MPI_Cart_coords(line, 1, 1, &found)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Cart_coords(line, 0, -1, &found)) == MPI_ERR_ARG);
  MPI_Comm_free(&line);
  /* What does not go together is found out on every rank. */
  if (size == 1) return;
  found = rank == 0 ? 1 : 0;
  CHECK(class_of(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, found, on,
                                                MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made)) ==
        MPI_ERR_ARG);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(kind_of(MPI_COMM_WORLD) == MPI_UNDEFINED);
  grids();
  grid_of_no_dimension();
  graphs();
  adjacent_graphs();
  graphs_that_one_rank_gives();
  refusals();
  MPI_Finalize();
  return 0;
}
