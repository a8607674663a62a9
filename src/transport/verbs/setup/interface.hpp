// transport/verbs/setup/interface.hpp
// The door of this room: from what the user set to what is done, and whether a rank could start.
// Files of other rooms include this header and no other one of setup/.
//
// Layer    transport/verbs.
#pragma once

#include "transport/verbs/setup/configuration.hpp"
#include "transport/verbs/setup/trial.hpp"
