#include "probes/fit/fit_demands.h"

#include "planner/measured/recognise_machine.h"
#include "planner/profiles/read_measured_collectives.h"

namespace fabricast {

Result<void> checkGpuOf(const ClusterSpec& machine,
                        const std::optional<GpuSpec>& gpu,
                        const std::string& name,
                        bool isNamed,
                        const std::string& where) {
    const GpuSpec& expected = machine.node.gpu;
    const bool isSame = !gpu || (isNamed ? gpu->name == expected.name : mayBeNamed(expected, name));
    if (isSame) {
        return {};
    }
    // Only the likest profile where none has the memory that the name says.
    const bool isKnown = isNamed || mayBeNamed(*gpu, name);
    return fail(Error::Code::BadInput,
                where,
                "was measured on \"" + name + "\"" + (isKnown ? " (" + gpu->name + ")" : "") +
                    ", and " + machine.name + " has " + expected.name,
                "--machine and a cluster or node of " + (isKnown ? gpu->name : "such GPUs"));
}

Result<void> checkRanksOf(const ClusterSpec& machine,
                          std::int64_t ranks,
                          std::int64_t nodes,
                          const std::string& where) {
    return ranks > nodes * machine.node.gpus
               ? fail(Error::Code::BadInput,
                      where,
                      "has " + std::to_string(ranks) + " ranks on " + std::to_string(nodes) +
                          (nodes == 1 ? " node" : " nodes") + ", and " + machine.name + " has " +
                          std::to_string(machine.node.gpus) + " GPUs in a node",
                      "--machine and a cluster or node with as many")
               : Result<void>();
}

Result<void> checkKernelsOf(const std::optional<GpuSpec>& gpu, const std::string& name) {
    if (!gpu) {
        return fail(Error::Code::NotFound,
                    "--gpu",
                    "no GPU profile is like \"" + name + "\"",
                    "--gpu h100-sxm5-80gb, or a file of yours in gpus/ and --profile-dir");
    }
    if (!gpu->kernels) {
        return fail(
            Error::Code::NotFound,
            "--gpu",
            "no GPU of the architecture " + gpu->architecture + " has kernels to start from",
            "give it a file in kernels/ that names a donor");
    }
    return {};
}

Result<void> checkDays(const MergedMeasurements& record, const std::string& today) {
    constexpr std::size_t kDay = 10;
    for (const MeasurementRecord& sitting : record.sittings) {
        const std::string day = sitting.begun.substr(0, kDay);
        if (!today.empty() && isDay(day) && day > today) {
            return fail(Error::Code::BadInput,
                        sitting.source,
                        "was measured on " + day + ", which is in the future",
                        "correct the clock and measure again, or correct the day: a record begins "
                        "with it, and a log without one has the day of its file (touch)");
        }
    }
    return {};
}

}  // namespace fabricast
