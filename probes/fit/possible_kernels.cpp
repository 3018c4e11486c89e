#include "probes/fit/possible_kernels.h"

#include "planner/base/quantity_text.h"
#include "planner/evidence/borrow_kernels.h"
#include "planner/profiles/most_of_peak.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace fabricast {
namespace {

double mostCached(const GpuSpec& gpu, double said) {
    const std::optional<Bytes>& most = gpu.l2Cache.hi ? gpu.l2Cache.hi : gpu.l2Cache.value;
    const double cache = std::max(most ? static_cast<double>(most->count()) : 0.0, said);
    return cache > 0.0 ? cache : std::numeric_limits<double>::infinity();
}

class PossibleKernels {
public:
    PossibleKernels(const GpuSpec& gpu, double cache) : gpu_(gpu), cache_(cache) {}

    [[nodiscard]] Result<void> checkWork(const MeasuredRow& row, GemmType type, Flops work) const {
        const char* const name = peakName(type);
        const auto peak = gpu_.densePeak.find(name);
        if (peak == gpu_.densePeak.end() || !peak->second.value) {
            return {};
        }
        const FlopsPerSecond rate(work.count() / row.time.count());
        const std::string said = shortText(rate) + " in " + name + ", and the data sheet has " +
                                 shortText(*peak->second.value);
        if (rate > *peak->second.value * kMostOfPeak) {
            return impossible(row, "fast", said);
        }
        return isTooSlow(row, Seconds(work.count() / peak->second.value->count()))
                   ? impossible(row, "slow", said)
                   : Result<void>();
    }

    [[nodiscard]] Result<void> checkBytes(const MeasuredMemory& row) const {
        const Sourced<BytesPerSecond>& line = gpu_.memoryBandwidth;
        if (!line.value) {
            return {};
        }
        const double passed = row.bytes - cache_;
        if (const BytesPerSecond rate(passed / row.time.count()); rate > *line.value) {
            return impossible(row,
                              "fast",
                              shortText(rate) +
                                  " beside what its cache holds, and its memory has " +
                                  shortText(*line.value));
        }
        return isTooSlow(row, Seconds(row.bytes / line.value->count()))
                   ? impossible(row,
                                "slow",
                                shortText(BytesPerSecond(row.bytes / row.time.count())) +
                                    ", and its memory has " + shortText(*line.value))
                   : Result<void>();
    }

private:
    /// Beside whatever else runs on the GPU, after a wait of many slices of the others' time.
    [[nodiscard]] static bool isTooSlow(const MeasuredRow& row, Seconds atDataSheet) {
        constexpr Seconds kWait{0.1};
        return row.time > atDataSheet * kMostSlowed + kWait;
    }

    [[nodiscard]] Result<void> impossible(const MeasuredRow& row,
                                          const std::string& how,
                                          const std::string& why) const {
        return fail(Error::Code::BadInput,
                    row.where,
                    "no " + gpu_.name + " is so " + how + ": " + why,
                    "remove the line, or measure again");
    }

    const GpuSpec& gpu_;
    double cache_;
};

}  // namespace

Result<void> checkPossibleKernels(const MeasuredTables& tables, const GpuSpec& gpu, double said) {
    const PossibleKernels possible(gpu, mostCached(gpu, said));
    for (const MeasuredGemm& row : tables.gemms) {
        FABRICAST_TRY(possible.checkWork(row, row.gemm.type, row.gemm.flops()));
    }
    for (const MeasuredExperts& row : tables.experts) {
        if (row.group) {
            FABRICAST_TRY(possible.checkWork(row, row.type, row.group->flops()));
        }
    }
    for (const MeasuredAttention& row : tables.attentions) {
        FABRICAST_TRY(possible.checkWork(row, row.attention.type, row.attention.flops()));
    }
    for (const MeasuredMemory& row : tables.memories) {
        FABRICAST_TRY(possible.checkBytes(row));
    }
    return {};
}

}  // namespace fabricast
