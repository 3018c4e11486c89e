#include "planner/ops/layer_segment.h"

#include "planner/ops/attention_kernels.h"
#include "planner/ops/dense_layer.h"
#include "planner/ops/expert_layers.h"
#include "planner/ops/hf_code.h"
#include "planner/ops/hf_moe.h"
#include "planner/ops/megatron_layer.h"
#include "planner/ops/megatron_vocab.h"
#include "planner/ops/native_attention.h"
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/ops/trained_weights.h"
#include "planner/spec/check_settings.h"

#include <algorithm>

namespace fabricast {

namespace {

/// A tensor on its way to fp8: scaled in fp32 (4 bytes an element), clamped (4), and two 1-byte
/// copies, one for either layout of the GEMM.
constexpr std::int64_t kCastBytes = 4 + 4 + 1 + 1;
constexpr std::int64_t kGradientCopies = 2;

void addOnce(TensorIds& list, TensorId id) {
    if (std::find(list.begin(), list.end(), id) == list.end()) {
        list.push_back(id);
    }
}

/// torchao's float8 linears keep their 16-bit inputs and cast them in backward, by way of fp32:
/// this gives a layer's GEMMs the bytes that those casts take. The router's GEMM is not converted.
void markFloat8(OpList& layer, Quantization quantization) {
    const bool wholeGradient = quantization == Quantization::Fp8RowwiseGwHp;
    if (quantization != Quantization::Fp8Tensorwise && quantization != Quantization::Fp8Rowwise &&
        !wholeGradient) {
        return;
    }
    for (Op& op : layer.ops) {
        if (op.kind != OpKind::Gemm || op.outsideSelective || op.weights.empty()) {
            continue;
        }
        const std::int64_t weight =
            layer.weights[static_cast<std::size_t>(op.weights.front())].elements;
        const std::int64_t input = layer.tensor(op.inputs.front()).elements;
        const std::int64_t output = layer.tensor(op.outputs.front()).elements;
        op.castsBeforeInput = kCastBytes * weight;
        // rowwise_with_gw_hp forms the weight's gradient in 16 bits
        op.castsBeforeWeight = wholeGradient ? 0 : kCastBytes * input + kGradientCopies * output;
    }
}

/// Whether selective checkpointing passes over this GEMM: it knows the router's by the shape of its
/// weight, which an adapter may have too.
bool hasRoutersShape(const OpList& layer, const Op& op) {
    const auto weightOf = [&](const Op& one) -> const WeightUse& {
        return layer.weights[static_cast<std::size_t>(one.weights.front())];
    };
    return !op.weights.empty() && std::ranges::any_of(layer.ops, [&](const Op& router) {
        return router.outsideSelective && weightOf(router).elements == weightOf(op).elements &&
               weightOf(router).columns == weightOf(op).columns;
    });
}

/// Marks what torchtitan's per-op selective checkpointing keeps of a layer: the outputs of
/// attention and top-k kernels and of every second GEMM, starting with the first; grouped GEMMs and
/// the router's never.
void markSelective(OpList& layer, bool collectives) {
    int gemms = 0;
    for (Op& op : layer.ops) {
        if (op.kind == OpKind::Attention || op.name == "topk") {
            op.keptBySelective = true;
        } else if (op.kind == OpKind::Gemm && !hasRoutersShape(layer, op)) {
            op.keptBySelective = gemms++ % 2 == 0;
        } else if (op.name == "reduce_scatter" || op.name == "all_to_all") {
            op.keptBySelective = collectives;
        }
    }
}

}  // namespace

void OpBuilder::holdUntilHere(const TensorIds& ids) {
    push({.kind = OpKind::Copy, .name = "hold", .inputs = ids});
}

int OpBuilder::openBlock(bool on) {
    if (!on) {
        return -1;
    }
    block_ = static_cast<int>(list_.blocks.size());
    list_.blocks.push_back({.begin = list_.ops.size()});
    return block_;
}

void OpBuilder::closeBlock(int block) {
    if (block < 0) {
        return;
    }
    RecomputeBlock& mine = list_.blocks[static_cast<std::size_t>(block)];
    mine.end = list_.ops.size();
    block_ = -1;
    for (std::size_t op = mine.begin; op < mine.end; ++op) {
        mine.keepsGraph = mine.keepsGraph || !list_.ops[op].attributes.empty();
        for (const auto* ids : {&list_.ops[op].inputs, &list_.ops[op].saved}) {
            for (const TensorId id : *ids) {
                const TensorId base = info(id).base;
                if (info(base).block != block) {
                    addOnce(mine.inputs, base);
                }
            }
        }
    }
    push({.kind = OpKind::Copy, .name = "recompute", .recomputes = block});
}

void OpBuilder::discardOutputs(int block) {
    if (block < 0) {
        return;
    }
    RecomputeBlock& mine = list_.blocks[static_cast<std::size_t>(block)];
    list_.ops[mine.end].recomputes = -1;
    for (std::size_t op = mine.end; op < list_.ops.size(); ++op) {
        for (const TensorId id : list_.ops[op].inputs) {
            const TensorId base = info(id).base;
            if (info(base).block == block) {
                list_.tensors[static_cast<std::size_t>(base)].discarded = true;
                addOnce(mine.outputs, base);
            }
        }
    }
    push({.kind = OpKind::Copy, .name = "recompute", .inputs = mine.outputs, .recomputes = block});
}

void OpBuilder::useScratch(std::int64_t bytes) {
    list_.scratchBytes = std::max(list_.scratchBytes, bytes);
}

/// Storages made in each block and read after it.
void OpBuilder::findBlockOutputs() {
    for (std::size_t op = 0; op < list_.ops.size(); ++op) {
        for (const TensorId id : list_.ops[op].inputs) {
            const TensorId base = info(id).base;
            const int block = info(base).block;
            if (block >= 0 && block != list_.ops[op].block) {
                addOnce(list_.blocks[static_cast<std::size_t>(block)].outputs, base);
            }
        }
    }
    const TensorId output = info(list_.output).base;
    if (info(output).block >= 0) {
        addOnce(list_.blocks[static_cast<std::size_t>(info(output).block)].outputs, output);
    }
}

/// Experts that are computed one after the other are ops each, and every layer is walked.
Result<void> checkLoopedExperts(const Scenario& scenario, std::int64_t layer) {
    constexpr std::int64_t kMost = 1 << 16;
    const ExpertKernel kernel = scenario.settings.kernels.experts;
    const bool looped = kernel == ExpertKernel::Sequential || kernel == ExpertKernel::DeepSpeed;
    if (!scenario.model.isSparse(layer) || !looped) {
        return {};
    }
    const std::int64_t experts = scenario.model.moe->experts / scenario.layout.ep *
                                 (scenario.model.layers / scenario.layout.pp);
    return experts <= kMost
               ? Result<void>()
               : fail(Error::Code::Unsupported,
                      "model.moe",
                      std::to_string(experts) +
                          " experts of a GPU, computed one by one, are more than the " +
                          std::to_string(kMost) + " that are walked",
                      kernel == ExpertKernel::DeepSpeed ? "a larger ep"
                                                        : "settings.kernels.experts=grouped");
}

/// What of transformers' expert layers is not modelled, by name.
Result<void> checkHfExperts(const Scenario& scenario) {
    const auto refuse = [](const char* key, std::string why, std::string hint) {
        return fail(Error::Code::Unsupported, key, std::move(why), std::move(hint));
    };
    const ModelSpec& model = scenario.model;
    const Settings& settings = scenario.settings;
    const bool zero3 =
        settings.engine == Engine::DeepSpeed && scenario.layout.shard == Shard::Zero3;
    if (usesDeepSpeedMoe(scenario)) {
        return checkDeepSpeedMoe(scenario);
    }
    if (usesAutoEp(scenario)) {
        return checkAutoEp(scenario);
    }
    if (hfRouterOf(model.family) == nullptr) {
        return refuse("model.moe",
                      "expert layers of transformers' " + model.family +
                          " are not modelled; those of " + hfRouterFamilies() + " are",
                      "use the stack torchtitan or megatron");
    }
    const Layout& layout = scenario.layout;
    if (layout.ep > 1 || layout.tp > 1) {
        const bool apart = layout.ep > 1;
        return refuse(
            apart ? "layout.ep" : "layout.tp",
            "experts of Hugging Face's models are modelled whole or sharded on each "
            "rank, not split by " +
                std::string(apart ? "ep" : "tp"),
            apart && settings.engine == Engine::DeepSpeed
                ? "settings.kernels.experts=autoep or deepspeed (deepspeed.moe.layer.MoE), "
                  "or the stack torchtitan or megatron"
                : "ep=1 and tp=1, or the stack torchtitan or megatron");
    }
    if (hfCodeOf(scenario).rotatesInWindows && std::ranges::any_of(model.window, [&](auto window) {
            return window > 0 && scenario.workload.sequence > window;
        })) {
        return refuse("workload.sequence",
                      "transformers masks chunks of " +
                          std::to_string(std::ranges::max(model.window)) +
                          " tokens in longer sequences, which is not modelled",
                      "--seq " + std::to_string(std::ranges::max(model.window)));
    }
    if (zero3 && settings.kernels.experts == ExpertKernel::Sequential) {
        return refuse("settings.kernels.experts",
                      "experts computed one by one are not modelled under ZeRO-3",
                      "settings.kernels.experts=grouped");
    }
    if (settings.optimizer.kind == OptimizerKind::Adafactor) {
        return refuse("settings.optimizer.kind",
                      "Adafactor's step of a stack of experts is not modelled",
                      "settings.optimizer.kind=adamw");
    }
    return {};
}

Result<void> checkExperts(const Scenario& scenario) {
    const bool ofOthers =
        isMegatronCode(scenario) || scenario.settings.kernels.code == ModelCode::TorchTitan;
    bool isSparse = false;
    for (std::int64_t layer = 0; layer < scenario.model.layers && !isSparse; ++layer) {
        isSparse = scenario.model.isSparse(layer);
    }
    return isSparse && !ofOthers ? checkHfExperts(scenario) : Result<void>();
}

Result<OpList> layerSegment(const Scenario& scenario, std::int64_t layer) {
    FABRICAST_TRY(checkRankShape(scenario, layer));
    FABRICAST_TRY(checkLoopedExperts(scenario, layer));
    FABRICAST_TRY(checkDeepSpeedMoeCode(scenario));
    FABRICAST_TRY(checkAutoEpCode(scenario));
    FABRICAST_TRY(checkLigerCode(scenario));
    if (isMegatronCode(scenario)) {
        return megatronLayer(scenario, layer);
    }
    const bool titan = scenario.settings.kernels.code == ModelCode::TorchTitan;
    if (scenario.model.isSparse(layer) && !titan) {
        FABRICAST_TRY(checkHfExperts(scenario));
        FABRICAST_TRY(checkLeastCapacity(scenario));
    }
    OpList ops = eagerLayer(scenario, layer);
    if (scenario.settings.recompute.kind == Checkpointing::Selective) {
        // Of collectives it is told those of DTensor, on which context parallelism runs too.
        const bool local = scenario.settings.torch.backend == TitanBackend::SpmdTypes;
        markSelective(ops, scenario.layout.cp > 1 || !local);
    }
    if (titan) {
        markFloat8(ops, scenario.settings.kernels.quantization);
    }
    return ops;
}

/// Most layers of Llama 4 have windows, and with them rotary positions; of others, most have a mask
/// for their window, or none.
bool isUsual(const Scenario& scenario, std::int64_t layer, bool masks) {
    if (hfCodeOf(scenario).rotatesInWindows) {
        return hasWindow(scenario.model, layer);
    }
    return masksWindow(scenario, layer) == masks;
}

bool masksMostWindows(const Scenario& scenario) {
    std::int64_t masked = 0;
    for (std::int64_t layer = 0; layer < scenario.model.layers; ++layer) {
        masked += masksWindow(scenario, layer) ? 1 : 0;
    }
    return 2 * masked > scenario.model.layers;
}

Result<LayerOps> layerOps(const Scenario& scenario) {
    LayerOps found;
    bool usual[2] = {false, false};
    const bool masks = masksMostWindows(scenario);
    for (std::int64_t layer = scenario.model.layers; layer-- > 0;) {
        const bool sparse = scenario.model.isSparse(layer);
        std::optional<OpList>& ops = sparse ? found.sparse : found.dense;
        bool& settled = usual[sparse ? 1 : 0];
        if (!ops || (!settled && isUsual(scenario, layer, masks))) {
            settled = isUsual(scenario, layer, masks);
            FABRICAST_ASSIGN(ops, layerSegment(scenario, layer));
        }
    }
    found.frozenLayers = firstTrainedLayer(scenario);
    if (found.frozenLayers > 0) {
        FABRICAST_ASSIGN(found.frozen, layerSegment(scenario, 0));
    }
    return found;
}

}  // namespace fabricast
