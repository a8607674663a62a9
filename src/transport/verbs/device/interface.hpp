// transport/verbs/device/interface.hpp
// The door of this room: devices of the machine, which of them are chosen, their queue pairs and
// registered memory. Files of other rooms include this header and no other one of device/.
//
// Layer    transport/verbs.
#pragma once

#include "transport/verbs/device/completion_channel.hpp"
#include "transport/verbs/device/device.hpp"
#include "transport/verbs/device/device_choice.hpp"
#include "transport/verbs/device/inventory.hpp"
#include "transport/verbs/device/network.hpp"
#include "transport/verbs/device/queue_pair.hpp"
#include "transport/verbs/device/rail_address.hpp"
#include "transport/verbs/device/rail_choice.hpp"
#include "transport/verbs/device/registration_cache.hpp"
#include "transport/verbs/device/slots.hpp"
