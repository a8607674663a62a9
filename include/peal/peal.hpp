// peal/peal.hpp
// Everything a program needs: includes every header of the API.
#pragma once

#include <peal/basic_communicator.hpp>
#include <peal/blocks.hpp>
#include <peal/buffer.hpp>
#include <peal/communicator.hpp>
#include <peal/completion_queue.hpp>
#include <peal/counter.hpp>
#include <peal/datatype.hpp>
#include <peal/environment.hpp>
#include <peal/error.hpp>
#include <peal/into.hpp>
#include <peal/memory.hpp>
#include <peal/message.hpp>
#include <peal/op.hpp>
#include <peal/plan.hpp>
#include <peal/point_to_point.hpp>
#include <peal/request.hpp>
#include <peal/serialization.hpp>
#include <peal/stats.hpp>
#include <peal/status.hpp>
#include <peal/tag.hpp>
#include <peal/topology.hpp>
#include <peal/version.hpp>
#include <peal/view.hpp>
#include <peal/wait.hpp>
