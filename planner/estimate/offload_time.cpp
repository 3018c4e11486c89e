#include "planner/estimate/offload_time.h"

#include "planner/base/quantity_text.h"
#include "planner/estimate/drive_time.h"
#include "planner/spec/activation_offload.h"
#include "planner/spec/dtype.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/torch_methods.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fabricast {

namespace {

constexpr double kFp32 = 4.0;

bool savesOnHost(const Scenario& scenario) {
    return scenario.layout.offload == Offload::Activations;
}

bool isDeepSpeed(const Scenario& scenario) {
    return scenario.settings.engine == Engine::DeepSpeed;
}

bool isMegatron(const Scenario& scenario) {
    return scenario.settings.engine == Engine::Megatron;
}

double width(Dtype dtype) {
    return static_cast<double>(bytesPerElement(dtype));
}

/// Bytes over PCIe for one parameter of the rank's share and one microbatch.
struct LinkBytes {
    double forward = 0.0;
    double backward = 0.0;
};

/// ZeRO hands gradients to the host in fp32; where they are accumulated, each microbatch fetches
/// and returns them (stages 2 and 3). Offloaded parameters are fetched for every gather.
LinkBytes deepspeedBytes(const Scenario& scenario) {
    const PrecisionSettings& precision = scenario.settings.precision;
    const double stored = width(precision.compute);
    const auto m = static_cast<double>(std::max<std::int64_t>(1, scenario.microBatches()));
    LinkBytes bytes;
    switch (scenario.layout.shard) {
        case Shard::Zero2:
            bytes.backward = kFp32 * (1.0 + 2.0 * (m - 1.0) / m);
            break;
        case Shard::Zero3:
            bytes.backward = stored * (1.0 + (m - 1.0) / m) + kFp32 / m;
            break;
        default:
            bytes.backward = kFp32 / m;
            break;
    }
    if (offloadsParameters(scenario.layout.offload)) {
        bytes.forward += stored;
        bytes.backward += stored;
    }
    return bytes;
}

/// In backward, what forward has gathered already.
bool gathersAgain(const Scenario& scenario) {
    const TorchSettings& torch = scenario.settings.torch;
    return isDeepSpeed(scenario)                       ? true
           : scenario.settings.engine == Engine::Fsdp1 ? !torch.shardGradOp
                                                       : torch.gathersLayersAgain();
}

/// FSDP sends a shard as it is stored, casts it on the device, and fetches gradients after every
/// reduction.
LinkBytes fsdpBytes(const Scenario& scenario) {
    const double stored = width(scenario.settings.precision.parameters);
    return {.forward = stored, .backward = (gathersAgain(scenario) ? stored : 0.0) + stored};
}

LinkBytes linkBytes(const Scenario& scenario) {
    if (scenario.layout.offload == Offload::None || savesOnHost(scenario) || isMegatron(scenario)) {
        return {};  // Megatron copies in its step
    }
    return isDeepSpeed(scenario) ? deepspeedBytes(scenario) : fsdpBytes(scenario);
}

/// Of copies between a GPU and pinned memory; GPUs on one way into the CPUs share it.
double copyRate(const ClusterSpec& cluster, const HostProfile& host) {
    const NodeSpec& node = cluster.node;
    const BytesPerSecond line = node.gpu.pcieBandwidth.value.value_or(BytesPerSecond(0));
    const double rate =
        node.pci.hostBandwidth.value.value_or(line * host.copyShare.value.value_or(1.0)).count();
    const auto gpus = static_cast<double>(std::max<std::int64_t>(1, node.gpus));
    const auto ways = static_cast<double>(node.pci.rootComplexes.value.value_or(node.gpus));
    return rate * std::clamp(ways / gpus, 1.0 / gpus, 1.0);
}

/// Of the host's memory, all sockets.
double memoryRate(const NodeSpec& node, const HostProfile& host) {
    if (node.hostMemoryBandwidth.value) {
        return node.hostMemoryBandwidth.value->count();
    }
    constexpr std::int64_t kUsualSockets = 2;
    const auto sockets = static_cast<double>(node.pci.numaNodes.value.value_or(kUsualSockets));
    return host.socketBandwidth.value->count() * std::max(1.0, sockets);
}

double shareOf(const Scenario& scenario, const HostProfile& host) {
    return isDeepSpeed(scenario) ? *host.deepspeedShare.value : *host.torchShare.value;
}

/// Numbers of 4 bytes that a step reads and writes: weight and moments both ways, and the gradient.
double stepBytes(OptimizerKind kind) {
    switch (kind) {
        case OptimizerKind::Lion:
        case OptimizerKind::SgdMomentum:
        case OptimizerKind::Muon:
            return 5.0 * kFp32;
        case OptimizerKind::Sgd:
        case OptimizerKind::Adafactor:
            return 3.0 * kFp32;
        default:
            return 7.0 * kFp32;
    }
}

/// Whose moments have 4 or 8 bits: kernels of GPUs, of which no time on CPUs is published.
bool hasShortMoments(OptimizerKind kind) {
    return isEightBit(kind) || kind == OptimizerKind::AdamW4bit || kind == OptimizerKind::AdamWFp8;
}

}  // namespace

Result<void> checkOffload(const Scenario& scenario) {
    const Offload offload = scenario.layout.offload;
    if (offload == Offload::None) {
        return {};
    }
    const Engine engine = scenario.settings.engine;
    const bool fsdp = engine == Engine::Fsdp1 || engine == Engine::Fsdp2;
    const bool torch = engine == Engine::Local || engine == Engine::Ddp || engine == Engine::Fsdp2;
    const bool megatron = engine == Engine::Megatron || engine == Engine::MegatronFsdp;
    const bool modelled = engine == Engine::DeepSpeed        ? !savesOnHost(scenario)
                          : offload == Offload::OptimizerCpu ? engine == Engine::Megatron
                          : offload == Offload::ParametersCpu
                              ? fsdp
                              : (torch || megatron) && savesOnHost(scenario);
    const std::string what = "the step time of offload " + std::string(nameOf(offload));
    if (!modelled) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    what + " under " + std::string(nameOf(engine)) + " is not forecast",
                    "DeepSpeed's optimizer_cpu or parameters_cpu, FSDP's parameters_cpu, "
                    "Megatron's optimizer_cpu or activations");
    }
    if (hasShortMoments(scenario.settings.optimizer.kind) && stepsOnHost(scenario)) {
        return fail(Error::Code::Unsupported,
                    "settings.optimizer.kind",
                    "the time of a step of " +
                        std::string(nameOf(scenario.settings.optimizer.kind)) +
                        " on CPUs is not forecast",
                    "--optimizer adamw, or offload=none");
    }
    if (scenario.settings.tuning == Tuning::Lora && !(fsdp && offload == Offload::ParametersCpu)) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    what + " is not forecast with LoRA",
                    "offload=none, FSDP2's parameters_cpu, or settings.tuning=full");
    }
    FABRICAST_TRY(checkDrives(scenario));
    if (!scenario.cluster.node.gpu.pcieBandwidth.value &&
        !scenario.cluster.node.pci.hostBandwidth.value) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    "the copy rate between " + scenario.cluster.node.gpu.name +
                        " and host memory is not known");
    }
    return {};
}

double steppedHere(const Scenario& scenario, double trained, double trainedExperts) {
    const Layout& layout = scenario.layout;
    if (layout.shard == Shard::None) {
        return trained + trainedExperts;
    }
    const double ranks = static_cast<double>(
        layout.shardSize > 0 ? std::min(layout.shardSize, layout.replicas()) : layout.replicas());
    const double expertRanks =
        static_cast<double>(std::max<std::int64_t>(1, layout.expertReplicas()));
    return trained / ranks + trainedExperts / expertRanks;
}

HostCopies hostCopies(const Scenario& scenario,
                      const HostProfile& host,
                      const SegmentTime& segments) {
    const LinkBytes bytes = linkBytes(scenario);
    if (bytes.forward + bytes.backward <= 0.0) {
        return {};
    }
    const double here = steppedHere(scenario, segments.trained, segments.trainedExperts);
    const double frozen = offloadsParameters(scenario.layout.offload)
                              ? steppedHere(scenario, segments.frozen, segments.frozenExperts)
                              : 0.0;
    const double rate = copyRate(scenario.cluster, host);
    const double fetched =
        here * shareOnDrives(scenario) * width(scenario.settings.precision.compute);
    const double drives = fetched > 0.0 ? driveReadSeconds(scenario, host, fetched) : 0.0;
    return {.forward = (here * bytes.forward + frozen) / rate + drives,
            .backward =
                (here * bytes.backward + (gathersAgain(scenario) ? frozen : 0.0)) / rate + drives};
}

double packedSeconds(const Scenario& scenario, const HostProfile& host, const PackedPass& pass) {
    if (pass.bytes <= 0.0) {
        return 0.0;
    }
    const double all = pass.bytes / copyRate(scenario.cluster, host);
    const HostWay way = hostWayOf(scenario);
    const std::int64_t layers = scenario.model.layers;
    if (way == HostWay::TrlAside && pass.forward) {
        return std::max(0.0, all - static_cast<double>(layers) * pass.layerSeconds);
    }
    if (way != HostWay::Layers) {
        return all;
    }
    const std::vector<std::int64_t> windows = offloadWindows(layers, offloadedLayers(scenario));
    const double each = all / static_cast<double>(layers);
    double exposed = 0.0;
    std::int64_t from = 0;
    for (const std::int64_t to : windows) {
        exposed += std::max(0.0, each - static_cast<double>(to - from) * pass.layerSeconds);
        from = to;
    }
    return exposed;
}

bool stepsOnHost(const Scenario& scenario) {
    return scenario.layout.offload != Offload::None && !savesOnHost(scenario) &&
           !(isDeepSpeed(scenario) && scenario.settings.deepspeed.optimizerStaysOnDevice);
}

double steppedOnHost(const Scenario& scenario) {
    const bool isSplit = isMegatron(scenario) && scenario.layout.offload == Offload::OptimizerCpu;
    return isSplit ? scenario.settings.megatron.offloadFraction : 1.0;
}

double hostPassSeconds(const Scenario& scenario,
                       const HostProfile& host,
                       double bytes,
                       double copied) {
    return ranksOfNode(scenario) * bytes /
               (memoryRate(scenario.cluster.node, host) * *host.torchShare.value) +
           copied / copyRate(scenario.cluster, host);
}

double hostStepSeconds(const Scenario& scenario, const HostProfile& host, double trained) {
    const double stepped = trained * steppedOnHost(scenario);
    const NodeSpec& node = scenario.cluster.node;
    const double bytes = stepBytes(scenario.settings.optimizer.kind);
    const double step = ranksOfNode(scenario) * stepped * bytes /
                        (memoryRate(node, host) * shareOf(scenario, host));
    // FSDP2's parameters stay where they were stepped, as DeepSpeed's do where they are offloaded.
    const bool returned = isMegatron(scenario) ||
                          (isDeepSpeed(scenario) && !offloadsParameters(scenario.layout.offload));
    const double back = (returned ? width(scenario.settings.precision.compute) : 0.0) +
                        (isMegatron(scenario) ? kFp32 : 0.0);  // its fp32 gradients come first
    return step + driveSeconds(scenario, host, stepped) +
           stepped * back / copyRate(scenario.cluster, host);
}

std::string offloadNote(const Scenario& scenario, const HostProfile& host) {
    if (scenario.layout.offload == Offload::None) {
        return {};
    }
    if (savesOnHost(scenario)) {
        const HostWay way = hostWayOf(scenario);
        return "offload: activations are copied at " +
               shortText(BytesPerSecond(copyRate(scenario.cluster, host))) + " per GPU, " +
               (way == HostWay::Layers     ? "beside the layers that Transformer Engine spreads "
                                             "them over"
                : way == HostWay::TrlAside ? "in forward beside the kernels, which wait in backward"
                                           : "and the kernels wait");
    }
    const NodeSpec& node = scenario.cluster.node;
    const double rate = memoryRate(node, host);
    const bool isKnown = node.hostMemoryBandwidth.value.has_value();
    return "offload: the CPU optimizer runs at " +
           shortText(BytesPerSecond(rate * shareOf(scenario, host))) + " of the host memory's " +
           shortText(BytesPerSecond(rate)) +
           (isKnown ? "" : " (assumed; a node's file states host_memory_bandwidth)") +
           ", copies at " + shortText(BytesPerSecond(copyRate(scenario.cluster, host))) +
           " per GPU; accurate to a factor of two";
}

}  // namespace fabricast
