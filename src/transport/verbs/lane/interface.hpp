// transport/verbs/lane/interface.hpp
// The door of this room: what all connections of a lane share. Files of other rooms include this
// header and no other one of lane/.
//
// Layer    transport/verbs.
#pragma once

#include "transport/verbs/lane/counters.hpp"
#include "transport/verbs/lane/lane.hpp"
#include "transport/verbs/lane/settings.hpp"
#include "transport/verbs/lane/work_id.hpp"
