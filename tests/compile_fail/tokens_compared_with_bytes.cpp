// error: no match for .operator<|invalid operands to binary expression
#include "planner/base/units.h"

using namespace fabricast;

#ifdef WRONG
bool less = Tokens(1) < Bytes(2);
#else
bool less = Tokens(1) < Tokens(2);
#endif
