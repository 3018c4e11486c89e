#include "probes/fit/fit_demands.h"

#include "planner/base/quantity_text.h"
#include "planner/profiles/read_measured_collectives.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace fabricast {
namespace {

double numberAt(std::string_view text) {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// 112 of "2x Intel Xeon 8480C, 56 cores", 192 of "192 vCPU"; 0 where the text has no such number.
double coresOf(std::string_view cpu) {
    const std::size_t unit = std::min(cpu.find(" cores"), cpu.find(" vCPU"));
    if (unit == std::string_view::npos) {
        return 0.0;
    }
    const std::size_t blank = cpu.substr(0, unit).rfind(' ');
    const std::size_t first = blank == std::string_view::npos ? 0 : blank + 1;
    const bool isOfEach = cpu.find("x ") < first;
    return numberAt(cpu.substr(first)) * (isOfEach ? std::max(1.0, numberAt(cpu)) : 1.0);
}

bool isFar(double found, double expected) {
    constexpr double kFar = 3.0;  // a judgement: boxes of one kind differ by less, a VM by more
    return found > 0.0 && expected > 0.0 && (found * kFar < expected || found > expected * kFar);
}

}  // namespace

std::string otherHostBecause(const NodeSpec& node, double memory, double threads) {
    const double usual =
        node.hostMemory.value ? static_cast<double>(node.hostMemory.value->count()) : 0.0;
    const double cores = coresOf(node.cpu);
    const auto bytes = [](double count) {
        return shortText(Bytes(static_cast<std::int64_t>(std::min(count, 1e18))));
    };
    const auto count = [](double number) { return std::to_string(std::llround(number)); };
    return isFar(memory, usual)
               ? "it has " + bytes(memory) + " of memory, and " + node.name + " has " + bytes(usual)
           : isFar(threads, cores)
               ? "it has " + count(threads) + " CPUs, and " + node.name + " has " + node.cpu
               : "";
}

Result<void> checkGpuOf(const ClusterSpec& machine,
                        const std::optional<GpuSpec>& gpu,
                        const std::string& name,
                        bool isNamed,
                        const std::string& where) {
    const GpuSpec& expected = machine.node.gpu;
    if (!isNamed && !gpu && !name.empty() && !mayBeNamed(expected, name)) {
        return fail(Error::Code::BadInput,
                    where,
                    "was measured on \"" + name + "\", which is no GPU of a profile, and " +
                        machine.name + " has " + expected.name,
                    "--machine and a cluster or node of such GPUs, or --gpu " + expected.name +
                        ", if it is to be taken for one");
    }
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

Result<void> checkKernelsOf(const ProfileStore& store,
                            const std::optional<GpuSpec>& gpu,
                            const SeenGpu& seen) {
    if (!gpu) {
        FABRICAST_ASSIGN(const std::string because, unknownGpuBecause(store, seen));
        return fail(Error::Code::NotFound,
                    "--gpu",
                    "no GPU profile is like \"" + seen.name + "\": " + because,
                    "--gpu and the profile that it is to be taken for (fabricast profiles list "
                    "--kind gpu), or a file of yours in gpus/ and --profile-dir");
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

Result<void> checkDays(const MergedMeasurements& record,
                       const std::string& today,
                       const std::string& now) {
    constexpr std::size_t kDay = 10;
    constexpr const char* kFirstDay = "2007-06-23";  // CUDA 1.0
    constexpr const char* kHint =
        "correct the clock and measure again, or correct the day: a record begins with it, and a "
        "log without one has the day of its file (touch)";
    for (const MeasurementRecord& sitting : record.sittings) {
        const std::string day = sitting.begun.substr(0, kDay);
        if (isDay(day) && day < kFirstDay) {
            return fail(Error::Code::BadInput,
                        sitting.source,
                        "was measured on " + day + ", which is before the first CUDA",
                        kHint);
        }
        const bool isLaterDay = !today.empty() && isDay(day) && day > today;
        const bool isLater = !now.empty() && isBeginning(sitting.begun) && sitting.begun > now;
        if (isLaterDay || isLater) {
            return fail(Error::Code::BadInput,
                        sitting.source,
                        "was measured " + (isLaterDay ? "on " + day : "at " + sitting.begun) +
                            ", which is in the future",
                        kHint);
        }
    }
    return {};
}

}  // namespace fabricast
