pealincludedir = $(includedir)/peal
pealinclude_HEADERS = \
  include/peal/basic_communicator.hpp \
  include/peal/blocks.hpp \
  include/peal/buffer.hpp \
  include/peal/communicator.hpp \
  include/peal/completion_queue.hpp \
  include/peal/counter.hpp \
  include/peal/datatype.hpp \
  include/peal/environment.hpp \
  include/peal/error.hpp \
  include/peal/grow.hpp \
  include/peal/into.hpp \
  include/peal/memory.hpp \
  include/peal/message.hpp \
  include/peal/message_plan.hpp \
  include/peal/op.hpp \
  include/peal/peal.hpp \
  include/peal/plan.hpp \
  include/peal/point_to_point.hpp \
  include/peal/request.hpp \
  include/peal/serialization.hpp \
  include/peal/stats.hpp \
  include/peal/status.hpp \
  include/peal/tag.hpp \
  include/peal/topology.hpp \
  include/peal/version.hpp \
  include/peal/view.hpp \
  include/peal/wait.hpp \
  include/peal/when.hpp

pealcollectivesdir = $(includedir)/peal/collectives
pealcollectives_HEADERS = \
  include/peal/collectives/allgather.hpp \
  include/peal/collectives/allreduce.hpp \
  include/peal/collectives/alltoall.hpp \
  include/peal/collectives/barrier.hpp \
  include/peal/collectives/bcast.hpp \
  include/peal/collectives/gather.hpp \
  include/peal/collectives/neighbor_allgather.hpp \
  include/peal/collectives/neighbor_alltoall.hpp \
  include/peal/collectives/reduce.hpp \
  include/peal/collectives/reduce_scatter.hpp \
  include/peal/collectives/scan.hpp \
  include/peal/collectives/scatter.hpp

pealdetaildir = $(includedir)/peal/detail
pealdetail_HEADERS = \
  include/peal/detail/collective_checks.hpp \
  include/peal/detail/collective_forms.hpp \
  include/peal/detail/collective_work.hpp \
  include/peal/detail/continuation.hpp \
  include/peal/detail/coroutine.hpp \
  include/peal/detail/core.hpp \
  include/peal/detail/environment.hpp \
  include/peal/detail/exchanging.hpp \
  include/peal/detail/export.hpp \
  include/peal/detail/filled.hpp \
  include/peal/detail/gathering.hpp \
  include/peal/detail/given.hpp \
  include/peal/detail/mutex.hpp \
  include/peal/detail/owner.hpp \
  include/peal/detail/partial_reducing.hpp \
  include/peal/detail/pieces.hpp \
  include/peal/detail/plan_body.hpp \
  include/peal/detail/point_to_point.hpp \
  include/peal/detail/queue_entries.hpp \
  include/peal/detail/reducing.hpp \
  include/peal/detail/request_body.hpp \
  include/peal/detail/results.hpp \
  include/peal/detail/scattering.hpp \
  include/peal/detail/std_parts.hpp \
  include/peal/detail/unsendable.hpp \
  include/peal/detail/with_status.hpp
