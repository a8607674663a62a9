// The simulator, compiled as one, in half the time.
#include "simulator/amount.cpp"
#include "simulator/fabric.cpp"
#include "simulator/forecast.cpp"
#include "simulator/machine.cpp"
#include "simulator/shape.cpp"
#include "simulator/simulation.cpp"
