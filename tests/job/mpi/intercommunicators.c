/* Intercommunicators: messages between two groups, groups of unequal sizes whose leaders are any
 * ranks, all collectives, blocking and nonblocking, and what is made of them. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static int rank, size;                  /* of the world */
static int own, locals, others, second; /* of the intercommunicator; which group */
static MPI_Comm inter;

static void shape(MPI_Comm of) {
  inter = of;
  MPI_Comm_rank(inter, &own);
  MPI_Comm_size(inter, &locals);
  MPI_Comm_remote_size(inter, &others);
}

static void messages(void) {
  int each, value, flag;
  MPI_Status status;
  MPI_Request request, *const all = malloc(sizeof(MPI_Request) * (size_t)others);
  int* const got = malloc(sizeof(int) * (size_t)others);
  MPI_Message message;
  const int mine = second * 1000 + own;
  /* To all of the other group; from each by name. */
  for (each = 0; each < others; ++each)
    MPI_Irecv(&got[each], 1, MPI_INT, each, 5, inter, &all[each]);
  for (each = 0; each < others; ++each) MPI_Send(&mine, 1, MPI_INT, each, 5, inter);
  for (each = 0; each < others; ++each) {
    MPI_Wait(&all[each], &status);
    CHECK(got[each] == (1 - second) * 1000 + each && status.MPI_SOURCE == each);
  }
  /* From anyone, by every kind of receive: the source is a rank of the other group. */
  for (each = 0; each < others; ++each) MPI_Isend(&mine, 1, MPI_INT, each, 6, inter, &all[each]);
  for (each = 0; each < others; ++each) {
    MPI_Probe(MPI_ANY_SOURCE, 6, inter, &status);
    CHECK(status.MPI_SOURCE >= 0 && status.MPI_SOURCE < others);
    value = status.MPI_SOURCE;
    switch (each % 3) {
      case 0: MPI_Recv(&got[0], 1, MPI_INT, value, 6, inter, &status); break;
      case 1:
        MPI_Mprobe(value, 6, inter, &message, &status);
        MPI_Mrecv(&got[0], 1, MPI_INT, &message, &status);
        break;
      default:
        MPI_Improbe(value, 6, inter, &flag, &message, &status);
        CHECK(flag);
        MPI_Imrecv(&got[0], 1, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
    }
    CHECK(status.MPI_SOURCE == value && got[0] == (1 - second) * 1000 + value);
  }
  MPI_Waitall(others, all, MPI_STATUSES_IGNORE);
  if (own < others && own < locals) { /* with the one of the same rank, if there is one */
    MPI_Sendrecv(&mine, 1, MPI_INT, own, 7, &value, 1, MPI_INT, own, 7, inter, &status);
    CHECK(value == (1 - second) * 1000 + own && status.MPI_SOURCE == own);
    MPI_Recv_init(&value, 1, MPI_INT, own, 8, inter, &request);
    MPI_Start(&request);
    MPI_Ssend(&mine, 1, MPI_INT, own, 8, inter);
    MPI_Wait(&request, &status);
    CHECK(status.MPI_SOURCE == own);
    MPI_Request_free(&request);
  }
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, inter, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  CHECK(MPI_Send(&value, 1, MPI_INT, others, 0, inter) == MPI_ERR_RANK);
  CHECK(MPI_Scan(&value, &flag, 1, MPI_INT, MPI_SUM, inter) == MPI_ERR_COMM);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_ARE_FATAL);
  free(all), free(got);
}

/* The last of the second group is the root, or of the first one where `first`. */
static void rooted(int first, int waits) {
  const int of_root = second != first, root_size = of_root ? locals : others;
  const int is_root = of_root && own == locals - 1;
  const int root = !of_root ? root_size - 1 : is_root ? MPI_ROOT : MPI_PROC_NULL;
  const int peers = is_root ? others : 0;
  int each, values[3] = {-1, -1, -1}, total = 0;
  int* const all = calloc((size_t)others + 1, 4 * sizeof(int));
  int* const counts = calloc((size_t)others + 1, sizeof(int));
  int* const places = calloc((size_t)others + 1, sizeof(int));
  MPI_Request request;
  MPI_Datatype apart;
  MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
  MPI_Type_commit(&apart);
  if (is_root) values[0] = 11, values[1] = 12, values[2] = 13;
  if (waits) {
    MPI_Bcast(values, 1, apart, root, inter);
  } else {
    MPI_Ibcast(values, 1, apart, root, inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (!of_root) CHECK(values[0] == 11 && values[1] == -1 && values[2] == 13);
  values[0] = own, values[1] = own + 1, values[2] = own + 2;
  if (waits) {
    MPI_Gather(values, 3, MPI_INT, all, 3, MPI_INT, root, inter);
  } else {
    MPI_Igather(values, 3, MPI_INT, all, 3, MPI_INT, root, inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (each = 0; each < 3 * peers; ++each) CHECK(all[each] == each / 3 + each % 3);
  values[0] = values[1] = values[2] = -1;
  if (waits) {
    MPI_Scatter(all, 3, MPI_INT, values, 3, MPI_INT, root, inter);
  } else {
    MPI_Iscatter(all, 3, MPI_INT, values, 3, MPI_INT, root, inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  CHECK(of_root ? values[0] == -1 : values[0] == own && values[2] == own + 2);
  /* Blocks of different lengths, in reverse. */
  for (each = 0; each < others; ++each) counts[each] = each % 4, total += counts[each];
  for (each = 0; each < others; ++each) places[each] = total -= counts[each];
  values[0] = own, values[1] = own + 1, values[2] = own + 2;
  memset(all, 0, sizeof(int) * 4 * (size_t)others);
  if (waits) {
    MPI_Gatherv(values, own % 4, MPI_INT, all, counts, places, MPI_INT, root, inter);
  } else {
    MPI_Igatherv(values, own % 4, MPI_INT, all, counts, places, MPI_INT, root, inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (each = 0; each < peers; ++each)
    for (total = 0; total < counts[each]; ++total) CHECK(all[places[each] + total] == each + total);
  values[0] = values[1] = values[2] = -1;
  if (waits) {
    MPI_Scatterv(all, counts, places, MPI_INT, values, own % 4, MPI_INT, root, inter);
  } else {
    MPI_Iscatterv(all, counts, places, MPI_INT, values, own % 4, MPI_INT, root, inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (each = 0; !of_root && each < 3; ++each)
    CHECK(values[each] == (each < own % 4 ? own + each : -1));
  values[0] = own + 1, values[1] = -5, values[2] = own;
  all[0] = all[1] = all[2] = -7;
  if (waits) {
    MPI_Reduce(values, all, 3, MPI_INT, MPI_SUM, root, inter);
  } else {
    MPI_Ireduce(values, all, 3, MPI_INT, MPI_SUM, root, inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (is_root)
    CHECK(all[0] == others * (others + 1) / 2 && all[1] == -5 * others &&
          all[2] == others * (others - 1) / 2);
  else CHECK(all[0] == -7);
  MPI_Type_free(&apart);
  free(all), free(counts), free(places);
}

/* Products of matrices, of which the order matters, at places that are apart in memory. */
typedef struct {
  int unused;
  long long at[4];
} matrix;
static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  matrix *left = in, *right = inout;
  int each;
  (void)type;
  for (each = 0; each < *count; ++each, ++left, ++right) {
    const matrix l = *left, r = *right;
    right->at[0] = (l.at[0] * r.at[0] + l.at[1] * r.at[2]) % 1009;
    right->at[1] = (l.at[0] * r.at[1] + l.at[1] * r.at[3]) % 1009;
    right->at[2] = (l.at[2] * r.at[0] + l.at[3] * r.at[2]) % 1009;
    right->at[3] = (l.at[2] * r.at[1] + l.at[3] * r.at[3]) % 1009;
  }
}
static matrix of_rank(int of) {
  const matrix made = {-1, {of + 1, 2, 3, of + 5}};
  return made;
}

static void ordered(void) {
  MPI_Op product;
  MPI_Datatype held, type;
  const int length = 4;
  const MPI_Aint place = offsetof(matrix, at);
  const MPI_Datatype part = MPI_LONG_LONG;
  matrix mine[2] = {of_rank(own), of_rank(own + 7)}, result[2], right[2];
  int each, one = 1, which;
  MPI_Type_create_struct(1, &length, &place, &part, &held);
  MPI_Type_create_resized(held, 0, sizeof(matrix), &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply, 0, &product);
  right[0] = of_rank(others - 1), right[1] = of_rank(others + 6);
  for (each = others - 2; each >= 0; --each)
    for (which = 0; which < 2; ++which) {
      matrix lower = of_rank(each + which * 7);
      multiply(&lower, &right[which], &one, NULL);
    }
  memset(result, 0, sizeof result);
  MPI_Allreduce(mine, result, 2, type, product, inter);
  for (which = 0; which < 2; ++which)
    CHECK(result[which].unused == 0 &&
          memcmp(result[which].at, right[which].at, sizeof right[which].at) == 0);
  memset(result, 0, sizeof result);
  which = second ? (own == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  MPI_Reduce(mine, result, 2, type, product, which, inter);
  if (which == MPI_ROOT)
    CHECK(result[0].unused == 0 && memcmp(result[0].at, right[0].at, sizeof right[0].at) == 0 &&
          memcmp(result[1].at, right[1].at, sizeof right[1].at) == 0);
  MPI_Op_free(&product);
  MPI_Type_free(&held);
  MPI_Type_free(&type);
}

static void all_to_all(int waits) {
  const size_t most = sizeof(int) * (size_t)(size * size + 2);
  int *const sent = malloc(most), *const got = malloc(most);
  int *const counts = malloc(most), *const places = malloc(most);
  MPI_Datatype* const types = malloc(sizeof(MPI_Datatype) * (size_t)size);
  int each, i, sum, base = (1 - second) * 1000, mine[2];
  MPI_Request request = MPI_REQUEST_NULL;
  mine[0] = second * 1000 + own, mine[1] = -own;
  if (waits) MPI_Barrier(inter);
  else MPI_Ibarrier(inter, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (waits) MPI_Allgather(mine, 2, MPI_INT, got, 2, MPI_INT, inter);
  else MPI_Iallgather(mine, 2, MPI_INT, got, 2, MPI_INT, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (each = 0; each < others; ++each)
    CHECK(got[2 * each] == base + each && got[2 * each + 1] == -each);
  for (each = 0; each < others; ++each)
    counts[each] = 1 + each % 2, places[each] = 2 * (others - 1 - each);
  if (waits) MPI_Allgatherv(mine, 1 + own % 2, MPI_INT, got, counts, places, MPI_INT, inter);
  else MPI_Iallgatherv(mine, 1 + own % 2, MPI_INT, got, counts, places, MPI_INT, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (each = 0; each < others; ++each) CHECK(got[places[each]] == base + each);
  for (each = 0; each < others; ++each) sent[each] = own * 100 + each;
  if (waits) MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, inter);
  else MPI_Ialltoall(sent, 1, MPI_INT, got, 1, MPI_INT, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (each = 0; each < others; ++each) CHECK(got[each] == each * 100 + own);
  for (each = 0; each < others; ++each) { /* as many as the two ranks together, and by bytes */
    counts[each] = own + each, places[each] = each * size, types[each] = MPI_INT;
    for (i = 0; i < counts[each]; ++i) sent[places[each] + i] = own * 100 + each * 10 + i;
  }
  if (waits) MPI_Alltoallv(sent, counts, places, MPI_INT, got, counts, places, MPI_INT, inter);
  else MPI_Ialltoallv(sent, counts, places, MPI_INT, got, counts, places, MPI_INT, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (each = 0; each < others; ++each)
    for (i = 0; i < own + each && own + each <= size; ++i)
      CHECK(got[places[each] + i] == each * 100 + own * 10 + i);
  memset(got, 0, most);
  for (each = 0; each < others; ++each) places[each] *= (int)sizeof(int);
  if (waits) MPI_Alltoallw(sent, counts, places, types, got, counts, places, types, inter);
  else MPI_Ialltoallw(sent, counts, places, types, got, counts, places, types, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (each = 0; each < others; ++each)
    if (own + each > 0) CHECK(got[each * size] == each * 100 + own * 10);
  if (waits) MPI_Allreduce(mine, got, 2, MPI_INT, MPI_SUM, inter);
  else MPI_Iallreduce(mine, got, 2, MPI_INT, MPI_SUM, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sum = others * (others - 1) / 2;
  CHECK(got[0] == base * others + sum && got[1] == -sum);
  /* As many elements for the two groups: the last local rank gets what is left. */
  for (each = 0; each < locals; ++each)
    counts[each] = each + 1 < locals ? 1 : size * size - locals + 1;
  for (i = 0; i < size * size; ++i) sent[i] = own + i;
  if (waits) MPI_Reduce_scatter(sent, got, counts, MPI_INT, MPI_SUM, inter);
  else MPI_Ireduce_scatter(sent, got, counts, MPI_INT, MPI_SUM, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (i = 0; i < counts[own]; ++i) CHECK(got[i] == sum + others * (own + i));
  if (waits) MPI_Reduce_scatter_block(sent, got, others, MPI_INT, MPI_MAX, inter);
  else MPI_Ireduce_scatter_block(sent, got, others, MPI_INT, MPI_MAX, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (i = 0; i < others; ++i) CHECK(got[i] == others - 1 + own * others + i);
  free(sent), free(got), free(counts), free(places), free(types);
}

static void everything(MPI_Comm of) {
  int flag = 0;
  shape(of);
  MPI_Comm_test_inter(of, &flag);
  CHECK(flag);
  messages();
  rooted(0, 1), rooted(1, 1), rooted(0, 0), rooted(1, 0);
  all_to_all(1), all_to_all(0);
  ordered();
}

/* In the merged one the group with `high` comes last. */
static void merged(MPI_Comm of) {
  MPI_Comm made;
  int high, all, place, sum = 0;
  shape(of);
  for (high = 0; high < 2; ++high) {
    MPI_Intercomm_merge(of, second == high, &made);
    MPI_Comm_size(made, &all);
    MPI_Comm_rank(made, &place);
    CHECK(all == locals + others && place == own + (second == high ? others : 0));
    MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_SUM, made);
    CHECK(sum == all * (all - 1) / 2);
    MPI_Comm_free(&made);
  }
  MPI_Intercomm_merge(of, 1, &made); /* both say the same: any order will do */
  MPI_Barrier(made);
  MPI_Comm_free(&made);
}

/* All ranks that share memory: in reverse; the first of each group. */
static void types(MPI_Comm of) {
  MPI_Comm near, made;
  int together, before = own;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  MPI_Comm_size(near, &together);
  MPI_Comm_free(&near);
  MPI_Comm_split_type(of, MPI_COMM_TYPE_SHARED, -own, MPI_INFO_NULL, &made);
  if (together == size) {
    everything(made);
    CHECK(own == locals - 1 - before);
  }
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  shape(of);
  MPI_Comm_split_type(of, own == 0 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, MPI_INFO_NULL, &made);
  CHECK(together != size || (made == MPI_COMM_NULL) == (own != 0));
  if (made != MPI_COMM_NULL) everything(made), MPI_Comm_free(&made);
}

static void derived(MPI_Comm of) {
  MPI_Comm made;
  MPI_Request request;
  MPI_Group local, remote, again, one;
  int result, zero = 0;
  MPI_Comm_dup(of, &made);
  MPI_Comm_compare(of, made, &result);
  CHECK(result == MPI_CONGRUENT);
  everything(made);
  MPI_Comm_compare(MPI_COMM_WORLD, made, &result);
  CHECK(result == MPI_UNEQUAL);
  MPI_Comm_group(of, &local);
  MPI_Comm_remote_group(of, &remote);
  MPI_Comm_remote_group(made, &again);
  MPI_Group_compare(remote, again, &result);
  CHECK(result == MPI_IDENT);
  MPI_Comm_disconnect(&made);
  MPI_Comm_idup(of, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  everything(made);
  MPI_Comm_free(&made);
  MPI_Comm_split(of, 0, -own, &made); /* in reverse */
  shape(of);
  result = own;
  everything(made);
  CHECK(own == locals - 1 - result);
  MPI_Comm_free(&made);
  shape(of);
  MPI_Comm_split(of, own, 0, &made); /* pairs; who has no partner gets none */
  CHECK((made == MPI_COMM_NULL) == (own >= others));
  if (made != MPI_COMM_NULL) everything(made), MPI_Comm_free(&made);
  shape(of);
  types(of);
  shape(of);
  MPI_Group_incl(local, 1, &zero, &one);
  MPI_Comm_create(of, one, &made); /* the first of each */
  CHECK((made == MPI_COMM_NULL) == (own != 0));
  if (made != MPI_COMM_NULL) everything(made), MPI_Comm_free(&made);
  MPI_Comm_create_from_group(local, "x", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Comm_free(&made);
  MPI_Group_free(&one), MPI_Group_free(&again);
  MPI_Group_free(&local), MPI_Group_free(&remote);
}

int main(int argc, char** argv) {
  MPI_Comm half, made, peer;
  int cut, reverse, place, count;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &peer);
  for (cut = 1; cut < size; ++cut) /* groups of every size, once in reverse */
    for (reverse = 0; reverse < 2; ++reverse) {
      MPI_Group local, remote;
      second = rank >= cut;
      MPI_Comm_split(MPI_COMM_WORLD, second, reverse ? -rank : rank, &half);
      MPI_Comm_rank(half, &place);
      MPI_Comm_size(half, &count);
      /* The leaders are the last ranks of the halves. */
      MPI_Intercomm_create(half, count - 1, peer,
                           second ? (reverse ? 0 : cut - 1) : (reverse ? cut : size - 1), 9, &made);
      everything(made);
      merged(made);
      if (cut == 1 || cut == size / 2) derived(made);
      MPI_Comm_group(made, &local);
      MPI_Comm_remote_group(made, &remote);
      MPI_Comm_free(&made);
      MPI_Intercomm_create_from_groups(local, count - 1, remote, 0, "intercommunicators.c",
                                       MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
      everything(made);
      MPI_Comm_free(&made);
      MPI_Group_free(&local), MPI_Group_free(&remote);
      MPI_Comm_free(&half);
    }
  if (size > 1) { /* a wrong argument of the leader: nobody waits in vain */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    MPI_Comm_rank(half, &place);
    count = MPI_Intercomm_create(half, 0, peer, size, 9, &made);
    CHECK(count == (place == 0 ? MPI_ERR_RANK : MPI_ERR_OTHER));
    MPI_Comm_free(&half);
  }
  MPI_Comm_free(&peer);
  return MPI_Finalize();
}
