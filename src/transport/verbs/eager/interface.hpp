// transport/verbs/eager/interface.hpp
// The door of this room: messages over a connection. Files of other rooms include this header and
// no other one of eager/.
//
// Layer    transport/verbs.
#pragma once

#include "transport/verbs/eager/credits.hpp"
#include "transport/verbs/eager/eager_channel.hpp"
#include "transport/verbs/eager/held_packets.hpp"
#include "transport/verbs/eager/inline_copies.hpp"
#include "transport/verbs/eager/kept_packets.hpp"
#include "transport/verbs/eager/sender.hpp"
#include "transport/verbs/eager/sent_requests.hpp"
#include "transport/verbs/eager/window_keeper.hpp"
