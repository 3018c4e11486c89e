// error: cannot convert .*Quantity|no viable conversion from .*(Bytes|Quantity)
#include "planner/base/units.h"

using namespace fabricast;

#ifdef WRONG
long long count = Bytes(80);
#else
long long count = Bytes(80).count();
#endif
