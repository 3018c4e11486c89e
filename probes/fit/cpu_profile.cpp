#include "planner/base/quantity_text.h"
#include "probes/fit/collective_points.h"
#include "probes/fit/cpu_cluster.h"
#include "probes/fit/cpu_fit.h"
#include "probes/fit/kernel_json.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

namespace fabricast {
namespace {

Result<std::int64_t> machineNumber(const MergedMeasurements& record, const std::string& key) {
    const auto found = record.machine.find(key);
    const std::string text = found == record.machine.end() ? "" : found->second;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1) {
        return fail(Error::Code::BadInput,
                    record.sittings.empty() ? "the record" : record.sittings.front().source,
                    "does not say the machine's \"" + key + "\"",
                    "a record of fabricast-probe-mpi does");
    }
    return number;
}

std::string machineWord(const MergedMeasurements& record, const std::string& key) {
    const auto found = record.machine.find(key);
    return found == record.machine.end() ? "unknown" : found->second;
}

/// A name as profiles have them.
Result<void> checkName(const std::string& name) {
    const auto isPlain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    if (name.empty() || name.front() == '-' || !std::ranges::all_of(name, isPlain)) {
        return fail(Error::Code::BadInput,
                    "the profile's name",
                    "\"" + name + "\" is none: lower-case letters, digits and hyphens",
                    "my-cluster");
    }
    return {};
}

/// Groups that lie as the forecast lays them: each node is filled before the next.
void keepFilledNodes(std::int64_t perNode, CollectivePoints& collectives) {
    std::erase_if(collectives.curves, [&](const MeasuredCurve& curve) {
        const bool filled = curve.nodes == (curve.ranks + perNode - 1) / perNode;
        if (!filled) {
            collectives.leftOut.push_back(
                std::string(collectiveName(curve.kind)) + " of " + std::to_string(curve.ranks) +
                " ranks on " + std::to_string(curve.nodes) + " nodes: not of filled nodes");
        }
        return !filled;
    });
}

RingFit ringOf(const std::vector<MeasuredCurve>& curves, bool between) {
    std::vector<MeasuredCurve> chosen;
    std::ranges::copy_if(curves, std::back_inserter(chosen), [between](const auto& curve) {
        return (curve.nodes > 1) == between;
    });
    return fitRing(chosen);
}

void setContention(const MergedMeasurements& record, CpuCluster& cluster) {
    for (const RecordedPoint& point : record.points) {
        if (point.what == "overlap" && point.facts.contains("contention")) {
            cluster.contention = std::clamp(point.fact("contention", 0.0), 0.0, 1.0);
            cluster.contentionMeasured = true;
        }
    }
}

Result<CpuCluster> clusterOf(const MergedMeasurements& record, const std::string& name) {
    CpuCluster cluster;
    cluster.name = name;
    cluster.processor = machineWord(record, "cpu");
    cluster.library = machineWord(record, "mpi");
    const MeasurementRecord& latest = record.sittings.back();
    cluster.from = latest.program + ", " + latest.begun.substr(0, latest.begun.find('T'));
    FABRICAST_ASSIGN(const std::int64_t ranks, machineNumber(record, "ranks"));
    FABRICAST_ASSIGN(cluster.nodes, machineNumber(record, "nodes"));
    FABRICAST_ASSIGN(const std::int64_t memory, machineNumber(record, "memory_bytes"));
    if (ranks % cluster.nodes != 0) {
        return fail(Error::Code::BadInput,
                    latest.source,
                    std::to_string(ranks) + " ranks do not spread evenly over " +
                        std::to_string(cluster.nodes) + " nodes",
                    "start as many on each");
    }
    cluster.ranksPerNode = ranks / cluster.nodes;
    cluster.rankMemory = Bytes(memory / cluster.ranksPerNode);
    cluster.peak = bestRate(record.points);
    setContention(record, cluster);
    return cluster;
}

std::string rateLine(const char* where, const RingFit& ring) {
    return ring.rows == 0
               ? std::string()
               : "rings " + std::string(where) + ": a step " + shortText(ring.step) + ", " +
                     shortText(ring.rate) + ", from " + std::to_string(ring.rows) + " points\n";
}

}  // namespace

Result<CpuProfile> cpuProfile(const MergedMeasurements& record, const std::string& name) {
    FABRICAST_TRY(checkName(name));
    if (record.sittings.empty()) {
        return fail(Error::Code::BadInput, "the record", "is empty");
    }
    FABRICAST_ASSIGN(CpuCluster cluster, clusterOf(record, name));
    FABRICAST_ASSIGN(CollectivePoints collectives, collectivePoints(record.points));
    keepFilledNodes(cluster.ranksPerNode, collectives);
    cluster.inside = ringOf(collectives.curves, false);
    cluster.between = ringOf(collectives.curves, true);
    FABRICAST_ASSIGN(const FittedKernels kernels,
                     fitCpuKernels(record.points, name + "-rank", cluster.from));
    cluster.memoryRate = kernels.kernels.memoryBandwidth;
    CpuProfile profile;
    profile.sections = kernels.sections;
    profile.report = kernels.report + rateLine("inside a node", cluster.inside) +
                     rateLine("between nodes", cluster.between);
    for (const std::string& line : collectives.leftOut) {
        profile.report += "left out: " + line + "\n";
    }
    const auto add = [&profile](const std::string& path, std::string text) {
        profile.files.push_back({path + ".json", std::move(text)});
    };
    add("gpus/" + name + "-rank", cpuDeviceJson(cluster));
    add("nodes/" + name + "-node", cpuNodeJson(cluster));
    add("clusters/" + name, cpuClusterJson(cluster));
    add("kernels/" + name + "-rank",
        kernelJson(kernels, "One rank on " + cluster.processor + ", all ranks computing"));
    add("collectives/" + name + "-mpi", cpuLibraryJson(cluster));
    if (cluster.between.rows > 0) {
        add("fabrics/" + name + "-network", cpuNetworkJson(cluster));
    }
    if (!collectives.curves.empty()) {
        add("collectives/measured-" + name,
            collectivesJson({.name = "measured-" + name,
                             .title = "Rings over MPI on " + name,
                             .machine = name,
                             .software = cluster.library,
                             .from = cluster.from,
                             .note = ""},
                            collectives));
    }
    for (const char* stack : {"torch-eager", "torch-compiled", "megatron"}) {
        add("software/" + std::string(stack) + "-on-" + name, cpuSoftwareJson(cluster, stack));
    }
    return profile;
}

}  // namespace fabricast
