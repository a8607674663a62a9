// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "shown/call_sites.cpp"
#include "shown/known_calls.cpp"
#include "shown/process_stat.cpp"
#include "shown/rank_pages.cpp"
#include "shown/snapshot.cpp"
#include "shown/snapshot_json.cpp"
#include "shown/tool.cpp"
