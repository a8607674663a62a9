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
  include/peal/memory.hpp \
  include/peal/message.hpp \
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
  include/peal/view.hpp \
  include/peal/wait.hpp

pealdetaildir = $(includedir)/peal/detail
pealdetail_HEADERS = \
  include/peal/detail/arguments.hpp \
  include/peal/detail/collective_source.hpp \
  include/peal/detail/collective_tasks.hpp \
  include/peal/detail/collectives.hpp \
  include/peal/detail/continuation.hpp \
  include/peal/detail/core.hpp \
  include/peal/detail/environment.hpp \
  include/peal/detail/export.hpp \
  include/peal/detail/into_calls.hpp \
  include/peal/detail/into_collectives.hpp \
  include/peal/detail/into_forms.hpp \
  include/peal/detail/moving_plans.hpp \
  include/peal/detail/mutex.hpp \
  include/peal/detail/neighbor_collectives.hpp \
  include/peal/detail/neighbor_forms.hpp \
  include/peal/detail/owner.hpp \
  include/peal/detail/partial_reduction_tasks.hpp \
  include/peal/detail/partial_reductions.hpp \
  include/peal/detail/pieces.hpp \
  include/peal/detail/plan_body.hpp \
  include/peal/detail/plan_forms.hpp \
  include/peal/detail/plans.hpp \
  include/peal/detail/point_to_point.hpp \
  include/peal/detail/queue_entries.hpp \
  include/peal/detail/request_body.hpp \
  include/peal/detail/std_parts.hpp \
  include/peal/detail/strided_collectives.hpp \
  include/peal/detail/strided_forms.hpp \
  include/peal/detail/unsendable.hpp \
  include/peal/detail/varying_tasks.hpp \
  include/peal/detail/with_status.hpp
