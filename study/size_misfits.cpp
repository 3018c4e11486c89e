#include "planner/report/memory_report.h"
#include "planner/report/plan_views.h"
#include "planner/report/scales.h"
#include "study/search_request.h"
#include "study/search_size.h"
#include "study/size_verdicts.h"
#include "study/sized_cluster.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {
namespace {

/// "does not fit: 120.32 of 79.19 GiB, short by 41.13 GiB, in fsdp2 dp=8,shard=fsdp".
std::string misfitText(const Plan& nearest) {
    const MemoryBreakdown& memory = nearest.memory;
    const std::string layout = nearest.scenario.stack + " " + planLayoutText(nearest.scenario);
    if (memory.ofNode().verdict() > memory.onDevice) {
        return "does not fit: " + hostNeedText(memory.ofNode()) + ", in " + layout;
    }
    const ByteScale scale = byteScaleFor(memory.peak.value);
    const std::string unit(scale.unit);
    return std::string(fitText(memory.verdict)) + ": " + scale.text(memory.peak.value) + " of " +
           scale.text(memory.room()) + " " + unit + ", short by " +
           scale.text(memory.peak.value - memory.room()) + " " + unit + ", in " + layout;
}

/// "likely fits (--allow tight takes it): ddp dp=8", and how much the host must have.
std::string unsureText(const Plan& plan) {
    const HostNeed& host = plan.memory.ofNode();
    const std::string stated =
        host.isUnknown() ? "; " + hostNeedText(host) + " (" + std::string(host.flag) + " states it)"
                         : "";
    return std::string(fitText(plan.memory.verdict)) +
           " (--allow tight takes it): " + plan.scenario.stack + " " +
           planLayoutText(plan.scenario) + stated;
}

/// Why a job has no plan on so many nodes, or none that surely fits.
struct WhyMisfit {
    std::string why;               ///< empty: it has one
    bool isOfLayout = false;       ///< of a layout, and not that there is none
    std::optional<Error> error{};  ///< the question itself is refused
};

WhyMisfit reasonOf(const PlanReport& report) {
    if (!report.plans.empty()) {
        const Plan& plan = report.plans.front();
        return {plan.memory.verdict == Verdict::Fits ? whyNoEnd(plan) : unsureText(plan), true};
    }
    if ((report.isNotModelled() || report.refused) && !report.rejections.empty()) {
        return {(report.isNotModelled() ? "not modelled: " : "") + report.rejections.front().why};
    }
    if (report.misses.empty()) {
        return {"no stack takes any layout"};
    }
    return {misfitText(report.misses.front()) + unmodelledText(report), true};
}

Result<WhyMisfit> whyMisfit(const Question& job,
                            const SizeLine& line,
                            const SizeAmount& amount,
                            const Workbench& bench,
                            const Watch& watch,
                            SizeWork& work) {
    FABRICAST_ASSIGN(const Question here, jobOn(job, line, amount));
    FABRICAST_ASSIGN(SearchRequest request, searchRequest(here, bench));
    FABRICAST_TRY(checkSearchSize(request.task.base.model, request.task.base.cluster, kPlanSize));
    request.options.misses = 1;
    request.options.mostWalked = std::clamp(work.left, kMostEventsOfMany, kMostEventsWalked);
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    FABRICAST_ASSIGN(const PlanReport report, searched(request, *timing, {.stop = watch.stop}));
    FABRICAST_TRY(watch.check());
    work.left -= report.walked;
    work.isCutShort = work.isCutShort || !report.cutShort.empty();
    return reasonOf(report);
}

/// What the first job lacks that does.
Result<WhyMisfit> whyOfJobs(std::span<const Question> jobs,
                            const SizeLine& line,
                            const SizeAmount& amount,
                            const Workbench& bench,
                            const Watch& watch,
                            SizeWork& work) {
    for (const Question& job : jobs) {
        Result<WhyMisfit> why = whyMisfit(job, line, amount, bench, watch, work);
        if (!why && why.error().code == Error::Code::Stopped) {
            return why;
        }
        if (!why || !why->why.empty()) {
            return why ? *why : WhyMisfit{why.error().why, false, why.error()};
        }
    }
    return WhyMisfit();
}

/// What every box is refused for alike is no fault of any box.
Result<void> mistypedIn(std::span<const std::optional<Error>> errors) {
    const bool isSame =
        !errors.empty() && std::ranges::all_of(errors, [&](const std::optional<Error>& one) {
            return one && one->code == Error::Code::BadInput &&
                   one->text() == errors.front()->text();
        });
    return isSame ? tl::unexpected(*errors.front()) : Result<void>();
}

}  // namespace

Result<std::vector<SizeMisfit>> sizeMisfits(std::span<const Question> jobs,
                                            const SizeCatalogue& catalogue,
                                            const Workbench& bench,
                                            const Watch& watch,
                                            SizeWork& work) {
    std::vector<SizeMisfit> misfits;
    std::optional<std::size_t> had;  // the line that has its reason
    std::vector<std::optional<Error>> errors;
    // From the largest number of nodes down, until there is a layout to tell about.
    for (std::size_t left = catalogue.candidates.size(); left > 0; --left) {
        const SizeCandidate& one = catalogue.candidates[left - 1];
        if (had == one.line) {
            continue;
        }
        if (work.left <= 0) {
            work.isCutShort = true;
            break;
        }
        const SizeLine& line = catalogue.lines[one.line];
        FABRICAST_ASSIGN(const WhyMisfit why,
                         whyOfJobs(jobs, line, one.amount, bench, watch, work));
        const bool isLast = left == 1 || catalogue.candidates[left - 2].line != one.line;
        if (why.isOfLayout || isLast) {
            had = one.line;
        }
        if (had == one.line && !why.why.empty()) {
            const std::string of = line.fabric.empty() ? "" : " on " + line.fabric;
            misfits.push_back({line.box + of, one.amount.nodes, why.why});
            errors.push_back(why.error);
        }
    }
    FABRICAST_TRY(mistypedIn(errors));
    std::ranges::reverse(misfits);
    return misfits;
}

}  // namespace fabricast
