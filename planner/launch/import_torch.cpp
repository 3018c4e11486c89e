#include "planner/base/checked.h"
#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/liger_kernels.h"
#include "planner/launch/made_config.h"
#include "planner/launch/made_model.h"
#include "planner/launch/python_model_keys.h"
#include "planner/launch/resharding.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/started_ranks.h"
#include "planner/launch/zeroed_gradients.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// Calls that change what is trained, or how it is divided, and that a plain loop is not forecast
/// with.
constexpr std::array<std::string_view, 11> kUnmodelledInLoops = {"FullyShardedDataParallel",
                                                                 "FSDP",
                                                                 "FSDPModule",
                                                                 "parallelize_module",
                                                                 "context_parallel",
                                                                 "PipelineStage",
                                                                 "convert_to_float8_training",
                                                                 "BitsAndBytesConfig",
                                                                 "DistributedOptimizer",
                                                                 "ZeroRedundancyOptimizer",
                                                                 "quantize_"};

constexpr std::array<std::string_view, 2> kFewBits = {"from_pretrained.load_in_4bit",
                                                      "from_pretrained.load_in_8bit"};

/// A size of a mesh that follows from the ranks.
constexpr std::int64_t kUnknownSize = -1;

/// A mesh of which one is unknown: copies are as many as there are.
void importUnknownMesh(ScenarioDraft& draft,
                       const LaunchKey& sizes,
                       const std::vector<std::int64_t>& counts) {
    if (counts.size() < 2) {
        return;
    }
    if (counts.back() != kUnknownSize) {
        draft.set("layout.shard", "hsdp", sizes.path);
        draft.set("layout.shard_size", counts.back(), sizes.path);
        return;
    }
    draft.leaveOpen("layout.shard",
                    sizes,
                    "over how many ranks the mesh shards is worked out when the program runs",
                    "--layout shard=hsdp,shard_size=8, or as many as it is, or shard=fsdp");
}

/// The groups of a mesh: all ranks share the states, or those of its last dimension do.
Result<void> importShardMesh(ScenarioDraft& draft, std::optional<StartedRanks> ranks) {
    LaunchKeys& keys = draft.keys();
    const std::string path = saidOf(keys, {"init_device_mesh.1", "init_device_mesh.mesh_shape"});
    const LaunchKey* const sizes = keys.use(path);
    const LaunchKey* const names = keys.use("init_device_mesh.mesh_dim_names");
    draft.set("layout.shard", "fsdp", path.empty() ? "fully_shard" : path);
    if (sizes == nullptr) {
        return {};
    }
    for (const std::string& name : names == nullptr ? std::vector<std::string>() : names->values) {
        if (name.find("shard") == std::string::npos && name.find("repl") == std::string::npos &&
            !name.starts_with("dp") && !name.starts_with("data")) {
            return keys.refuse(*names,
                               "\"" + name + "\" is not modelled for a loop under FSDP2",
                               "dp_replicate and dp_shard");
        }
    }
    if (sizes->values.size() > 2) {
        return keys.refuse(
            *sizes, "has more dimensions than copies and shards", "(copies, shards), or (shards,)");
    }
    std::int64_t product = 1;
    std::vector<std::int64_t> counts;
    for (const std::string& one : sizes->values) {
        LaunchKeys single(keys.source());
        single.add({.path = path, .values = {one}, .line = sizes->line, .column = sizes->column});
        if (one.empty() || one.find_first_not_of("0123456789") != std::string::npos) {
            counts.push_back(kUnknownSize);
            continue;
        }
        FABRICAST_ASSIGN(const auto count, single.whole(path));
        counts.push_back(*count);
        product = saturatingProduct(product, *count);
    }
    if (std::ranges::find(counts, kUnknownSize) != counts.end()) {
        importUnknownMesh(draft, *sizes, counts);
        return {};
    }
    if (ranks && ranks->count != product) {
        return keys.refuse(*sizes,
                           "is of " + std::to_string(product) + " ranks, and " +
                               std::to_string(ranks->count) + " are started",
                           "sizes whose product is " + std::to_string(ranks->count));
    }
    draft.set("layout.dp", product, path);
    if (counts.size() == 2 && counts.front() > 1) {
        draft.set("layout.shard", "hsdp", path);
        draft.set("layout.shard_size", counts.back(), path);
    }
    return {};
}

Result<void> importFsdpCalls(ScenarioDraft& draft, std::optional<StartedRanks> ranks) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_TRY(importShardMesh(draft, ranks));
    FABRICAST_TRY(importResharding(draft));
    if (const LaunchKey* const some = keys.use(kSomeUnits)) {
        draft.leaveOpen("settings.torch.one_unit",
                        *some,
                        "fully_shard: a break ends the loop around it, and which layers are units "
                        "was not read",
                        "--set settings.torch.one_unit=false, to forecast each layer as one");
    }
    if (keys.use(kWholeUnit) != nullptr) {
        draft.set("settings.torch.one_unit", true, kWholeUnit);
    }
    if (keys.use("CPUOffloadPolicy") != nullptr) {
        draft.set("layout.offload", "parameters_cpu", "CPUOffloadPolicy");
    }
    return {};
}

Result<void> importDdpCalls(ScenarioDraft& draft) {
    const std::string ddp = saidOf(draft.keys(), {"DistributedDataParallel", "DDP"});
    draft.set("layout.shard", "none", ddp);
    FABRICAST_TRY(draft.copyFlag("settings.torch.bucket_view", ddp + ".gradient_as_bucket_view"));
    FABRICAST_TRY(draft.copyFlag("settings.torch.static_graph", ddp + ".static_graph"));
    FABRICAST_TRY(draft.copyWhole("settings.torch.bucket_cap_mb", ddp + ".bucket_cap_mb"));
    if (draft.keys().has(ddp + ".bucket_cap_mb")) {
        draft.set("settings.torch.small_first_bucket", false, ddp + ".bucket_cap_mb");
    }
    return {};
}

/// peft casts adapters to fp32 beside a base of 16 bits, and the policy what FSDP2 gathers of both.
Result<void> importLoopAdapters(ScenarioDraft& draft, bool fsdp) {
    LaunchKeys& keys = draft.keys();
    const std::string adapts = saidOf(keys, {"get_peft_model", "LoraConfig"});
    if (adapts.empty()) {
        return {};
    }
    if (!fsdp) {
        return keys.refuse(*keys.use(adapts),
                           "is not modelled for a loop under DDP whose backward pass is not read",
                           "a loop with loss.backward()");
    }
    FABRICAST_TRY(importPeft(draft));
    const bool hasPolicy =
        keys.has("MixedPrecisionPolicy.param_dtype") || keys.has("MixedPrecisionPolicy.0");
    if (draft.word("workload.precision") != "pure_bf16") {
        return {};
    }
    if (!hasPolicy) {
        return keys.refuse(*keys.use(adapts),
                           "adapters in fp32 that are gathered beside a base of bf16 as they are "
                           "are not modelled",
                           "fully_shard(…, mp_policy=MixedPrecisionPolicy(param_dtype="
                           "torch.bfloat16))");
    }
    draft.set("settings.lora.dtype", "fp32", adapts);
    return {};
}

/// What autograd saves may be kept on the host, around the forward pass.
Result<void> importSavedOnHost(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const saved = keys.use("save_on_cpu");
    if (saved == nullptr) {
        return {};
    }
    if (keys.find("CPUOffloadPolicy") != nullptr) {
        return keys.refuse(*saved, "is not modelled beside CPUOffloadPolicy", "one of them");
    }
    draft.set("layout.offload", "activations", "save_on_cpu");
    return {};
}

/// In which microbatches gradients are reduced: in every one, unless the loop says when.
void importSync(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string said = saidOf(keys,
                                    {"set_requires_gradient_sync.0",
                                     "require_backward_grad_sync",
                                     "no_sync",
                                     "set_requires_all_reduce"});
    const bool always = said.empty() || keys.text(said) == "True" || keys.text(said) == "true";
    draft.set("settings.torch.sync",
              always ? "each_micro_batch" : "last_micro_batch",
              said.empty() ? "backward" : said);
}

/// Of all that a program says, arguments of these calls would be missed.
void leaveTheRest(LaunchKeys& keys) {
    constexpr std::array<std::string_view, 4> kCalls = {
        "fully_shard.", "MixedPrecisionPolicy.", "DistributedDataParallel.", "DDP."};
    constexpr std::array<std::string_view, 7> kHarmless = {
        "0", "mesh", "mp_policy", "offload_policy", "device_ids", "output_device", "output_dtype"};
    const std::vector<LaunchKey> all = keys.all();
    for (const LaunchKey& key : all) {
        const std::string name = key.path.substr(key.path.find('.') + 1);
        const bool isUnknown = key.path.starts_with("model.") && key.path.ends_with("()");
        const bool isRead = isUnknown || std::ranges::any_of(kCalls, [&key](std::string_view call) {
                                return key.path.starts_with(call);
                            });
        if (!isRead || std::ranges::find(kHarmless, name) != kHarmless.end()) {
            (void)keys.use(key.path);
        }
    }
}

}  // namespace

Result<JsonValue> importTorch(LaunchKeys& keys, const ImportContext& context) {
    ScenarioDraft draft(keys);
    const bool fsdp = keys.use("fully_shard") != nullptr;
    for (const std::string_view call : kUnmodelledInLoops) {
        if (keys.find(call) != nullptr) {
            return keys.refuse(*keys.use(call),
                               "is not modelled for a loop of its own",
                               "a plan of it: fabricast plan");
        }
    }
    FABRICAST_TRY(draft.refuseUnmodelled(kFewBits));
    draft.set("stack",
              fsdp ? "fsdp2" : "ddp",
              saidOf(keys, {"fully_shard", "DistributedDataParallel", "DDP"}));
    FABRICAST_TRY(importLoopModel(draft));
    FABRICAST_TRY(importMadeConfig(draft));
    FABRICAST_ASSIGN(const std::optional<StartedRanks> ranks, startedRanks(draft));
    if (ranks) {
        draft.set("layout.dp", ranks->count, ranks->from);
    }
    FABRICAST_TRY(fsdp ? importFsdpCalls(draft, ranks) : importDdpCalls(draft));
    FABRICAST_TRY(importLoopPrecision(draft, fsdp));
    FABRICAST_TRY(importLoopAdapters(draft, fsdp));
    FABRICAST_TRY(importLoopSizes(draft));
    FABRICAST_TRY(importLigerCall(draft));
    importSync(draft);
    importKeptGradients(draft);
    FABRICAST_TRY(importSavedOnHost(draft));
    FABRICAST_TRY(importLoopOptimizer(draft));
    FABRICAST_TRY(importChangedModel(draft, context));
    importLoopEvaluation(draft);
    if (keys.find("async_save") != nullptr || keys.find("save") != nullptr) {
        FABRICAST_TRY(importSaving(draft, "SAVE_EVERY", keys.find("async_save") != nullptr));
    }
    leaveTheRest(keys);
    return draft.finish(fsdp ? "fsdp2" : "ddp", {"torchrun"});
}

}  // namespace fabricast
