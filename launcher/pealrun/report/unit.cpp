// The sources of this folder, compiled as one where pealrun is built in units (configure
// --enable-units).
#include "report/gathered.cpp"
#include "report/page/charts.cpp"
#include "report/page/heat_map.cpp"
#include "report/page/page.cpp"
#include "report/page/page_tables.cpp"
#include "report/places.cpp"
#include "report/run_record.cpp"
#include "report/summary.cpp"
#include "report/text.cpp"
#include "report/trace.cpp"
