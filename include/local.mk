pealincludedir = $(includedir)/peal
pealinclude_HEADERS = \
  include/peal/basic_communicator.hpp \
  include/peal/communicator.hpp \
  include/peal/counter.hpp \
  include/peal/environment.hpp \
  include/peal/error.hpp \
  include/peal/failure.hpp \
  include/peal/memory.hpp \
  include/peal/message.hpp \
  include/peal/message_plan.hpp \
  include/peal/peal.hpp \
  include/peal/plan.hpp \
  include/peal/point_to_point.hpp \
  include/peal/stats.hpp \
  include/peal/status.hpp \
  include/peal/tag.hpp \
  include/peal/topology.hpp \
  include/peal/version.hpp

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

pealdatadir = $(includedir)/peal/data
pealdata_HEADERS = \
  include/peal/data/blocks.hpp \
  include/peal/data/buffer.hpp \
  include/peal/data/datatype.hpp \
  include/peal/data/grow.hpp \
  include/peal/data/into.hpp \
  include/peal/data/op.hpp \
  include/peal/data/serialization.hpp \
  include/peal/data/view.hpp

pealrequestsdir = $(includedir)/peal/requests
pealrequests_HEADERS = \
  include/peal/requests/completion_queue.hpp \
  include/peal/requests/request.hpp \
  include/peal/requests/wait.hpp \
  include/peal/requests/when.hpp

pealdetaildir = $(includedir)/peal/detail
pealdetail_HEADERS = \
  include/peal/detail/application.hpp \
  include/peal/detail/continuation.hpp \
  include/peal/detail/core.hpp \
  include/peal/detail/coroutine.hpp \
  include/peal/detail/environment.hpp \
  include/peal/detail/export.hpp \
  include/peal/detail/mutex.hpp \
  include/peal/detail/owner.hpp \
  include/peal/detail/pieces.hpp \
  include/peal/detail/plan_body.hpp \
  include/peal/detail/point_to_point.hpp \
  include/peal/detail/queue_entries.hpp \
  include/peal/detail/request_body.hpp \
  include/peal/detail/setting.hpp \
  include/peal/detail/std_parts.hpp \
  include/peal/detail/unsendable.hpp \
  include/peal/detail/with_status.hpp

pealdetailcollectivesdir = $(includedir)/peal/detail/collectives
pealdetailcollectives_HEADERS = \
  include/peal/detail/collectives/checks.hpp \
  include/peal/detail/collectives/exchanging.hpp \
  include/peal/detail/collectives/filled.hpp \
  include/peal/detail/collectives/forms.hpp \
  include/peal/detail/collectives/gathering.hpp \
  include/peal/detail/collectives/given.hpp \
  include/peal/detail/collectives/partial_reducing.hpp \
  include/peal/detail/collectives/reducing.hpp \
  include/peal/detail/collectives/results.hpp \
  include/peal/detail/collectives/scattering.hpp \
  include/peal/detail/collectives/work.hpp
