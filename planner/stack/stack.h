#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"
#include "planner/stack/rank_groups.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Which layout keys a stack has at all. `dp` and `micro_batch` exist everywhere.
struct StackAxes {
    bool tensor = false;
    bool sequence = false;  ///< sp
    bool pipeline = false;
    bool virtualPipeline = false;
    bool expert = false;
    bool expertTensor = false;                  ///< etp other than 1
    std::span<const CpKind> context{};          ///< empty: no cp
    std::span<const Shard> shards{};            ///< first: what a layout gets that does not say
    std::span<const ScheduleKind> schedules{};  ///< first: the default with pp > 1
    std::span<const Offload> offloads{};        ///< besides Offload::None
    /// Refuses offloads that a sharding does not have; where there is none, each has all.
    Result<void> (*checkOffload)(Shard shard, Offload offload) = nullptr;
    std::span<const RankPlacement> placements{};  ///< besides RankPlacement::DpInside
};

/// Which ways of training a stack has at all.
struct StackMethods {
    std::span<const OptimizerKind> optimizers{};
    std::span<const Quantization> quantizations{};  ///< besides Quantization::None
    std::span<const Dtype> compute{};
    std::span<const Checkpointing> recompute{};  ///< besides Checkpointing::None
    bool lora = false;
    bool quantizedBase = false;  ///< QLoRA: a base of 4 or 8 bits
};

/// What a layout gets for the keys that nobody typed.
struct LayoutDefaults {
    Shard shard = Shard::None;
    ScheduleKind schedule = ScheduleKind::None;
    std::int64_t vpp = 1;
    CpKind cpKind = CpKind::Ring;
    bool sp = false;
    std::int64_t etp = 1;
};

/// This is one training stack: what it can express, what it refuses (in its own words), and how it
/// does a step when nobody says otherwise.
///     FABRICAST_ASSIGN(const Stack* stack, findStack("megatron"));
///     scenario.settings = stack->defaults(scenario.layout);
///     FABRICAST_TRY(stack->check(scenario));
struct Stack {
    std::string_view name;  ///< "fsdp2", "megatron", "deepspeed", "torchtitan", …
    std::string_view title;
    std::string_view description;
    StackAxes axes;
    StackMethods methods;
    ExpertPlace experts = ExpertPlace::OverAll;
    Settings (*defaults)(const Layout& layout);
    /// Divisibility and exclusion rules with the framework's own error text.
    Result<void> (*check)(const Scenario& scenario);
};

std::span<const Stack> allStacks();
/// By name or alias ("megatron-bridge" is nemo); an unknown name is an error with the nearest one.
Result<const Stack*> findStack(std::string_view name);

/// `given` holds the keys that were typed; the answer says what the others are under this stack.
LayoutDefaults layoutDefaults(const Stack& stack, const Layout& given);

/// `stack.defaults`, and what the stack's own launcher derives from the model: bucket sizes from
/// the hidden size, a pipeline split for a number of layers that does not divide. Use this one
/// where the model is known.
Settings defaultSettings(const Stack& stack, const ModelSpec& model, const Layout& layout);

/// What `recompute` means to the stack: Megatron's "selective" is the module core_attn.
RecomputeSettings recomputeFor(const Stack& stack, RecomputeSettings typed);

/// How the stack numbers its ranks, for `rankGroups`.
RankOrder rankOrderOf(const Stack& stack, const Layout& layout);

}  // namespace fabricast
