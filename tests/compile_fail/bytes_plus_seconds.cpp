// error: no match for .operator\+|invalid operands to binary expression
#include "planner/base/units.h"

using namespace fabricast;

#ifdef WRONG
auto sum = Bytes(1) + Seconds(1);
#else
auto sum = Bytes(1) + Bytes(1);
#endif
