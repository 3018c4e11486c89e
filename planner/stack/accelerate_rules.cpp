#include "planner/stack/accelerate_rules.h"

#include "planner/stack/deepspeed_rules.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"

namespace fabricast {
namespace {

bool isZero(Shard shard) {
    return shard == Shard::Zero1 || shard == Shard::Zero2 || shard == Shard::Zero3;
}

Result<void> checkTotalSize(const Scenario& scenario) {
    const auto world = checkWorld(scenario);
    if (world) {
        return {};
    }
    return breaks("layout.dp",
                  "ParallelismConfig total_size (" + text(scenario.layout.world()) +
                      ") does not match num_processes (" + text(scenario.cluster.gpus()) + ").",
                  world.error().hint);
}

Result<void> checkMesh(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.shard == Shard::None && layout.dp > 1 && (layout.tp > 1 || layout.cp > 1)) {
        return breaks("layout.shard",
                      "Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure data "
                      "parallelism (dp_replicate_size > 1 and dp_shard_size == 1).",
                      "shard=fsdp");
    }
    const bool fsdp = layout.shard == Shard::Fsdp || layout.shard == Shard::Hsdp;
    if (fsdp && layout.tp > 1 && layout.replicas() == 1) {
        return breaks("layout.dp",
                      "dp_shard and cp are both 1: no dimension for FSDP to shard across",
                      "dp=2 or more, or shard=none");
    }
    if (fsdp && layout.shardSize > 0 && layout.shardSize % layout.cp != 0) {
        return breaks("layout.shard_size",
                      "dp_shard_size is shard_size / cp, and " + text(layout.shardSize) +
                          " is not a multiple of cp " + text(layout.cp),
                      multiplesHint("shard_size", layout.shardSize, layout.cp));
    }
    return {};
}

Result<void> checkSequenceSplit(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.cp == 1) {
        return {};
    }
    const bool ulysses = layout.cpKind == CpKind::Ulysses;
    if (ulysses && !isZero(layout.shard)) {
        return lacks("layout.cp_kind",
                     "sp_backend must be one of ['deepspeed']",
                     "shard=zero3, or cp_kind=allgather");
    }
    if (!ulysses && isZero(layout.shard)) {
        return lacks("layout.cp_kind",
                     "context parallelism (cp_size > 1) is FSDP2's; DeepSpeed splits the sequence "
                     "by Ulysses",
                     "cp_kind=ulysses");
    }
    if (!ulysses && scenario.workload.sequence % (2 * layout.cp) != 0) {
        return breaks("workload.sequence",
                      text(scenario.workload.sequence) +
                          " tokens are not a multiple of 2 x cp, which load balancing needs",
                      multiplesHint("seq", scenario.workload.sequence, 2 * layout.cp));
    }
    return {};
}

Result<void> checkTensorParallel(const Scenario& scenario) {
    const AttentionSpec& attention = scenario.model.attention;
    const std::int64_t size = scenario.layout.tp;
    const bool grouped = attention.kind == AttentionKind::Grouped;
    const std::int64_t heads = grouped ? attention.kvHeads : attention.heads;
    if (isZero(scenario.layout.shard) || heads % size == 0) {
        return {};
    }
    return breaks("layout.tp",
                  text(heads) + (grouped ? " key-value heads" : " heads") +
                      " do not divide over tp " + text(size),
                  divisorsHint("tp", heads));
}

}  // namespace

Result<void> checkAccelerateOffload(Shard shard, Offload offload) {
    if (isZero(shard)) {
        return checkZeroOffload(shard, offload);
    }
    if (shard == Shard::None) {
        return lacks("layout.offload", "DDP has no offload", "shard=fsdp or zero3");
    }
    if (offload != Offload::ParametersCpu) {
        return lacks("layout.offload",
                     "FSDP2 offloads parameters, gradients and optimizer together, to CPU",
                     "offload=parameters_cpu");
    }
    return {};
}

Result<void> checkAccelerateRules(const Scenario& scenario) {
    const Shard shard = scenario.layout.shard;
    FABRICAST_TRY(checkTotalSize(scenario));
    FABRICAST_TRY(checkMesh(scenario));
    FABRICAST_TRY(checkSequenceSplit(scenario));
    FABRICAST_TRY(checkTensorParallel(scenario));
    if (isZero(shard)) {
        if (scenario.settings.kernels.quantization != Quantization::None) {
            return lacks("settings.kernels.quantization",
                         "DeepSpeed has no 8-bit linears of its own",
                         "shard=fsdp");
        }
        return checkDeepspeedRules(scenario);
    }
    FABRICAST_TRY(checkBatch(scenario));
    return shard == Shard::None ? Result<void>{} : checkShardedOptimizer(scenario);
}

}  // namespace fabricast
