#pragma once
#include "planner/base/result.h"
#include "planner/comm/collective_groups.h"

#include <vector>

namespace fabricast {

/// These are the calls of the engines that move states over data parallel ranks, around a model of
/// transformers or plain PyTorch.

/// DistributedDataParallel: buckets in the order in which gradients are ready, closed at bucket_cap
/// or more (the first at 1 MiB unless a cap was given), and the model's buffers.
Calls ddpCalls(const StageView& view);
/// FullyShardedDataParallel: one flat parameter for each layer, and one for the rest.
Calls fsdp1Calls(const StageView& view);
/// DeepSpeed without ZeRO, and its stages 1 and 2: they all-reduce buckets of gradients, keep their
/// part, and gather all parameters after the step.
Calls zeroCalls(const StageView& view);
/// ZeRO-3: parameters are gathered as modules need them, gradients scattered by buckets.
Calls zero3Calls(const StageView& view);
/// Of them, those that are made once a step.
Calls zero3StepCalls(const StageView& view);

/// This is what fully_shard calls in a step: gathers of every unit's parameters, reductions of its
/// gradients, and the gradient norm. torchtitan's pipelines gather and reduce once a pass, whatever
/// the microbatches; its replicas without shards all-reduce every unit.
Result<Calls> fsdp2Calls(const StageView& view);

/// These are Megatron-Core's calls. In one chunk, for each microbatch: tensor and sequence
/// parallelism with the vocabulary-parallel loss, experts, and (Transformer Engine) context
/// parallelism. Once a step: the gradient buffers of a chunk, then what the end of backward
/// reduces.
Calls megatronTensorCalls(const StageView& view, const ChunkView& chunk);
Calls megatronExpertCalls(const StageView& view, const ChunkView& chunk);
Calls megatronContextCalls(const StageView& view, const ChunkView& chunk);
Calls megatronBufferCalls(const StageView& view, const ChunkView& chunk);
Calls megatronStepCalls(const StageView& view);

/// Slices that the ranks of a distributed optimizer own of a rank's weights: one of each weight for
/// each of them.
std::int64_t ownedSlices(const StageView& view);

/// Layers of a kind whose part is computed again in backward: all of it, or one module of it.
std::int64_t megatronRecomputed(const StageView& view, const LayerKind& kind, const char* module);

/// Activations and their gradients over the boundaries of a chunk: for each microbatch one send and
/// one receive on either side, of the tokens a rank holds. Nothing between two chunks of one rank.
Calls boundaryCalls(const StageView& view, const ChunkView& chunk);

/// The same as Megatron groups them: interleaved over two stages, one direction is the whole
/// world's group. What is sent in parts is gathered where it arrives.
Calls megatronBoundaryCalls(const StageView& view, const ChunkView& chunk);

/// These are the calls of torchtitan's parallel regions in one chunk, for each microbatch: tensor
/// and sequence parallelism with the vocabulary-parallel loss, context parallelism, experts.
Calls titanTensorCalls(const StageView& view, const ChunkView& chunk);
Calls titanContextCalls(const StageView& view, const ChunkView& chunk);
Calls titanExpertCalls(const StageView& view, const ChunkView& chunk);

/// Gradients of weights that tensor parallel ranks hold whole: one all-reduce each.
Calls titanSharedGradients(const StageView& view, const ChunkView& chunk);

/// Once a step: tokens, tokens per expert, what is printed.
Calls titanStepCalls(const StageView& view);

/// Whether checkpointing repeats reduce-scatters and all-to-alls: selective checkpointing keeps
/// their results where they are DTensor's functional collectives, and the default backend's are
/// not.
bool titanRepeatsScatters(const StageView& view);

/// Every communication call of one rank in a steady step, as the stack's own code makes them.
///     FABRICAST_ASSIGN(const auto calls, stepCalls(scenario, {.stage = 0}));
///     for (const CommCall& call : calls) bytes += call.count() * call.bytes();
/// Calls over a group of one rank are listed where the frameworks make them: they move nothing.
Result<std::vector<CommCall>> stepCalls(const Scenario& scenario, CommRank rank);
Result<std::vector<CommCall>> stepCalls(const StageView& view);

/// Of them, those inside the layers of a chunk: tensor, context and expert parallelism, without
/// what shards parameters or crosses stages.
std::vector<CommCall> layerCalls(const StageView& view, const ChunkView& chunk);
/// And those that may be made outside of a micro-batch's passes, or between stages: with them may
/// come others that are not inside layers.
Result<std::vector<CommCall>> tailCalls(const StageView& view);

}  // namespace fabricast
