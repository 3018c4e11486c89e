#include "simulator/faults/run_study.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

namespace fabricast {
namespace {

/// Below this a run does not get on.
constexpr double kLeastGoodput = 1e-3;
/// Of one core: three quarters of an hour.
constexpr double kMostSeconds = 2.7e3;
/// What one draw of jitter, checkpoint and failure takes.
constexpr double kOfDraw = 27e-9;
constexpr double kOfSave = 21e-9;
constexpr double kOfFailure = 300e-9;

double percentile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = place - static_cast<double>(below);
    return sorted[below] + part * (sorted[above] - sorted[below]);
}

double sampled(const std::vector<RunTimes>& runs, Seconds RunTimes::*part) {
    double sum = 0.0;
    for (const RunTimes& run : runs) {
        sum += (run.*part).count();
    }
    return sum / static_cast<double>(runs.size());
}

template <class Number>
RunSpread spreadOver(const std::vector<RunTimes>& runs, const Number& number) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const RunTimes& run : runs) {
        values.push_back(number(run));
    }
    return spreadOf(std::move(values));
}

/// Checks before a run is played.
Result<void> checkPlan(const RunPlan& plan, const StudyOptions& options) {
    if (closedGoodput(plan, plan.step) < kLeastGoodput) {
        return fail(Error::Code::BadInput,
                    "--failures",
                    "the run makes no progress: failures occur faster than it recovers",
                    "a longer --mtbf, or --checkpoint two_level");
    }
    if (!(expectedSeconds(plan, options.runs) < kMostSeconds)) {
        return fail(Error::Code::Unsupported,
                    "--runs",
                    "this many runs of this many steps would take hours",
                    "fewer --runs, or fewer --steps");
    }
    return {};
}

/// The runs that are over, in their order.
std::vector<RunTimes> playRuns(const RunPlan& plan, const StudyOptions& options) {
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(options.runs));
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
    std::atomic<std::size_t> done = 0;
    const JitterDraw draw(plan.jitter);
    const auto play = [&](std::uint64_t run) {
        StepClock clock(plan, draw, options.seed, run);
        const std::optional<RunTimes> times =
            playRun(plan, clock, randomFailures(plan.failures, options.seed, run), options.stopped);
        if (options.progress && times) {
            options.progress(++done, numbers.size());
        }
        return times;
    };
    std::vector<RunTimes> runs;
    const auto played = parallelMap(numbers, play, {.threads = options.threads});
    for (const std::optional<RunTimes>& run : played.value()) {
        if (run) {
            runs.push_back(*run);
        }
    }
    return runs;
}

RunTimes meanOf(const std::vector<RunTimes>& runs, double failures) {
    RunTimes mean;
    for (Seconds RunTimes::*const part : {&RunTimes::wall,
                                          &RunTimes::useful,
                                          &RunTimes::slower,
                                          &RunTimes::saving,
                                          &RunTimes::lost,
                                          &RunTimes::recovery,
                                          &RunTimes::waiting}) {
        mean.*part = Seconds(sampled(runs, part));
    }
    mean.failures = std::llround(failures);
    return mean;
}

}  // namespace

RunSpread spreadOf(std::vector<double> values) {
    std::ranges::sort(values);
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0.0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return {.mean = mean,
            .sd = values.size() > 1 ? std::sqrt(squares / (count - 1.0)) : 0.0,
            .p5 = percentile(values, 0.05),
            .p50 = percentile(values, 0.5),
            .p95 = percentile(values, 0.95)};
}

double expectedSeconds(const RunPlan& plan, std::int64_t runs) {
    const double share = closedGoodput(plan, plan.step);
    if (share < kLeastGoodput) {
        return 0.0;
    }
    const auto steps = static_cast<double>(plan.steps);
    const double draws = plan.jitter.empty() ? 0.0 : steps;
    const double saves = steps / static_cast<double>(plan.saving.every);
    const double failures = plan.useful() / plan.failures.mtbf / share;
    return static_cast<double>(runs) * (kOfDraw * draws + kOfSave * saves + kOfFailure * failures) /
           share;
}

double RunStudy::goodputError() const {
    return goodput.sd / std::sqrt(static_cast<double>(runs));
}

double RunStudy::wallError() const {
    return wall.sd / std::sqrt(static_cast<double>(runs));
}

Seconds RunStudy::closedWall() const {
    return Seconds((mean.useful + mean.slower).count() / closedShare);
}

double RunStudy::errorsOff() const {
    const double error = wallError();
    return error > 1e-12 * wall.mean ? (wall.mean - closedWall().count()) / error : 0.0;
}

Result<RunStudy> studyRuns(const RunPlan& plan, const StudyOptions& options) {
    FABRICAST_TRY(checkPlan(plan, options));
    const std::vector<RunTimes> runs = playRuns(plan, options);
    if (runs.empty()) {
        return fail(Error::Code::Stopped,
                    "",
                    "interrupted before the first run was complete",
                    "fewer --steps");
    }
    RunStudy study{.plan = plan,
                   .seed = options.seed,
                   .asked = options.runs,
                   .runs = static_cast<std::int64_t>(runs.size())};
    study.goodput = spreadOver(runs, [](const RunTimes& run) { return run.goodput(); });
    study.wall = spreadOver(runs, [](const RunTimes& run) { return run.wall.count(); });
    study.failures =
        spreadOver(runs, [](const RunTimes& run) { return static_cast<double>(run.failures); });
    study.mean = meanOf(runs, study.failures.mean);
    const auto steps = static_cast<double>(plan.steps);
    study.closedShare =
        closedGoodput(plan, Seconds((study.mean.useful + study.mean.slower).count() / steps));
    return study;
}

}  // namespace fabricast
