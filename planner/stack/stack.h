#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"
#include "planner/stack/rank_groups.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Which layout keys a stack has at all. `dp` and `micro_batch` exist everywhere.
struct StackAxes {
    bool tensor = false;
    bool sequence = false;            ///< sp
    bool sequenceWithTensor = false;  ///< sp is on by default with tp
    bool pipeline = false;
    bool virtualPipeline = false;
    bool expert = false;
    bool expertTensor = false;           ///< etp other than 1
    std::span<const CpKind> context{};   ///< empty: no cp
    std::span<const Shard> shards{};     ///< first: the default of a layout
    std::optional<Shard> stagesShard{};  ///< the default with pp > 1, where it is another
    bool wholeAlone = false;  ///< nothing is sharded by default where there is one replica
    std::span<const ScheduleKind> schedules{};  ///< first: the default with pp > 1
    std::span<const Offload> offloads{};        ///< in addition to Offload::None
    bool offloadsIfAsked = false;               ///< a search leaves them out, unless one is typed
    /// Refuses offloads that a sharding does not have; where there is none, each has all.
    Result<void> (*checkOffload)(Shard shard, Offload offload) = nullptr;
    std::span<const RankPlacement> placements{};  ///< in addition to RankPlacement::DpInside
};

/// Which ways of training a stack has at all.
struct StackMethods {
    std::span<const OptimizerKind> optimizers{};
    std::span<const Quantization> quantizations{};  ///< in addition to Quantization::None
    std::span<const Dtype> compute{};
    std::span<const Checkpointing> recompute{};  ///< in addition to Checkpointing::None
    bool lora = false;
    bool quantizedBase = false;  ///< QLoRA: a base of 4 or 8 bits
};

/// The defaults for the keys that were not given.
struct LayoutDefaults {
    Shard shard = Shard::None;
    ScheduleKind schedule = ScheduleKind::None;
    std::int64_t vpp = 1;
    CpKind cpKind = CpKind::Ring;
    bool sp = false;
    std::int64_t etp = 1;
};

/// This is one training stack: what it can express, what it refuses (in its own words), and how it
/// does a step by default.
///     FABRICAST_ASSIGN(const Stack* stack, findStack("megatron"));
///     scenario.settings = stack->defaults(scenario.layout, Tuning::Full);
///     FABRICAST_TRY(stack->check(scenario));
struct Stack {
    std::string_view name;  ///< "fsdp2", "megatron", "deepspeed", "torchtitan", …
    std::string_view title;
    std::string_view description;
    StackAxes axes;
    StackMethods methods;
    ExpertPlace experts = ExpertPlace::OverAll;
    Settings (*defaults)(const Layout& layout, Tuning tuning);
    /// What its launcher derives from the model, if it does.
    void (*deriveSettings)(const ModelSpec& model,
                           const Layout& layout,
                           Settings& settings) = nullptr;
    /// Whether a rank has the whole frozen base on its GPU before it is cut; where there is none,
    /// no.
    bool (*loadsWhole)(const Layout& layout, const Settings& settings) = nullptr;
    /// Divisibility and exclusion rules with the framework's own error text.
    Result<void> (*check)(const Scenario& scenario);
    /// Those of them that no layout changes: a search asks once.
    Result<void> (*checkRun)(const Scenario& scenario) = nullptr;
};

std::span<const Stack> allStacks();
/// By name or alias ("megatron-bridge" is nemo); an unknown name is an error with the nearest one.
Result<const Stack*> findStack(std::string_view name);

/// How a layout shards that does not say so.
Shard usualShard(const Stack& stack, const Layout& layout);
/// `given` holds the keys that were given; the answer has the others under this stack.
LayoutDefaults layoutDefaults(const Stack& stack, const Layout& given);

/// `stack.defaults`, and what the stack's own launcher derives from the model: bucket sizes from
/// the hidden size, a pipeline split for a number of layers that does not divide. Use this one
/// where the model is known.
Settings defaultSettings(const Stack& stack,
                         const ModelSpec& model,
                         const Layout& layout,
                         Tuning tuning = Tuning::Full);

/// What `recompute` means to the stack: Megatron's "selective" is the module core_attn.
RecomputeSettings recomputeFor(const Stack& stack, RecomputeSettings typed);

/// How the stack numbers its ranks, for `rankGroups`.
RankOrder rankOrderOf(const Stack& stack, const Layout& layout);

/// A stack as requested: its settings for any layout, with the user's overrides.
/// Of the layout they depend on the sharding, on whether there is data parallelism, and on the
/// pipeline.
struct StackSettings {
    const Stack* stack = nullptr;
    std::function<Result<Settings>(const Layout&)> settingsFor;
    /// The overrides in words: of one model, equal ones give equal settings. Empty: not known.
    std::optional<std::string> asked{};
};

}  // namespace fabricast
