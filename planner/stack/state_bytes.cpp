#include "planner/stack/state_bytes.h"

#include <array>
#include <charconv>
#include <utility>

namespace fabricast {

namespace {

std::string number(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

std::string joined(const std::vector<StatePart>& parts, StatePlace place, bool sharded) {
    std::string text;
    for (const StatePart& part : parts) {
        if (part.place == place && part.sharded == sharded) {
            text += (text.empty() ? "" : " + ") + number(part.bytes) + " " + std::string(part.name);
        }
    }
    return text;
}

std::string formulaOf(const std::vector<StatePart>& parts, StatePlace place) {
    std::string everywhere = joined(parts, place, false);
    const std::string split = joined(parts, place, true);
    if (split.empty()) {
        return everywhere;
    }
    return everywhere + (everywhere.empty() ? "" : " + ") + "(" + split + ")/d";
}

double sum(const std::vector<StatePart>& parts, StatePlace place, bool sharded) {
    double bytes = 0;
    for (const StatePart& part : parts) {
        if (part.place == place && part.sharded == sharded) {
            bytes += part.bytes;
        }
    }
    return bytes;
}

/// Which parts a sharding splits: ZeRO-1 the optimizer, ZeRO-2 gradients too, the rest everything.
struct Splits {
    bool optimizer = false;
    bool gradients = false;
    bool weights = false;
};

Splits splitsOf(const Settings& settings, const Layout& layout) {
    switch (layout.shard) {
        case Shard::None:
            return {};
        case Shard::Zero1:
            return {.optimizer = true};
        case Shard::Zero2: {
            // FSDP1's SHARD_GRAD_OP: the shards own everything between steps
            const bool all = settings.engine == Engine::Fsdp1;
            return {.optimizer = true, .gradients = true, .weights = all};
        }
        case Shard::Zero3:
        case Shard::Fsdp:
        case Shard::Hsdp:
            return {.optimizer = true, .gradients = true, .weights = true};
    }
    return {};
}

double size(Dtype type) {
    return static_cast<double>(bytesPerElement(type));
}

bool transformerEngineFp8(const Settings& settings) {
    return settings.kernels.code == ModelCode::TransformerEngine &&
           settings.kernels.quantization != Quantization::None;
}

/// fp8 primary weights have a column-wise copy in addition to the row-wise one, MXFP8 a scale of
/// one byte per 32 elements in each.
double weightBytes(const Settings& settings) {
    if (settings.precision.parameters != Dtype::Fp8) {
        return size(settings.precision.parameters);
    }
    const bool mx = settings.kernels.quantization == Quantization::MxFp8;
    return 2.0 * (1.0 + (mx ? 1.0 / 32 : 0.0));
}

/// bf16 weights with 8-bit GEMMs: Transformer Engine caches the casts, row- and column-wise, for
/// the micro-batches of a step; torchao casts again.
double castBytes(const Settings& settings) {
    const PrecisionSettings& precision = settings.precision;
    if (transformerEngineFp8(settings)) {
        return precision.parameters == Dtype::Fp8 ? 0.0 : 2.0;
    }
    return precision.autocast && precision.parameters == Dtype::Fp32 ? size(precision.compute)
                                                                     : 0.0;
}

class Parts {
public:
    void add(std::string_view name,
             double bytes,
             bool sharded,
             StatePlace place = StatePlace::Device) {
        if (bytes > 0) {
            state_.parts.push_back({name, bytes, sharded, place});
        }
    }
    [[nodiscard]] BytesPerParameter take() { return std::move(state_); }

private:
    BytesPerParameter state_;
};

void addGradients(Parts& parts, const Settings& settings, const Splits& splits) {
    const PrecisionSettings& precision = settings.precision;
    const double bytes = size(precision.gradients);
    const bool accumulates = settings.engine == Engine::DeepSpeed && !splits.gradients &&
                             splits.optimizer && precision.gradients != precision.parameters;
    if (accumulates) {  // BF16_Optimizer: autograd's own gradients in addition to the accumulation
                        // buffer
        parts.add("gradients", size(precision.parameters), false);
        parts.add("accumulation", bytes, false);
        return;
    }
    parts.add("gradients", bytes, splits.gradients);
    if (settings.engine == Engine::Ddp && !settings.torch.bucketView) {
        parts.add("buckets", bytes, false);
    }
}

double masterBytes(const PrecisionSettings& precision) {
    if (!precision.masterWeights) {
        return 0.0;
    }
    return precision.masterRemainder ? 2.0 : 4.0;
}

/// Megatron's Adam wants fp32 gradients: with a 16-bit buffer it makes a copy in the step, which
/// lives until the next zero_grad. The precision-aware one reads the buffer as it is.
double gradientCopyBytes(const Settings& settings) {
    const PrecisionSettings& precision = settings.precision;
    const bool copies = settings.engine == Engine::Megatron && precision.masterWeights &&
                        !precision.masterRemainder && precision.moments == Dtype::Fp32 &&
                        size(precision.gradients) < 4;
    return copies ? 4.0 : 0.0;
}

/// DeepSpeed's host offload keeps fp32 gradients and a 16-bit staging copy in addition to master
/// and moments (18 bytes), parameter offload the weights too; on NVMe the 16-bit gradients stay on
/// the host.
void addDeepspeedOffload(Parts& parts, const Settings& settings, const Layout& layout) {
    const StatePlace place = usesDrives(layout.offload) ? StatePlace::Nvme : StatePlace::Host;
    const double narrow = size(settings.precision.parameters);
    if (offloadsParameters(layout.offload)) {
        parts.add("weights", narrow, true, place);
    } else {
        parts.add("weights", narrow, layout.shard == Shard::Zero3);
    }
    parts.add("master", masterBytes(settings.precision), true, place);
    parts.add("moments", momentBytes(settings), true, place);
    parts.add("fp32 gradients", 4.0, true, place);
    parts.add("staging", narrow, true, StatePlace::Host);
}

/// Where the parts of the optimizer go.
StatePlace optimizerPlace(const Settings& settings, const Layout& layout) {
    if (layout.offload == Offload::OptimizerCpu ||
        settings.optimizer.kind == OptimizerKind::PagedAdamW8bit) {
        return StatePlace::Host;
    }
    return layout.offload == Offload::OptimizerNvme ? StatePlace::Nvme : StatePlace::Device;
}

/// Of what the optimizer holds, what lies in that place: Megatron's --optimizer-offload-fraction.
double shareMoved(const Settings& settings, const Layout& layout) {
    const bool isSplit =
        settings.engine == Engine::Megatron && layout.offload == Offload::OptimizerCpu;
    return isSplit ? settings.megatron.offloadFraction : 1.0;
}

/// Fp32 throughout, as Megatron's HybridDeviceOptimizer has what it leaves on the device.
void addKept(Parts& parts, const Settings& settings, const Splits& splits, double share) {
    parts.add("kept master", 4.0 * share, splits.optimizer);
    parts.add("kept moments", 8.0 * share, splits.optimizer);
    parts.add("kept gradient copies",
              size(settings.precision.gradients) < 4 ? 4.0 * share : 0.0,
              splits.optimizer);
}

}  // namespace

double BytesPerParameter::replicated(StatePlace place) const {
    return sum(parts, place, false);
}
double BytesPerParameter::sharded(StatePlace place) const {
    return sum(parts, place, true);
}
double BytesPerParameter::whole(StatePlace place) const {
    return replicated(place) + sharded(place);
}
double BytesPerParameter::perRank(double ranks, StatePlace place) const {
    return replicated(place) + sharded(place) / ranks;
}

double BytesPerParameter::of(std::string_view name) const {
    double bytes = 0;
    for (const StatePart& part : parts) {
        bytes += part.name == name ? part.bytes : 0.0;
    }
    return bytes;
}

std::string BytesPerParameter::formula() const {
    std::string text = formulaOf(parts, StatePlace::Device);
    const std::string host = formulaOf(parts, StatePlace::Host);
    const std::string nvme = formulaOf(parts, StatePlace::Nvme);
    text += host.empty() ? "" : "; on the host " + host;
    text += nvme.empty() ? "" : "; on NVMe " + nvme;
    return text;
}

// Blocks of quantised moments have fp32 scales: 256 elements (bitsandbytes, torchao 8-bit), 128
// (torchao 4-bit). torch's SGD, Lion and Muon keep one moment in the parameters' dtype.
double momentBytes(const Settings& settings) {
    const double moment = size(settings.precision.moments);
    const double own = size(settings.precision.parameters);
    switch (settings.optimizer.kind) {
        case OptimizerKind::AdamW:
            return 2 * moment;
        case OptimizerKind::AdamW8bit:
        case OptimizerKind::PagedAdamW8bit:
        case OptimizerKind::AdamWFp8:
            return 2 * (1.0 + 4.0 / 256);
        case OptimizerKind::AdamW4bit:
            return 2 * (0.5 + 4.0 / 128);
        case OptimizerKind::Lion:
            return moment;
        case OptimizerKind::Lion8bit:
            return 1.0 + 4.0 / 256;
        case OptimizerKind::SgdMomentum:
        case OptimizerKind::Muon:
            return settings.precision.masterWeights ? moment : own;
        case OptimizerKind::Sgd:
        case OptimizerKind::Adafactor:
            return 0;
    }
    return 0;
}

BytesPerParameter stateBytes(const Settings& settings, const Layout& layout) {
    Settings trained = settings;
    if (settings.tuning == Tuning::Lora) {
        // Adapters are trained in their own dtype, without a master copy but for DeepSpeed's and
        // Megatron's, whose gradients have a type of their own.
        const bool megatron = settings.engine == Engine::Megatron;
        trained.precision.parameters = settings.lora.dtype;
        if (!megatron) {
            trained.precision.gradients = settings.lora.dtype;
        }
        trained.precision.autocast = false;
        if (settings.engine != Engine::DeepSpeed && !megatron) {
            trained.precision.moments = settings.lora.dtype;
            trained.precision.masterWeights = false;
        }
    }
    const Splits splits = splitsOf(trained, layout);
    Parts parts;
    if (trained.engine == Engine::DeepSpeed && layout.offload != Offload::None &&
        layout.offload != Offload::Activations) {
        addDeepspeedOffload(parts, trained, layout);
        return parts.take();
    }
    // CPUOffload and CPUOffloadPolicy move the shards, their gradients and the optimizer together.
    const bool all = layout.offload == Offload::ParametersCpu;
    const StatePlace optimizer = all ? StatePlace::Host : optimizerPlace(trained, layout);
    parts.add("weights",
              weightBytes(trained),
              splits.weights,
              all ? StatePlace::Host : StatePlace::Device);
    parts.add("casts", castBytes(trained), false);
    if (all) {
        parts.add("gradients", size(trained.precision.gradients), true, StatePlace::Host);
    } else {
        addGradients(parts, trained, splits);
    }
    const double moved = shareMoved(trained, layout);
    parts.add("master", moved * masterBytes(trained.precision), splits.optimizer, optimizer);
    parts.add("moments", moved * momentBytes(trained), splits.optimizer, optimizer);
    parts.add("gradient copies", moved * gradientCopyBytes(trained), splits.optimizer, optimizer);
    addKept(parts, trained, splits, 1.0 - moved);
    return parts.take();
}

}  // namespace fabricast
