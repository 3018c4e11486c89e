#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"

namespace fabricast {

/// What each stack's file defines; `allStacks()` lists them in this order.
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

/// FSDP2 and stacks that use it: which optimizers do not take sharded tensors.
Result<void> checkShardedOptimizer(const Scenario& scenario);

/// These are Accelerate's checks of its ParallelismConfig (1.15), with their error texts, and those
/// of the engine that the sharding names. Axolotl starts its runs through it.
Result<void> checkAccelerateRules(const Scenario& scenario);
/// Which offload the engine of a sharding has.
Result<void> checkAccelerateOffload(Shard shard, Offload offload);

/// These are what DeepSpeed's parser and engine refuse (0.19), with their error texts, and what it
/// ignores without a word: an ignored setting is an error here. Accelerate and Axolotl share them.
Result<void> checkDeepspeedRules(const Scenario& scenario);
/// Which offload the ZeRO stages read.
Result<void> checkZeroOffload(Shard shard, Offload offload);

/// These are Megatron-LM's own checks (arguments.py, transformer_config.py, parallel_state.py and
/// schedules.py, core 0.16 to 0.20), with their error texts. NeMo and Megatron-FSDP share them.
Result<void> checkMegatronRules(const Scenario& scenario);

/// These are torchtitan's own checks (parallel_dims.py, decoder.py, pipeline_parallel.py and
/// trainer.py, 0.3 and main), with their error texts.
Result<void> checkTorchtitanRules(const Scenario& scenario);

/// These are Megatron's rules for pipelines: layers that divide, chunks that interleave, and
/// micro-batches enough to do so.
Result<void> checkMegatronPipeline(const Scenario& scenario);

/// A number of layers that does not divide is split as its recipes do: the embedding and the loss
/// count as layers if that makes it even, else by a layout string.
PipelineSettings megatronPipeline(const ModelSpec& model, const Layout& layout);

}  // namespace fabricast
