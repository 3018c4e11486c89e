#include "planner/estimate/drive_time.h"

#include "planner/base/quantity_text.h"
#include "planner/ops/parameters.h"
#include "planner/spec/names.h"

#include <algorithm>
#include <cmath>

namespace fabricast {

namespace {

constexpr double kInHostMemory = 1e9;  ///< max_in_cpu, elements
constexpr double kStates = 12.0;       ///< fp32 parameter and two moments
constexpr double kGradient = 4.0;      ///< handed over in fp32
constexpr double kDay = 86400.0;

bool offloadsToDrives(const Scenario& scenario) {
    const Offload offload = scenario.layout.offload;
    return offload == Offload::OptimizerNvme || offload == Offload::ParametersNvme;
}

double ranksOfNode(const Scenario& scenario) {
    return static_cast<double>(std::clamp<std::int64_t>(
        scenario.layout.world(), 1, std::max<std::int64_t>(1, scenario.cluster.node.gpus)));
}

double drivesOf(const NodeSpec& node, const HostProfile& host) {
    const double capacity = static_cast<double>(node.nvme.value.value_or(Bytes(0)).count());
    const double each = static_cast<double>(host.drive.value->count());
    return std::max(1.0, std::round(capacity / each));
}

double storedWidth(const Scenario& scenario) {
    return scenario.layout.offload == Offload::ParametersNvme
               ? static_cast<double>(bytesPerElement(scenario.settings.precision.compute))
               : 0.0;
}

/// Parameters of a rank: ZeRO-3 splits all of them over all ranks.
double partOfRank(const Scenario& scenario) {
    return static_cast<double>(countParameters(scenario.model).total) /
           static_cast<double>(std::max<std::int64_t>(1, scenario.layout.replicas()));
}

/// Bytes of one parameter that a step writes; it reads as much, but for the parameters.
double writtenBytes(const Scenario& scenario) {
    return kStates + kGradient + storedWidth(scenario);
}

}  // namespace

bool stepsOnDrives(const Scenario& scenario) {
    return offloadsToDrives(scenario) && !scenario.settings.deepspeed.optimizerStaysOnDevice;
}

Result<void> checkDrives(const Scenario& scenario) {
    if (!offloadsToDrives(scenario)) {
        return {};
    }
    const NodeSpec& node = scenario.cluster.node;
    if (!node.nvme.value) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    std::string(nameOf(scenario.layout.offload)) +
                        " needs local drives, and those of " + node.name + " are not known",
                    "offload=optimizer_cpu, or nvme in the profile of the node");
    }
    const double needed = ranksOfNode(scenario) * partOfRank(scenario) * writtenBytes(scenario);
    if (needed > static_cast<double>(node.nvme.value->count())) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    "states of " + shortText(Bytes(static_cast<std::int64_t>(needed))) +
                        " in a node are more than its drives hold, " + shortText(*node.nvme.value),
                    "more nodes");
    }
    return {};
}

double driveSeconds(const Scenario& scenario, const HostProfile& host, double stepped) {
    if (!stepsOnDrives(scenario)) {
        return 0.0;
    }
    const double drives = drivesOf(scenario.cluster.node, host);
    const double read = (kStates + kGradient) / (drives * host.driveRead.value->count());
    const double written = writtenBytes(scenario) / (drives * host.driveWrite.value->count());
    return ranksOfNode(scenario) * stepped * (read + written);
}

double driveReadSeconds(const Scenario& scenario, const HostProfile& host, double bytes) {
    return ranksOfNode(scenario) * bytes /
           (drivesOf(scenario.cluster.node, host) * host.driveRead.value->count());
}

double shareOnDrives(const Scenario& scenario) {
    if (scenario.layout.offload != Offload::ParametersNvme) {
        return 0.0;
    }
    const double whole = partOfRank(scenario);
    return whole > kInHostMemory ? 1.0 - kInHostMemory / whole : 0.0;
}

std::string driveNote(const Scenario& scenario, const HostProfile& host, Seconds step) {
    if (!stepsOnDrives(scenario) || !scenario.cluster.node.nvme.value) {
        return {};
    }
    const NodeSpec& node = scenario.cluster.node;
    const double drives = drivesOf(node, host);
    const double stepped = ranksOfNode(scenario) * partOfRank(scenario);
    const double written = stepped * writtenBytes(scenario);
    const double rated =
        static_cast<double>(node.nvme.value->count()) * host.driveWrites.value.value_or(0.0);
    const double days = rated / written * step.count() / kDay;
    const auto bytes = [](double count) {
        return shortText(Bytes(static_cast<std::int64_t>(count)));
    };
    return "drives: a step writes " + bytes(written) + " in each node, " +
           bytes(stepped * kStates) + " stay; " + std::to_string(std::llround(drives)) +
           " drives read at " + shortText(BytesPerSecond(drives * host.driveRead.value->count())) +
           " and write at " + shortText(BytesPerSecond(drives * host.driveWrite.value->count())) +
           " (assumed); their rated writes are used up after " +
           std::to_string(std::max<long long>(1, std::llround(days))) + " days of training";
}

}  // namespace fabricast
