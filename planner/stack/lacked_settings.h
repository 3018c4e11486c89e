#pragma once
#include "planner/stack/stack.h"

namespace fabricast {

/// What a stack has no option for, back at its own, whatever was asked: each setting is of some
/// frameworks, and a forecast of another one is the same with it.
///     withoutLacked(*findStack("megatron-fsdp").value(), asked, own).torch.reshard  // own's
Settings withoutLacked(const Stack& stack, Settings asked, const Settings& own);

}  // namespace fabricast
