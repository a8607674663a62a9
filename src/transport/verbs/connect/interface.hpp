// transport/verbs/connect/interface.hpp
// The door of this room: how two ranks meet, how long they are connected, and how they part. Files
// of other rooms include this header and no other one of connect/.
//
// Layer    transport/verbs.
#pragma once

#include "transport/verbs/connect/connector.hpp"
#include "transport/verbs/connect/device_events.hpp"
#include "transport/verbs/connect/handshake.hpp"
#include "transport/verbs/connect/handshake_packing.hpp"
#include "transport/verbs/connect/lifetime.hpp"
#include "transport/verbs/connect/notices.hpp"
#include "transport/verbs/connect/pairs/link_returns.hpp"
#include "transport/verbs/connect/pairs/pair_maker.hpp"
#include "transport/verbs/connect/pairs/pairing.hpp"
#include "transport/verbs/connect/promoter.hpp"
#include "transport/verbs/connect/reconnector.hpp"
#include "transport/verbs/connect/retired_pairs.hpp"
