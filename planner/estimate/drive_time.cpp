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

double drivesOf(const NodeSpec& node, const HostProfile& host) {
    const double capacity = static_cast<double>(node.nvme.value.value_or(Bytes(0)).count());
    const double each = static_cast<double>(host.drive.value->count());
    return std::max(1.0, std::round(capacity / each));
}

/// Bytes a second of all drives of a node: as they were said, or as usual drives have them.
double readRate(const NodeSpec& node, const HostProfile& host) {
    return node.nvmeRead.value ? node.nvmeRead.value->count()
                               : drivesOf(node, host) * host.driveRead.value->count();
}

double writeRate(const NodeSpec& node, const HostProfile& host) {
    return node.nvmeWrite.value ? node.nvmeWrite.value->count()
                                : drivesOf(node, host) * host.driveWrite.value->count();
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

double ranksOfNode(const Scenario& scenario) {
    return static_cast<double>(std::clamp<std::int64_t>(
        scenario.layout.world(), 1, std::max<std::int64_t>(1, scenario.cluster.node.gpus)));
}

bool stepsOnDrives(const Scenario& scenario) {
    return usesDrives(scenario.layout.offload) &&
           !scenario.settings.deepspeed.optimizerStaysOnDevice;
}

Result<void> checkDrives(const Scenario& scenario) {
    if (!usesDrives(scenario.layout.offload)) {
        return {};
    }
    const NodeSpec& node = scenario.cluster.node;
    const bool isTimed = node.nvmeRead.value && node.nvmeWrite.value;
    if (!node.nvme.value && !isTimed) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    std::string(nameOf(scenario.layout.offload)) +
                        " needs local drives, and those of " + node.name + " are not known",
                    "--nvme 30TB with what they hold, or --nvme-read and --nvme-write");
    }
    return {};
}

double driveSeconds(const Scenario& scenario, const HostProfile& host, double stepped) {
    if (!stepsOnDrives(scenario)) {
        return 0.0;
    }
    const NodeSpec& node = scenario.cluster.node;
    const double read = (kStates + kGradient) / readRate(node, host);
    const double written = writtenBytes(scenario) / writeRate(node, host);
    return ranksOfNode(scenario) * stepped * (read + written);
}

double driveReadSeconds(const Scenario& scenario, const HostProfile& host, double bytes) {
    return ranksOfNode(scenario) * bytes / readRate(scenario.cluster.node, host);
}

double shareOnDrives(const Scenario& scenario) {
    if (scenario.layout.offload != Offload::ParametersNvme) {
        return 0.0;
    }
    const double whole = partOfRank(scenario);
    return whole > kInHostMemory ? 1.0 - kInHostMemory / whole : 0.0;
}

namespace {

std::string ratesText(const NodeSpec& node, const HostProfile& host) {
    const bool isSaid = node.nvmeRead.value && node.nvmeWrite.value;
    const std::string drives =
        isSaid ? "the drives" : std::to_string(std::llround(drivesOf(node, host))) + " drives";
    return drives + " read at " + shortText(BytesPerSecond(readRate(node, host))) +
           " and write at " + shortText(BytesPerSecond(writeRate(node, host))) +
           (isSaid ? "" : " (assumed)");
}

/// After how long so many bytes a second have used up what the drives are rated for.
std::string lifeText(const NodeSpec& node, const HostProfile& host, double perSecond) {
    if (!node.nvme.value) {
        return {};
    }
    const double rated =
        static_cast<double>(node.nvme.value->count()) * host.driveWrites.value.value_or(0.0);
    const auto days = std::max<long long>(1, std::llround(rated / perSecond / kDay));
    return "; their rated writes are used up after " + std::to_string(days) + " days of training";
}

}  // namespace

std::string driveNote(const Scenario& scenario, const HostProfile& host, Seconds step) {
    if (!stepsOnDrives(scenario)) {
        return {};
    }
    const NodeSpec& node = scenario.cluster.node;
    const double stepped = ranksOfNode(scenario) * partOfRank(scenario);
    const double written = stepped * writtenBytes(scenario);
    const auto bytes = [](double count) {
        return shortText(Bytes(static_cast<std::int64_t>(count)));
    };
    return "drives: a step writes " + bytes(written) + " in each node, " +
           bytes(stepped * kStates) + " stay; " + ratesText(node, host) +
           lifeText(node, host, written / step.count());
}

}  // namespace fabricast
