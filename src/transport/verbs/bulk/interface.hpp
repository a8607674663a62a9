// transport/verbs/bulk/interface.hpp
// The door of this room: large payloads. Files of other rooms include this header and no other one
// of bulk/.
//
// Layer    transport/verbs.
#pragma once

#include "transport/verbs/bulk/links.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "transport/verbs/bulk/payloads.hpp"
#include "transport/verbs/bulk/reads.hpp"
