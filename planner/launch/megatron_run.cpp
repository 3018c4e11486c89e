#include "planner/launch/megatron_arguments.h"
#include "planner/spec/activation_offload.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/stage_split.h"
#include "planner/stack/rank_groups.h"

#include <algorithm>

namespace fabricast {
namespace {

std::string cpCommType(CpKind kind) {
    switch (kind) {
        case CpKind::Ring:
            return "p2p";
        case CpKind::AllGather:
            return "allgather";
        case CpKind::Ulysses:
            return "a2a";
        case CpKind::Hierarchical:
            return "a2a+p2p";
    }
    return "p2p";
}

/// "Et*15|t*16|t*15L": the layers of each chunk, in the order of a microbatch.
Result<std::string> layoutString(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    FABRICAST_ASSIGN(
        const std::vector<std::int64_t> chunks,
        splitLayers(
            scenario.model.layers,
            {.stages = layout.pp, .chunks = layout.vpp, .pipeline = scenario.settings.pipeline}));
    std::string text = "E";
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        text += chunk == 0 ? "" : "|";
        text += chunks[chunk] > 0 ? "t*" + std::to_string(chunks[chunk]) : "";
    }
    return text + (scenario.model.mtpDepth > 0 ? "mL" : "L");
}

Result<void> addPipeline(const Scenario& scenario, MegatronArguments& out) {
    const Layout& layout = scenario.layout;
    const PipelineSettings& pipeline = scenario.settings.pipeline;
    out.add("--pipeline-model-parallel-size", layout.pp);
    if (layout.pp == 1) {
        return {};
    }
    const std::int64_t chunks = layout.pp * layout.vpp;
    const bool even = splitsEvenly(
        scenario.model.layers, {.stages = layout.pp, .chunks = layout.vpp, .pipeline = pipeline});
    if (pipeline.remainder && !even) {
        FABRICAST_ASSIGN(const std::string stages, layoutString(scenario));
        out.add("--pipeline-model-parallel-layout", stages);
    } else {
        out.addIf(pipeline.embeddingWeight > 0, "--account-for-embedding-in-pipeline-split");
        out.addIf(pipeline.headWeight > 0, "--account-for-loss-in-pipeline-split");
        if (pipeline.firstStageLayers > 0) {
            out.add("--decoder-first-pipeline-num-layers", pipeline.firstStageLayers);
        }
        if (pipeline.lastStageLayers > 0) {
            out.add("--decoder-last-pipeline-num-layers", pipeline.lastStageLayers);
        }
        if (layout.vpp > 1) {
            out.add("--num-virtual-stages-per-pipeline-rank", layout.vpp);
        }
    }
    if (layout.scheduleGroup > 0 && chunks > layout.pp) {
        out.add("--microbatch-group-size-per-virtual-pipeline-stage", layout.scheduleGroup);
    }
    return {};
}

void addDataParallel(const Scenario& scenario, MegatronArguments& out) {
    const Layout& layout = scenario.layout;
    const MegatronSettings& megatron = scenario.settings.megatron;
    out.addIf(megatron.distributedOptimizer, "--use-distributed-optimizer");
    const std::int64_t instances =
        layout.shardSize > 0 ? layout.replicas() / layout.shardSize : megatron.optimizerInstances;
    if (instances > 1) {
        out.add("--num-distributed-optimizer-instances", instances);
    }
    out.addIf(megatron.overlapGradReduce, "--overlap-grad-reduce");
    out.addIf(megatron.overlapParamGather, "--overlap-param-gather");
    if (megatron.bucketElements > 0) {
        out.add("--ddp-bucket-size", megatron.bucketElements);
    }
    out.addIf(megatron.padBuckets, "--ddp-pad-buckets-for-high-nccl-busbw");
    out.addIf(!megatron.gradientAccumulationFusion, "--no-gradient-accumulation-fusion");
    out.addIf(!megatron.ropeFusion, "--no-rope-fusion");
    out.addIf(layout.placement == RankPlacement::PpInside, "--use-tp-pp-dp-mapping");
}

void addContext(const Layout& layout, MegatronArguments& out) {
    out.add("--context-parallel-size", layout.cp);
    if (layout.cp == 1) {
        return;
    }
    out.add("--cp-comm-type", cpCommType(layout.cpKind));
    if (layout.cpKind == CpKind::Hierarchical) {
        const std::int64_t inner = contextInner(layout);
        out.groups.back().arguments.push_back(
            {"--hierarchical-context-parallel-sizes",
             {std::to_string(inner), std::to_string(layout.cp / inner)}});
    }
}

void addExpertRun(const Scenario& scenario, MegatronArguments& out) {
    const KernelSettings& kernels = scenario.settings.kernels;
    out.begin("experts: how they run");
    out.add("--expert-model-parallel-size", scenario.layout.ep);
    out.add("--expert-tensor-parallel-size", scenario.layout.etp);
    out.addIf(kernels.experts != ExpertKernel::Sequential, "--moe-grouped-gemm");
    const bool flex = kernels.dispatchOncePerNode;
    const bool gathers = kernels.dispatcher == Dispatcher::AllGather;
    out.add("--moe-token-dispatcher-type",
            std::string(flex      ? "flex"
                        : gathers ? "allgather"
                                  : "alltoall"));
    if (flex) {
        out.add("--moe-flex-dispatcher-backend", std::string("deepep"));
    }
    if (kernels.routerDtype == Dtype::Fp32 || flex) {
        out.add("--moe-router-dtype", std::string("fp32"));
    }
    const char* const balance = kernels.auxLoss == AuxLoss::Batch      ? "aux_loss"
                                : kernels.auxLoss == AuxLoss::Sequence ? "seq_aux_loss"
                                : kernels.auxLoss == AuxLoss::Global   ? "global_aux_loss"
                                                                       : "none";
    out.add("--moe-router-load-balancing-type", std::string(balance));
    out.add("--moe-aux-loss-coeff", std::string(kernels.auxLoss == AuxLoss::None ? "0" : "0.01"));
    if (kernels.capacityFactor > 0.0) {
        out.add("--moe-expert-capacity-factor", decimalText(kernels.capacityFactor));
        out.addIf(kernels.padToCapacity, "--moe-pad-expert-input-to-capacity");
    }
    if (kernels.fusedExperts) {  // gate and up in turn, as that kernel reads them
        constexpr std::int64_t kScaledTogether = 32;  // values of MXFP8 that share a scale
        out.add("--moe-mlp-glu-interleave-size", kScaledTogether);
    }
    out.addIf(kernels.balancedRouting, "--moe-router-force-load-balancing");
    out.addIf(scenario.settings.megatron.expertOverlap, "--overlap-moe-expert-parallel-comm");
}

void addPrecision(const Scenario& scenario, MegatronArguments& out) {
    const PrecisionSettings& precision = scenario.settings.precision;
    out.begin("precision and optimizer");
    out.addIf(precision.compute == Dtype::Bf16, "--bf16");
    out.addIf(precision.compute == Dtype::Fp16, "--fp16");
    switch (scenario.settings.kernels.quantization) {
        case Quantization::Fp8Tensorwise:
            out.add("--fp8-format", std::string("hybrid"));
            out.add("--fp8-recipe", std::string("tensorwise"));
            break;
        case Quantization::Fp8Blockwise:
            out.add("--fp8-format", std::string("hybrid"));
            out.add("--fp8-recipe", std::string("blockwise"));
            break;
        case Quantization::MxFp8:
            out.add("--fp8-format", std::string("e4m3"));
            out.add("--fp8-recipe", std::string("mxfp8"));
            break;
        case Quantization::NvFp4:
            out.add("--fp4-format", std::string("e2m1"));
            break;
        default:
            break;
    }
    out.addIf(precision.parameters == Dtype::Fp8, "--fp8-param-gather");
    // A field of Megatron-Core's, for classes that have it: no argument is called so.
    out.addIf(scenario.settings.kernels.fp8Attention, "--fp8-dot-product-attention");
    out.addIf(precision.reduce == Dtype::Bf16, "--grad-reduce-in-bf16");
    const bool onHost = scenario.layout.offload == Offload::OptimizerCpu;
    if (precision.moments != Dtype::Fp32 || precision.masterRemainder || onHost) {
        const std::string moments(nameOf(precision.moments));
        const bool narrow = precision.gradients == Dtype::Bf16;
        out.add("--use-precision-aware-optimizer");
        out.add("--main-grads-dtype", std::string(narrow ? "bf16" : "fp32"));
        out.add("--exp-avg-dtype", moments);
        out.add("--exp-avg-sq-dtype", moments);
    }
    if (onHost) {
        out.add("--optimizer-cpu-offload");
        const double fraction = scenario.settings.megatron.offloadFraction;
        out.add("--optimizer-offload-fraction",
                fraction < 1.0 ? decimalText(fraction) : std::string("1.0"));
    }
}

void addOptimizer(OptimizerKind kind, MegatronArguments& out) {
    switch (kind) {
        case OptimizerKind::Sgd:
        case OptimizerKind::SgdMomentum:
            out.add("--optimizer", std::string("sgd"));
            out.add("--sgd-momentum", std::string(kind == OptimizerKind::Sgd ? "0" : "0.9"));
            break;
        case OptimizerKind::Lion:
            out.add("--optimizer", std::string("lion"));
            break;
        case OptimizerKind::Muon:
            out.add("--optimizer", std::string("muon"));
            break;
        default:
            out.add("--optimizer", std::string("adam"));
            break;
    }
}

void addRecompute(const RecomputeSettings& recompute, MegatronArguments& out) {
    const std::int64_t layers = std::max<std::int64_t>(1, recompute.layers);
    if (recompute.kind == Checkpointing::Full || recompute.kind == Checkpointing::Block) {
        const bool block = recompute.kind == Checkpointing::Block;
        out.add("--recompute-granularity", std::string("full"));
        out.add("--recompute-method", std::string(block ? "block" : "uniform"));
        out.add("--recompute-num-layers", layers);
    } else if (recompute.kind != Checkpointing::None && !recompute.modules.empty()) {
        out.add("--recompute-granularity", std::string("selective"));
        out.groups.back().arguments.push_back(
            {"--recompute-modules", {recompute.modules.begin(), recompute.modules.end()}});
    }
}

void addKernels(const Scenario& scenario, MegatronArguments& out) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const bool local = kernels.code == ModelCode::Megatron;
    const bool unfused = kernels.attention == AttentionKernel::Unfused;
    const bool flash = kernels.attentionCode == AttentionCode::Flash2 ||
                       kernels.attentionCode == AttentionCode::Flash3;
    const char* const backend = unfused ? "unfused" : flash ? "flash" : "fused";
    out.add("--transformer-impl", std::string(local ? "local" : "transformer_engine"));
    if (!local) {  // its own kernel is the only one then
        out.add("--attention-backend", std::string(backend));
    }
    out.addIf(kernels.fusedOps, "--use-transformer-engine-op-fuser");
    out.addIf(kernels.loss == LossKernel::Fused, "--cross-entropy-loss-fusion");
    out.add("--attention-dropout", decimalText(kernels.dropout));
    out.add("--hidden-dropout", decimalText(kernels.dropout));
    if (kernels.cudaGraphs) {
        const char* const graphs = kernels.graphExperts ? "full_iteration" : "transformer_engine";
        out.add("--cuda-graph-impl", std::string(graphs));
    }
    if (scenario.layout.offload == Offload::Activations) {
        out.add("--cpu-offloading-num-layers", offloadedLayers(scenario));
    }
}

}  // namespace

Result<void> addMegatronRun(const Scenario& scenario, MegatronArguments& out) {
    const Layout& layout = scenario.layout;
    const PrecisionSettings& precision = scenario.settings.precision;
    if ((precision.reduce == Dtype::Bf16) != (precision.gradients == Dtype::Bf16)) {
        return fail(Error::Code::Unsupported,
                    "settings.precision.reduce",
                    "--grad-reduce-in-bf16 keeps and reduces gradients in bf16, not one of the two",
                    "--set settings.precision.gradients=bf16");
    }
    out.begin("layout");
    out.add("--tensor-model-parallel-size", layout.tp);
    out.addIf(layout.sp, "--sequence-parallel");
    out.addIf(scenario.settings.megatron.tensorOverlap, "--tp-comm-overlap");
    FABRICAST_TRY(addPipeline(scenario, out));
    addContext(layout, out);
    addDataParallel(scenario, out);
    if (scenario.model.moe) {
        addExpertRun(scenario, out);
    }
    out.begin("batch");
    out.add("--micro-batch-size", layout.microBatch);
    out.add("--global-batch-size", scenario.workload.globalBatch);
    out.add("--seq-length", scenario.workload.sequence);
    out.add("--max-position-embeddings",
            std::max(scenario.model.maxPositions, scenario.workload.sequence));
    addPrecision(scenario, out);
    addOptimizer(scenario.settings.optimizer.kind, out);
    out.begin("kernels and recomputation");
    addKernels(scenario, out);
    addRecompute(scenario.settings.recompute, out);
    return {};
}

}  // namespace fabricast
