// transport/verbs/datagram/interface.hpp
// The door of this room: packets to peers without a connection, messages in them, and whether such
// peers are still there. Files of other rooms include this header and no other one of datagram/.
//
// Layer    transport/verbs.
#pragma once

#include "transport/verbs/datagram/datagram.hpp"
#include "transport/verbs/datagram/datagram_channel.hpp"
#include "transport/verbs/datagram/datagrams.hpp"
#include "transport/verbs/datagram/handshake_port.hpp"
#include "transport/verbs/datagram/kernel_prober.hpp"
#include "transport/verbs/datagram/node_watch.hpp"
