#include "planner/launch/torchtitan_keys.h"

#include "planner/spec/setting_names.h"
#include "planner/stack/rank_groups.h"
#include "planner/stack/titan.h"

#include <algorithm>
#include <optional>

namespace fabricast {
namespace {

std::string_view titanSchedule(ScheduleKind schedule) {
    switch (schedule) {
        case ScheduleKind::Gpipe:
            return "GPipe";
        case ScheduleKind::Interleaved:
            return "Interleaved1F1B";
        case ScheduleKind::LoopedBfs:
            return "LoopedBFS";
        case ScheduleKind::InterleavedZb:
            return "InterleavedZeroBubble";
        case ScheduleKind::ZbV:
            return "ZBVZeroBubble";
        case ScheduleKind::DualPipeV:
            return "DualPipeV";
        default:
            return "1F1B";
    }
}

}  // namespace

LaunchKeys titanKeysOf(const LaunchKeys& arguments) {
    LaunchKeys keys(arguments.source());
    const bool isNewer = arguments.has("--module") && arguments.has("--config");
    for (LaunchKey key : arguments.all()) {
        if (key.path.starts_with("activation-checkpoint:")) {
            key.values = {key.path.substr(key.path.find(':') + 1)};
            key.path = "activation_checkpoint.mode";
        } else if (key.path.starts_with("--")) {
            key.path = key.path.substr(2);
            const std::size_t no = key.path.find(".no-");
            if (no != std::string::npos) {
                key.path.erase(no + 1, 3);
                key.values = {"no"};
            }
            std::ranges::replace(key.path, '-', '_');  // its parser takes both
            if (isNewer && key.path == kTypedMode.substr(2)) {
                key.path = kTypedMode;
            }
        }
        keys.add(std::move(key));
    }
    return keys;
}

Result<void> addTitanPipeline(const Scenario& scenario, TitanKeys& keys) {
    const Layout& layout = scenario.layout;
    keys.add("parallelism", "pipeline_parallel_degree", layout.pp);
    if (layout.pp == 1) {
        return {};
    }
    FABRICAST_ASSIGN(const std::optional<std::int64_t> layers, titanLayersPerStage(scenario));
    const PipelineSettings& pipeline = scenario.settings.pipeline;
    keys.add("parallelism", "pipeline_parallel_schedule", titanSchedule(layout.schedule));
    if (layers) {
        keys.add("parallelism", "pipeline_parallel_layers_per_stage", *layers);
    }
    keys.add("parallelism", "pipeline_parallel_first_stage_less_layers", pipeline.embeddingWeight);
    keys.add("parallelism", "pipeline_parallel_last_stage_less_layers", pipeline.headWeight);
    keys.add("parallelism", "pipeline_parallel_microbatch_size", layout.microBatch);
    return {};
}

void addTitanMesh(const Scenario& scenario, TitanKeys& keys) {
    const Layout& layout = scenario.layout;
    const std::int64_t group = shardSize(layout);
    const bool whole = layout.shard == Shard::None;
    keys.add("parallelism",
             "data_parallel_replicate_degree",
             whole ? layout.dp : layout.replicas() / group);
    keys.add("parallelism", "data_parallel_shard_degree", whole ? 1 : group / layout.cp);
    keys.add("parallelism", "fsdp_reshard_after_forward", nameOf(scenario.settings.torch.reshard));
    keys.add("parallelism", "tensor_parallel_degree", layout.tp);
    keys.add("parallelism", "context_parallel_degree", layout.cp);
    keys.add("parallelism", "expert_parallel_degree", layout.ep);
}

void addTitanTraining(const Scenario& scenario, TitanKeys& keys) {
    const Layout& layout = scenario.layout;
    const PrecisionSettings& precision = scenario.settings.precision;
    const auto dtype = [](Dtype one) { return one == Dtype::Bf16 ? "bfloat16" : "float32"; };
    const std::int64_t perRank =
        scenario.workload.globalBatch / layout.dp / scenario.settings.pipeline.passes;
    keys.add("training", "local_batch_size", layout.pp > 1 ? perRank : layout.microBatch);
    keys.add("training", "global_batch_size", scenario.workload.globalBatch);
    keys.add("training", "seq_len", scenario.workload.sequence);
    keys.add("training", "dtype", std::string_view(dtype(precision.parameters)));
    keys.add("training", "mixed_precision_param", std::string_view(dtype(precision.compute)));
    keys.add("training", "mixed_precision_reduce", std::string_view("float32"));
    keys.add("training", "enable_cpu_offload", layout.offload == Offload::ParametersCpu);
}

}  // namespace fabricast
