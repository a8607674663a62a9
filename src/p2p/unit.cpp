// The sources of this folder, compiled as one where the library is built in units (configure
// --enable-units).
#include "p2p/failures.cpp"
#include "p2p/matching.cpp"
#include "p2p/messaging.cpp"
#include "p2p/operation_pool.cpp"
#include "p2p/receive.cpp"
#include "p2p/rendezvous.cpp"
#include "p2p/send.cpp"
#include "p2p/unexpected.cpp"
