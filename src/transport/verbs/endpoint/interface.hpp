// transport/verbs/endpoint/interface.hpp
// The door of this room: what all connections of an endpoint share. Files of other rooms include
// this header and no other one of endpoint/.
//
// Layer    transport/verbs.
#pragma once

#include "transport/verbs/endpoint/bulk_pairs.hpp"
#include "transport/verbs/endpoint/counters.hpp"
#include "transport/verbs/endpoint/endpoint.hpp"
#include "transport/verbs/endpoint/pair_choice.hpp"
#include "transport/verbs/endpoint/port_counters.hpp"
#include "transport/verbs/endpoint/receive_budget.hpp"
#include "transport/verbs/endpoint/settings.hpp"
#include "transport/verbs/endpoint/work_id.hpp"
