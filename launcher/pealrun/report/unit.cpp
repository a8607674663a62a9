// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "report/charts.cpp"
#include "report/gathered.cpp"
#include "report/heat_map.cpp"
#include "report/page.cpp"
#include "report/page_tables.cpp"
#include "report/places.cpp"
#include "report/run_record.cpp"
#include "report/summary.cpp"
#include "report/text.cpp"
#include "report/trace.cpp"
