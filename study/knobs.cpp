#include "study/sensitivity.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace fabricast {

namespace {

template <class Q>
void scaleSourced(Sourced<Q>& number, double factor) {
    if (number.value) {
        number.value = *number.value * factor;
    }
}

void scaleSize(Sourced<Bytes>& size, double factor) {
    if (size.value) {
        size.value = Bytes(std::llround(static_cast<double>(size.value->count()) * factor));
    }
}

/// Products and attention, and the peak that their use is measured by.
void scaleMatrixUnits(Premises& premises, double factor) {
    GpuSpec& gpu = premises.scenario.cluster.node.gpu;
    for (auto& [type, peak] : gpu.densePeak) {
        scaleSourced(peak, factor);
    }
    if (!gpu.kernels) {
        return;
    }
    for (auto& fit : gpu.kernels->gemm) {
        if (fit) {
            fit->peak = fit->peak * factor;
        }
    }
    for (AttentionFit& fit : gpu.kernels->attention) {
        fit.peak = fit.peak * factor;
    }
}

void scaleMemoryBandwidth(Premises& premises, double factor) {
    GpuSpec& gpu = premises.scenario.cluster.node.gpu;
    scaleSourced(gpu.memoryBandwidth, factor);
    if (gpu.kernels) {
        gpu.kernels->memoryBandwidth = gpu.kernels->memoryBandwidth * factor;
    }
}

void scaleMemorySize(Premises& premises, double factor) {
    GpuSpec& gpu = premises.scenario.cluster.node.gpu;
    for (Sourced<Bytes>* size : {&gpu.memory, &gpu.reportedMemory, &gpu.usableMemory}) {
        scaleSize(*size, factor);
    }
}

void scalePci(NodeSpec& node, double factor) {
    PciTopology& pci = node.pci;
    scaleSourced(node.gpu.pcieBandwidth, factor);
    for (Sourced<BytesPerSecond>* rate : {&pci.peerBandwidth,
                                          &pci.crossSocketBandwidth,
                                          &pci.socketLink,
                                          &pci.hostBandwidth,
                                          &pci.ringBusBandwidth}) {
        scaleSourced(*rate, factor);
    }
}

bool hasLinks(const NodeSpec& node) {
    return node.gpuFabric != "pcie";
}

/// The library of the scenario's GPUs, as both are scaled equally.
template <class Change>
void changeLibraries(TimingProfiles& timing, Change change) {
    change(timing.nccl.model);
    change(timing.rccl.model);
    for (CollectiveLibrary& library : timing.others) {
        change(library.model);
    }
}

/// Links between the GPUs of a node or NVLink domain: PCIe if there are no others.
void scaleLinkBandwidth(Premises& premises, double factor) {
    NodeSpec& node = premises.scenario.cluster.node;
    if (!hasLinks(node)) {
        scalePci(node, factor);
        return;
    }
    changeLibraries(premises.timing, [factor](NcclModel& model) {
        for (NcclGeneration& generation : model.generations) {
            generation.linkBandwidth = generation.linkBandwidth * factor;
            generation.llNodeMost = generation.llNodeMost * factor;
            generation.ringLl128Most[0] = generation.ringLl128Most[0] * factor;
            generation.treeLl128Most[0] = generation.treeLl128Most[0] * factor;
            generation.treeMost[0] = generation.treeMost[0] * factor;
            for (BytesPerSecond& speed : generation.speeds) {
                speed = speed * factor;
            }
        }
        model.pairLlBandwidth = model.pairLlBandwidth * factor;
    });
}

void scaleLatency(NcclModel& model, LinkClass link, double factor) {
    const auto at = static_cast<std::size_t>(link);
    for (auto& algorithm : model.stepLatency[at]) {
        for (Seconds& latency : algorithm) {
            latency = latency * factor;
        }
    }
    for (Seconds& latency : model.pairLatency[at]) {
        latency = latency * factor;
    }
    model.peerLatency[at] = model.peerLatency[at] * factor;
}

void scaleLinkLatency(Premises& premises, double factor) {
    const LinkClass link =
        hasLinks(premises.scenario.cluster.node) ? LinkClass::NvLink : LinkClass::Pci;
    changeLibraries(premises.timing,
                    [=](NcclModel& model) { scaleLatency(model, link, 1.0 / factor); });
}

bool hasNetwork(const Scenario& scenario) {
    return scenario.cluster.nodes > 1;
}

bool hasSites(const Scenario& scenario) {
    return scenario.cluster.sites.count > 1;
}

/// What is offloaded goes through PCIe.
bool usesHostLinks(const Scenario& scenario) {
    return scenario.layout.offload != Offload::None;
}

void scaleHostLinks(Premises& premises, double factor) {
    if (usesHostLinks(premises.scenario)) {
        scalePci(premises.scenario.cluster.node, factor);
    }
}

/// NICs and switches, with the PCIe links that feed them where these do nothing else.
void scaleNetworkBandwidth(Premises& premises, double factor) {
    ClusterSpec& cluster = premises.scenario.cluster;
    scaleSourced(cluster.node.nicBandwidth, factor);
    FabricSpec& fabric = cluster.fabric;
    for (Sourced<BytesPerSecond>* rate : {&fabric.linkBandwidth,
                                          &fabric.achievedBandwidth,
                                          &fabric.pairBandwidth,
                                          &fabric.ringBusBandwidth,
                                          &fabric.inSwitchBusBandwidth}) {
        scaleSourced(*rate, factor);
    }
    if (hasLinks(cluster.node) && !usesHostLinks(premises.scenario)) {
        scalePci(cluster.node, factor);
    }
    changeLibraries(premises.timing, [factor](NcclModel& model) {
        for (const std::size_t nodes : {1U, 2U}) {
            for (NcclGeneration& generation : model.generations) {
                generation.ringLl128Most[nodes] = generation.ringLl128Most[nodes] * factor;
                generation.treeLl128Most[nodes] = generation.treeLl128Most[nodes] * factor;
                generation.treeMost[nodes] = generation.treeMost[nodes] * factor;
                generation.nvlsTreeMost[nodes] = generation.nvlsTreeMost[nodes] * factor;
            }
            model.llIntelMost[nodes - 1] = model.llIntelMost[nodes - 1] * factor;
            model.llAmdMost[nodes - 1] = model.llAmdMost[nodes - 1] * factor;
        }
    });
}

void scaleNetworkLatency(Premises& premises, double factor) {
    scaleSourced(premises.scenario.cluster.fabric.latency, 1.0 / factor);
    changeLibraries(premises.timing, [factor](NcclModel& model) {
        scaleLatency(model, LinkClass::Network, 1.0 / factor);
        for (NcclNetwork& network : model.networks) {
            network.latency = network.latency * (1.0 / factor);
        }
        model.intelNetOverhead = model.intelNetOverhead * (1.0 / factor);
        model.amdNetOverhead = model.amdNetOverhead * (1.0 / factor);
    });
}

void scaleWanBandwidth(Premises& premises, double factor) {
    SitesSpec& sites = premises.scenario.cluster.sites;
    sites.rate = sites.rate * factor;
}

void scaleWanLatency(Premises& premises, double factor) {
    SitesSpec& sites = premises.scenario.cluster.sites;
    sites.latency = sites.latency * (1.0 / factor);
}

/// CPU work that the device waits for.
void scaleHost(Premises& premises, double factor) {
    for (auto& [name, software] : premises.timing.software) {
        for (Seconds* time : {&software.forwardLaunch,
                              &software.backwardLaunch,
                              &software.collective,
                              &software.unit,
                              &software.microBatch,
                              &software.step}) {
            *time = *time * (1.0 / factor);
        }
    }
}

std::int64_t multiple(std::int64_t count, double factor) {
    return static_cast<std::int64_t>(std::llround(static_cast<double>(count) * factor));
}

void scaleMicroBatch(Premises& premises, double factor) {
    Layout& layout = premises.scenario.layout;
    layout.microBatch = multiple(layout.microBatch, factor);
}

void scaleGlobalBatch(Premises& premises, double factor) {
    WorkloadSpec& workload = premises.scenario.workload;
    workload.globalBatch = multiple(workload.globalBatch, factor);
}

constexpr std::array kKnobs = {
    Knob{"matrix_rate", "matrix units", KnobKind::Speed, &scaleMatrixUnits},
    Knob{"memory_bandwidth", "GPU memory bandwidth", KnobKind::Speed, &scaleMemoryBandwidth},
    Knob{"link_bandwidth", "links inside a node", KnobKind::Speed, &scaleLinkBandwidth},
    Knob{"link_latency", "1 / latency inside a node", KnobKind::Speed, &scaleLinkLatency},
    Knob{"network_bandwidth",
         "network between nodes",
         KnobKind::Speed,
         &scaleNetworkBandwidth,
         &hasNetwork},
    Knob{"network_latency",
         "1 / latency between nodes",
         KnobKind::Speed,
         &scaleNetworkLatency,
         &hasNetwork},
    Knob{"wan_bandwidth", "line between sites", KnobKind::Speed, &scaleWanBandwidth, &hasSites},
    Knob{"wan_latency", "1 / latency between sites", KnobKind::Speed, &scaleWanLatency, &hasSites},
    Knob{"host_links", "PCIe to the host", KnobKind::Speed, &scaleHostLinks, &usesHostLinks},
    Knob{"host_speed", "host", KnobKind::Speed, &scaleHost},
    Knob{"memory_size", "GPU memory size", KnobKind::Room, &scaleMemorySize},
    Knob{"micro_batch", "micro-batch", KnobKind::Batch, &scaleMicroBatch},
    Knob{"global_batch", "global batch", KnobKind::Batch, &scaleGlobalBatch}};

}  // namespace

std::span<const Knob> knobs() {
    return kKnobs;
}

}  // namespace fabricast
