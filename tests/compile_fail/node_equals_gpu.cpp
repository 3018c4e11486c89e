// error: no match for .operator==|invalid operands to binary expression
#include "planner/base/ids.h"

using namespace fabricast;

#ifdef WRONG
bool same = NodeId(3) == GpuId(3);
#else
bool same = NodeId(3) == NodeId(3);
#endif
