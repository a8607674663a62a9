// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/simulator/agreement_test.cpp"
#include "unit/simulator/fabric_test.cpp"
#include "unit/simulator/forecast_test.cpp"
#include "unit/simulator/shape_test.cpp"
#include "unit/simulator/simulation_test.cpp"
