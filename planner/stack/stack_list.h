#pragma once
#include "planner/stack/stack.h"

namespace fabricast {

/// This is what each stack's file has to say; `allStacks()` lists them in this order.
Stack ddpStack();
Stack fsdp1Stack();
Stack fsdp2Stack();
Stack deepspeedStack();
Stack megatronStack();
Stack megatronFsdpStack();
Stack nemoStack();
Stack torchtitanStack();
Stack accelerateStack();
Stack axolotlStack();

/// FSDP2 and those who use it: which optimizers do not take sharded tensors.
Result<void> checkShardedOptimizer(const Scenario& scenario);

}  // namespace fabricast
