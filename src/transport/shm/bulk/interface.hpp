// transport/shm/bulk/interface.hpp
// The door of this room: large payloads. Files of other rooms include this header and no other one
// of bulk/.
//
// Layer    transport/shm.
#pragma once

#include "transport/shm/bulk/claim.hpp"
#include "transport/shm/bulk/copy_choice.hpp"
#include "transport/shm/bulk/direct_copy.hpp"
#include "transport/shm/bulk/fetcher.hpp"
#include "transport/shm/bulk/helper.hpp"
#include "transport/shm/bulk/staging.hpp"
