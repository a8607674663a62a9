// The sources of this folder, compiled as one where the library is built in units (configure
// --enable-units).
#include "transport/shm/bells.cpp"
#include "transport/shm/boxes.cpp"
#include "transport/shm/bulk/copy_choice.cpp"
#include "transport/shm/bulk/direct_copy.cpp"
#include "transport/shm/bulk/fetcher.cpp"
#include "transport/shm/bulk/helper.cpp"
#include "transport/shm/bulk/staging.cpp"
#include "transport/shm/incoming_boxes.cpp"
#include "transport/shm/parcels.cpp"
#include "transport/shm/remote_wakeup.cpp"
#include "transport/shm/shm_transport.cpp"
