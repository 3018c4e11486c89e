#include "planner/estimate/group_time.h"

#include "planner/compute/context_parallel_attention.h"
#include "planner/compute/gemm_time.h"
#include "planner/compute/kernel_times.h"
#include "planner/estimate/moved_bytes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {

namespace {

/// Bytes per element of turning a 16-bit tensor into fp8 in both layouts: read, and written twice.
constexpr double kCastBytes = 4.0;

const WeightUse& weightOf(const OpList& list, const Op& op) {
    return list.weights[static_cast<std::size_t>(op.weights.front())];
}

/// Rows are picked by an index, on their way to experts and back.
bool movesRows(const Op& op) {
    constexpr std::array<std::string_view, 9> kNames = {"index_select",
                                                        "rows",
                                                        "unsorted",
                                                        "masked_select",
                                                        "scatter_add",
                                                        "sort_chunks",
                                                        "routed input",
                                                        "permute",
                                                        "unpermute"};
    return std::find(kNames.begin(), kNames.end(), op.name) != kNames.end();
}

/// Products with a scale for each row take 1.3 times as long on Hopper as with one for the tensor:
/// of Llama 3 8B under torchtitan 6,424 tokens a second, not 7,186, where 54 us of a token's 139
/// are products (torchtitan's commit 7a04053).
double rowwiseFactor(const Scenario& scenario) {
    constexpr double kRowwise = 1.3;
    const bool hopper = scenario.cluster.node.gpu.architecture == "sm_90";
    return hopper && scenario.settings.kernels.quantization == Quantization::Fp8Rowwise ? kRowwise
                                                                                        : 1.0;
}

Gemm gemmOf(const Product& p, GemmType type) {
    return {.m = p.rows, .n = p.columns, .k = p.depth, .type = type, .batch = p.count};
}

}  // namespace

double GroupClock::move(MemoryOp op, double bytes) const {
    return bytes > 0 ? memoryTime(kernels_, op, bytes, {}).count() : 0.0;
}

SegmentTime GroupClock::timeOf(const FusedGroup& group) const {
    const Op& op = list_.ops[group.begin];
    if (op.kind == OpKind::Collective || op.kind == OpKind::Attention) {
        return {};
    }
    if (const auto product = productOf(scenario_, list_, op)) {
        return productTime(op, *product);
    }
    return moved(group);
}

/// DeepEP and HybridEP pick rows as they send them, and add them up as they return.
bool GroupClock::inDispatch(const Op& op) const {
    return scenario_.settings.kernels.dispatchOncePerNode &&
           (op.name == "index_select" || op.name == "scatter_add");
}

bool GroupClock::inFusedExperts(const Op& op) const {
    return scenario_.settings.kernels.fusedExperts && op.name == "weighted_swiglu";
}

/// Where operands do not lie side by side the kernel counts, for one element after another, where
/// each of them is. Elements a second of an H100's multiprocessor: 1.2e9 where types differ (0.154
/// to 0.164 T of the GPU; Qwen3, Pythia, BLOOM, Gemma 2 written out), 2.8e9 where not (0.37 T,
/// GPT-OSS).
double GroupClock::oneByOne(double elements, bool sameType) const {
    const double rate = sameType ? 2.8e9 : 1.2e9;
    return elements / (rate * static_cast<double>(kernels_.multiprocessors));
}

/// Sums over a mask, or less the highest of a row.
double GroupClock::spread(const Op& op) const {
    const bool sums = op.name == "add" || op.name == "subtract";
    if (!sums || op.inputs.size() < 2) {
        return 0.0;
    }
    const TensorInfo& out = list_.tensor(op.outputs.front());
    const TensorInfo& left = list_.tensor(op.inputs[0]);
    const TensorInfo& right = list_.tensor(op.inputs[1]);
    if (left.elements == right.elements) {
        return 0.0;
    }
    return oneByOne(static_cast<double>(out.elements), left.width == right.width);
}

/// Kernels that move bytes. Nothing is launched for views.
SegmentTime GroupClock::moved(const FusedGroup& group) const {
    if (inDispatch(list_.ops[group.begin]) || inFusedExperts(list_.ops[group.begin])) {
        return {};
    }
    const Traffic traffic = trafficOf(list_, group);
    const MemoryOp kind = memoryOpOf(group);
    SegmentTime time;
    const bool alone = group.end - group.begin == 1;
    time.forward.device.memory = std::max(move(kind, static_cast<double>(traffic.forward)),
                                          alone ? spread(list_.ops[group.begin]) : 0.0);
    time.forward.launches = traffic.forward > 0 ? 1.0 : 0.0;
    time.input.device.memory = move(kind, static_cast<double>(traffic.backward));
    // The cast of a sum's gradient belongs to the sum's own node: autograd calls nothing for it.
    const bool isCalled = traffic.backward > 0 && !(alone && list_.ops[group.begin].passesGradient);
    time.input.launches = isCalled ? 1.0 : 0.0;
    if (alone && list_.ops[group.begin].name == "weighted_swiglu") {
        addClamps(
            static_cast<double>(list_.tensor(list_.ops[group.begin].outputs.front()).elements),
            time);
    }
    return time;
}

MemoryOp GroupClock::memoryOpOf(const FusedGroup& group) const {
    MemoryOp kind = MemoryOp::Elementwise;
    for (std::size_t i = group.begin; i < group.end; ++i) {
        const Op& op = list_.ops[i];
        if (op.kind == OpKind::Loss) {
            return scenario_.settings.kernels.loss == LossKernel::Fused
                       ? MemoryOp::FusedCrossEntropy
                       : MemoryOp::CrossEntropy;
        }
        if (op.kind == OpKind::Norm) {
            kind = MemoryOp::Norm;
        } else if (op.kind == OpKind::Lookup) {
            kind = MemoryOp::EmbeddingScatter;
        } else if (movesRows(op)) {
            kind = MemoryOp::Permute;
        } else if (op.name == "softmax") {
            kind = MemoryOp::Softmax;
        } else if (op.name == "cast") {
            kind = MemoryOp::Cast;
        }
    }
    return kind;
}

SegmentTime GroupClock::attention(CpKind kind) const {
    SegmentTime time;
    const Layout& layout = scenario_.layout;
    const KernelSettings& kernels = scenario_.settings.kernels;
    // Documents that are short beside a rank's part are distributed evenly in either way.
    const ContextSplit split{.ranks = layout.cp,
                             .kind = kind,
                             .balanced = kernels.balancedContext || kernels.documentTokens > 0};
    for (const WindowedAttention& windowed : attentionsOf(scenario_, kernels_)) {
        Attention pass = windowed.attention;
        const auto seconds = [&]() {
            return windowed.share *
                   contextParallelAttention(kernels_, pass, split, {}).total().count();
        };
        time.forward.device.attention += seconds();
        pass.pass = AttentionPass::Backward;
        time.input.device.attention += seconds();
    }
    time.forward.launches = 1.0;
    time.input.launches = 1.0;
    return time;
}

/// Bytes moved in addition to a product: casts, dequantised weights.
double GroupClock::temps(const ByteList& bytes) const {
    double sum = 0.0;
    for (const std::int64_t each : bytes) {
        sum += 2.0 * static_cast<double>(each);
    }
    return move(MemoryOp::Cast, sum);
}

/// Layers' linears are, routers and adapters are not; torchtitan's experts where it is asked to.
bool GroupClock::isQuantised(const Op& op, const Product& product) const {
    const KernelSettings& kernels = scenario_.settings.kernels;
    const bool linear = setting_.layer && !op.weights.empty() && !op.outsideSelective &&
                        op.name != "router" && !op.name.starts_with("lora");
    return linear &&
           (!product.grouped || kernels.quantizedExperts || kernels.code != ModelCode::TorchTitan);
}

/// Activations in fp32 under a narrower type are out of autocast's reach: PyTorch multiplies them
/// without TF32, unless it is told to.
GemmType GroupClock::productType(const Op& op, const Product& product) const {
    constexpr std::int64_t kWide = 4;
    const bool isWide = op.weights.empty() && list_.tensor(op.inputs.front()).width == kWide &&
                        scenario_.settings.precision.compute != Dtype::Fp32 &&
                        kernels_.supports(GemmType::Fp32);
    return isWide ? GemmType::Fp32
                  : gemmTypeOf(scenario_.settings, isQuantised(op, product), kernels_);
}

SegmentTime GroupClock::productTime(const Op& op, const Product& product) const {
    const GemmType type = productType(op, product);
    if (product.grouped) {
        return groupedTime(op, product, type);
    }
    const Product& p = product;
    SegmentTime time;
    const bool trained = !op.weights.empty() && weightOf(list_, op).trained;
    const Quantising copies = trained ? Quantising::BothCopies : Quantising::OneCopy;
    Gemm forward = gemmOf(p, type);
    forward.quantising = copies;
    time.forward.device.gemm = gemmTime(kernels_, forward, {}).count();
    time.forward.device.memory = temps(op.forwardTemps);
    time.forward.launches = 1.0;
    if (list_.tensor(op.inputs.front()).requiresGrad) {
        Gemm input = gemmOf(
            {.rows = p.rows, .columns = p.depth, .depth = p.columns, .count = p.count}, type);
        input.layout = GemmLayout::Nn;
        input.quantising = copies;
        // Where both factors are activations, both want a gradient.
        const double factors = op.weights.empty() ? 2.0 : 1.0;
        time.input.device.gemm = factors * gemmTime(kernels_, input, {}).count();
        time.input.launches = factors;
    }
    if (trained) {
        Gemm weight = gemmOf(
            {.rows = p.columns, .columns = p.depth, .depth = p.rows, .count = p.count}, type);
        weight.layout = GemmLayout::Nt;
        weight.quantising = Quantising::Done;
        weight.accumulateFp32 = addedInGemm(op);
        time.weight.device.gemm = gemmTime(kernels_, weight, {}).count();
        time.weight.launches = 1.0;
    }
    if (type == GemmType::Fp8Gemm) {
        for (PassTime* pass : {&time.forward, &time.input, &time.weight}) {
            pass->device.gemm *= rowwiseFactor(scenario_);
        }
    }
    addWeightTraffic(op, time);
    addCasts(op, type, p, time);
    addModule(op, isQuantised(op, product), time);
    return time;
}

/// What the host does for a layer's linear besides launching its kernels, in each direction. An
/// adapter's are Megatron's own: 74 us of a forward where Transformer Engine's took 140 (its pull
/// request 1191).
void GroupClock::addModule(const Op& op, bool quantised, SegmentTime& time) const {
    if (!setting_.layer || op.weights.empty()) {
        return;
    }
    constexpr double kMegatronLinear = 74.0 / 140.0;
    PassTime& backward = time.input.launches > 0 ? time.input : time.weight;
    const bool narrow = quantised && scenario_.settings.kernels.quantization != Quantization::None;
    const double modules = op.name.starts_with("lora") ? kMegatronLinear : 1.0;
    for (PassTime* pass : {&time.forward, &backward}) {
        pass->linears += modules;
        pass->quantised += narrow ? modules : 0.0;
    }
}

bool GroupClock::addedInGemm(const Op& op) const {
    return !op.weights.empty() && weightOf(list_, op).addedInGemm;
}

void GroupClock::addWeightTraffic(const Op& op, SegmentTime& time) const {
    if (op.weights.empty()) {
        return;
    }
    const WeightUse& use = weightOf(list_, op);
    const WeightTraffic traffic = weightTraffic(scenario_.settings, op, use);
    time.forward.device.memory += move(MemoryOp::Cast, traffic.castBytes);
    time.forward.launches += traffic.castLaunches + traffic.dequantizations;
    if (traffic.dequantizations > 0 && list_.tensor(op.inputs.front()).requiresGrad) {
        time.input.device.memory += temps(op.backwardTemps);
        time.input.launches += traffic.dequantizations;
    }
    if (use.trained) {
        time.weight.device.memory += move(MemoryOp::Elementwise, traffic.gradientBytes);
        time.weight.launches += traffic.gradientLaunches;
    }
}

/// Activations and their gradients on the way to fp8, where the GEMM's own time leaves them out. Of
/// fused operations the activation writes both copies itself, and so does its backward.
void GroupClock::addCasts(const Op& op,
                          GemmType type,
                          const Product& product,
                          SegmentTime& time) const {
    if (type != GemmType::Fp8Gemm) {
        return;
    }
    const bool fused = scenario_.settings.kernels.fusedOps;
    const double rows = kCastBytes * static_cast<double>(product.rows * product.count);
    if (!fused || op.name != "linear_fc2") {
        time.forward.device.memory +=
            move(MemoryOp::Cast, rows * static_cast<double>(product.depth));
        time.forward.launches += 1.0;
    }
    if (!fused || op.name != "linear_fc1") {
        time.input.device.memory +=
            move(MemoryOp::Cast, rows * static_cast<double>(product.columns));
        time.input.launches += 1.0;
    }
}

}  // namespace fabricast
