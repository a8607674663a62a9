#include "mpi/communicators/intercommunicator.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "mpi/communicators/member_tags.hpp"
#include "mpi/environment/world.hpp"
#include "mpi/groups/group_sets.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

int lowest_of(const group& of) {
  const std::vector<int> ranks = of.world_ranks();
  return *std::ranges::min_element(ranks);
}

void bcast(const communicator& among, int root, void* data, std::size_t bytes) {
  detail::collective_call call;
  call.kind = detail::collective::bcast;
  call.root = root;
  call.receive = data;
  call.bytes = bytes;
  detail::run_collective(*among.state, call, place);
}

MPI_Comm hand_out_inter(detail::communicator_state& made, MPI_Errhandler errhandler,
                        const std::shared_ptr<send_buffer>& session_buffer, int remote_first,
                        int remote_size) {
  const MPI_Comm handle = hand_out(made, errhandler, session_buffer);
  communicator& own = communicator_of(handle);
  own.remote_first = remote_first;
  own.remote_size = remote_size;
  return handle;
}

}  // namespace

MPI_Comm form_intercommunicator(const group& local, const group& remote, std::string_view text,
                                MPI_Errhandler errhandler) {
  if (intersection_of(local, remote).size() != 0)
    fail(MPI_ERR_GROUP, "a process is in both groups of an intercommunicator");
  // Both sides find the same order.
  const bool local_first = lowest_of(local) < lowest_of(remote);
  const group all = local_first ? union_of(local, remote) : union_of(remote, local);
  detail::communicator_state& made =
      detail::form(all_ranks(), all.world_ranks(), tag_of_text(text, all), place);
  return hand_out_inter(made, errhandler, local.session_buffer, local_first ? local.size() : 0,
                        remote.size());
}

group pass_on_group(const communicator& among, int leader, const group* found) {
  const bool leads = among.rank() == leader;
  int count = leads && found != nullptr ? found->size() : 0;
  bcast(among, leader, &count, sizeof count);
  if (count == 0) fail(MPI_ERR_OTHER, "the leader of the local group does not reach the other one");
  std::vector<int> ranks(static_cast<std::size_t>(count));
  if (leads) ranks = found->world_ranks();
  bcast(among, leader, ranks.data(), ranks.size() * sizeof(int));
  return group{std::move(ranks)};
}

MPI_Comm split_intercommunicator(const communicator& from, bool joins, int color, int key) {
  const bool is_second = from.local_first() != 0;
  // The groups stay one after the other: the side goes before the key.
  const std::int64_t place_in_all =
      (std::int64_t{is_second ? 1 : 0} << 33) + static_cast<std::int64_t>(key);
  detail::communicator_state* const made =
      detail::split(*from.state, joins, color, place_in_all, place);
  if (made == nullptr) return MPI_COMM_NULL;
  const group local = group_of_communicator(from);
  int locals = 0;
  for (int each = 0; each != detail::size_of(*made); ++each)
    locals += local.contains(detail::world_rank_of(*made, each)) ? 1 : 0;
  const int remotes = detail::size_of(*made) - locals;
  if (remotes == 0) {
    detail::release(*made);
    return MPI_COMM_NULL;
  }
  return hand_out_inter(*made, from.errhandler, from.session_buffer, is_second ? 0 : locals,
                        remotes);
}

}  // namespace peal::mpi
