#include "planner/launch/import_megatron.h"

#include "planner/base/checked.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/pipeline_parts.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/started_ranks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

constexpr std::array kSizes = {
    std::pair{"--tensor-model-parallel-size"sv, "layout.tp"sv},
    std::pair{"--pipeline-model-parallel-size"sv, "layout.pp"sv},
    std::pair{"--context-parallel-size"sv, "layout.cp"sv},
    std::pair{"--expert-model-parallel-size"sv, "layout.ep"sv},
    std::pair{"--expert-tensor-parallel-size"sv, "layout.etp"sv},
    std::pair{"--micro-batch-size"sv, "layout.micro_batch"sv},
    std::pair{"--global-batch-size"sv, "workload.global_batch"sv},
    std::pair{"--seq-length"sv, "workload.sequence"sv},
    std::pair{"--num-virtual-stages-per-pipeline-rank"sv, "layout.vpp"sv},
    std::pair{"--microbatch-group-size-per-virtual-pipeline-stage"sv, "layout.group"sv},
    std::pair{"--decoder-first-pipeline-num-layers"sv, "settings.pipeline.first_stage_layers"sv},
    std::pair{"--decoder-last-pipeline-num-layers"sv, "settings.pipeline.last_stage_layers"sv},
    std::pair{"--num-distributed-optimizer-instances"sv, "settings.megatron.optimizer_instances"sv},
    std::pair{"--ddp-bucket-size"sv, "settings.megatron.bucket_elements"sv},
    std::pair{"--make-vocab-size-divisible-by"sv, "settings.megatron.vocab_padding"sv}};
constexpr std::array kSwitches = {
    std::pair{"--overlap-grad-reduce"sv, "settings.megatron.overlap_grad_reduce"sv},
    std::pair{"--overlap-param-gather"sv, "settings.megatron.overlap_param_gather"sv},
    std::pair{"--tp-comm-overlap"sv, "settings.megatron.tensor_overlap"sv},
    std::pair{"--overlap-moe-expert-parallel-comm"sv, "settings.megatron.expert_overlap"sv},
    std::pair{"--ddp-pad-buckets-for-high-nccl-busbw"sv, "settings.megatron.pad_buckets"sv},
    std::pair{"--moe-pad-expert-input-to-capacity"sv, "settings.kernels.pad_to_capacity"sv},
    std::pair{"--moe-router-force-load-balancing"sv, "settings.kernels.balanced_routing"sv}};

constexpr std::array<std::string_view, 9> kUnmodelledByMegatron = {
    "--use-torch-fsdp2",
    "--fp4-param-gather",
    "--fp8-multi-head-attention",
    "--fine-grained-activation-offloading",
    "--cpu-offloading-double-buffering",
    "--distribute-saved-activations",
    "--yaml-cfg",
    "--heterogeneous-layers-config-path",
    "--hybrid-override-pattern"};

Result<void> importRanks(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const std::optional<StartedRanks> started, startedRanks(draft));
    FABRICAST_ASSIGN(const auto tp, keys.whole("--tensor-model-parallel-size"));
    FABRICAST_ASSIGN(const auto pp, keys.whole("--pipeline-model-parallel-size"));
    FABRICAST_ASSIGN(const auto cp, keys.whole("--context-parallel-size"));
    const std::int64_t model = saturatingProduct(tp.value_or(1), pp.value_or(1), cp.value_or(1));
    if (!started || model <= 0) {
        return {};
    }
    if (started->count % model != 0) {
        return fail(Error::Code::BadInput,
                    keys.where(*keys.use(started->from)),
                    "world size (" + std::to_string(started->count) +
                        ") is not divisible by total_model_size (total_model_size=" +
                        std::to_string(model) + ")",
                    "ranks that are a multiple of " + std::to_string(model) +
                        ", or a smaller --pipeline-model-parallel-size");
    }
    draft.set("layout.dp", started->count / model, started->from);
    return {};
}

Result<void> importMegatronLayout(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const bool byFsdp = keys.has("--use-megatron-fsdp") || keys.has("--use-custom-fsdp");
    for (const auto& [argument, path] : kSizes) {
        if (byFsdp && argument == "--num-distributed-optimizer-instances") {
            continue;  // copies of the weights, not of the optimizer alone
        }
        FABRICAST_TRY(draft.copyWhole(path, argument));
    }
    const bool isNemo = keys.has("stack");  // whose own recipes overlap, unasked
    for (const auto& [argument, path] : kSwitches) {
        FABRICAST_TRY(draft.copyFlag(path, argument));
        if (isNemo && !keys.has(argument)) {
            draft.set(path, false, "stack");
        }
    }
    FABRICAST_TRY(importRanks(draft));
    draft.set("layout.sp", keys.has("--sequence-parallel"), "--sequence-parallel");
    draft.set("layout.shard",
              keys.has("--use-distributed-optimizer") ? "zero1" : "none",
              "--use-distributed-optimizer");
    if (keys.has("--num-experts") && !keys.has("--expert-tensor-parallel-size")) {
        FABRICAST_TRY(draft.copyWhole("layout.etp", "--tensor-model-parallel-size"));
    }
    if (const auto kind = keys.text("--cp-comm-type")) {
        const char* const ours = *kind == "p2p"         ? "ring"
                                 : *kind == "a2a"       ? "ulysses"
                                 : *kind == "allgather" ? "allgather"
                                                        : "hierarchical";
        draft.set("layout.cp_kind", ours, "--cp-comm-type");
        (void)keys.use("--hierarchical-context-parallel-sizes");
    }
    if (keys.use("--use-tp-pp-dp-mapping") != nullptr) {
        draft.set("layout.placement", "pp_inside", "--use-tp-pp-dp-mapping");
    }
    return {};
}

/// "Et*15|(t*16|)*6t*15L" is what the recipes for layers that do not divide say.
Result<void> importPipeline(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto pp, keys.whole("--pipeline-model-parallel-size"));
    FABRICAST_ASSIGN(const auto layers, keys.whole("--num-layers"));
    FABRICAST_ASSIGN(const auto each, keys.whole("--num-layers-per-virtual-pipeline-stage"));
    std::int64_t counted = layers.value_or(0);
    if (keys.use("--account-for-embedding-in-pipeline-split") != nullptr) {
        ++counted;
        draft.set("settings.pipeline.embedding_weight",
                  std::int64_t{1},
                  "--account-for-embedding-in-pipeline-split");
    }
    if (keys.use("--account-for-loss-in-pipeline-split") != nullptr) {
        ++counted;
        draft.set("settings.pipeline.head_weight",
                  std::int64_t{1},
                  "--account-for-loss-in-pipeline-split");
    }
    if (each && layers && pp && *each > 0 && *pp > 0 &&
        counted % saturatingProduct(*each, *pp) == 0) {
        draft.set("layout.vpp", counted / *pp / *each, "--num-layers-per-virtual-pipeline-stage");
    } else if (each) {
        return keys.refuse(*keys.use("--num-layers-per-virtual-pipeline-stage"),
                           "does not divide the layers of a pipeline stage",
                           "a number of layers that does, or leave it out");
    }
    if (const auto stages = keys.text("--pipeline-model-parallel-layout")) {
        const std::optional<std::int64_t> parts = pipelineParts(*stages);
        if (!parts || !pp || *pp < 1 || *parts % *pp != 0) {
            return keys.refuse(*keys.use("--pipeline-model-parallel-layout"),
                               "does not give each stage as many parts",
                               "Et*15|(t*16|)*6t*15,L for 8 stages");
        }
        draft.set("layout.vpp", *parts / *pp, "--pipeline-model-parallel-layout");
        draft.note(
            "layers are split as the forecast's own rule splits them, not by "
            "--pipeline-model-parallel-layout");
    }
    return {};
}

/// Keys that change no forecast, by how they begin.
const std::vector<std::string_view>& harmlessToMegatron() {
    static const std::vector<std::string_view> keys = {"torchrun",
                                                       "Trainer.",
                                                       "script",
                                                       "--lr",
                                                       "--min-lr",
                                                       "--train-",
                                                       "--eval-",
                                                       "--log-",
                                                       "--save",
                                                       "--async-save",
                                                       "--non-persistent",
                                                       "--replication",
                                                       "--load",
                                                       "--tokenizer",
                                                       "--data-",
                                                       "--split",
                                                       "--mock-data",
                                                       "--weight-decay",
                                                       "--adam-",
                                                       "--clip-grad",
                                                       "--init-method",
                                                       "--init-model",
                                                       "--seed",
                                                       "--tensorboard",
                                                       "--wandb",
                                                       "--rotary",
                                                       "--norm-epsilon",
                                                       "--use-rope",
                                                       "--rope",
                                                       "--group-query-attention",
                                                       "--position-embedding",
                                                       "--swiglu",
                                                       "--normalization",
                                                       "--disable-bias-linear",
                                                       "--untie",
                                                       "--num-layers",
                                                       "--hidden-size",
                                                       "--ffn-hidden-size",
                                                       "--num-attention-heads",
                                                       "--num-query-groups",
                                                       "--kv-channels",
                                                       "--vocab-size",
                                                       "--max-position",
                                                       "--moe-aux-loss",
                                                       "--moe-layer-freq",
                                                       "--moe-flex",
                                                       "--moe-permute",
                                                       "--moe-router-score",
                                                       "--moe-router-topk",
                                                       "--moe-router-enable",
                                                       "--moe-ffn",
                                                       "--moe-shared",
                                                       "--num-experts",
                                                       "--multi-latent",
                                                       "--q-lora",
                                                       "--kv-lora",
                                                       "--qk-",
                                                       "--v-head",
                                                       "--mtp-",
                                                       "--distributed-",
                                                       "--ckpt",
                                                       "--no-load",
                                                       "--no-save",
                                                       "--exit-",
                                                       "--num-workers",
                                                       "--no-masked",
                                                       "--no-position-embedding",
                                                       "--attention-softmax",
                                                       "--use-mcore",
                                                       "--use-flash",
                                                       "--override",
                                                       "--lr-",
                                                       "--sgd-",
                                                       "--window",
                                                       "--dist-"};
    return keys;
}

}  // namespace

Result<JsonValue> importMegatron(OpenedFile& file, const ImportContext& context) {
    LaunchKeys& keys = file.keys;
    ScenarioDraft draft(keys);
    for (const LaunchKey& key : keys.all()) {
        if (key.path.starts_with("$")) {
            return keys.refuse(key,
                               "is not known: it is set in a branch, or outside the script",
                               "its value in the script");
        }
    }
    draft.set("stack", keys.text("stack").value_or("megatron"), "stack");
    FABRICAST_TRY(draft.refuseUnmodelled(kUnmodelledByMegatron));
    FABRICAST_TRY(importMegatronModel(draft, file.words, context));
    FABRICAST_TRY(importMegatronLayout(draft));
    if (keys.use("--rampup-batch-size") != nullptr) {
        draft.note(
            "--rampup-batch-size: the batch is forecast as it is when it has grown; until "
            "then steps are shorter, and take the same memory");
    }
    draft.copyLength("--train-samples", "samples");
    draft.copyLength("--train-iters", "steps");
    FABRICAST_TRY(importMegatronFsdp(draft));
    FABRICAST_TRY(importPipeline(draft));
    FABRICAST_TRY(importMegatronPrecision(draft));
    FABRICAST_TRY(importRecompute(draft));
    FABRICAST_TRY(importMegatronKernels(draft));
    FABRICAST_TRY(importMegatronExperts(draft));
    FABRICAST_TRY(importMegatronAdapters(draft));
    if (keys.find("--save") != nullptr) {
        FABRICAST_TRY(importSaving(draft, "--save-interval", keys.use("--async-save") != nullptr));
    }
    if (keys.text("--non-persistent-ckpt-type") == "local") {
        FABRICAST_TRY(importSaving(draft, "--non-persistent-save-interval", true));
        draft.set("operation.checkpoint", "two_level", "--non-persistent-ckpt-type");
    }
    return draft.finish("megatron", harmlessToMegatron());
}

}  // namespace fabricast
