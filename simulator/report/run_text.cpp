#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/plain_number.h"
#include "planner/report/table.h"
#include "simulator/report/simulation_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

std::string percent(double share) {
    return fmt::format("{:.2f} %", 100.0 * share);
}

std::string runHead(const RunStudy& study) {
    const auto time = [](double value) { return durationText(Seconds(value)); };
    std::string text = fmt::format("RUN  {} steps in {} [{}..{}], goodput {} [{}..{}]\n",
                                   grouped(study.plan.steps),
                                   time(study.wall.mean),
                                   time(study.wall.p5),
                                   time(study.wall.p95),
                                   percent(study.goodput.mean),
                                   percent(study.goodput.p5),
                                   percent(study.goodput.p95));
    text += fmt::format(
        "  the mean of {} run{} [90 % of them]; goodput: median {}, sd {}, "
        "standard error {}; seed {}\n",
        grouped(study.runs),
        study.runs == 1 ? "" : "s",
        percent(study.goodput.p50),
        percent(study.goodput.sd),
        percent(study.goodputError()),
        study.seed);
    if (study.runs < study.asked) {
        text += fmt::format(
            "  interrupted after {} of {} runs\n", grouped(study.runs), grouped(study.asked));
    }
    return text;
}

Table timeTable(const RunTimes& mean) {
    Table table{{{"where the time goes"}, {"mean", Align::Right}, {"share", Align::Right}}, {}};
    for (const auto& [words, time] :
         {std::pair<const char*, Seconds>{"steps without trouble", mean.useful},
          {"slower steps", mean.slower},
          {"stopped by checkpoints", mean.saving},
          {"lost work", mean.lost},
          {"detection, restart, reload", mean.recovery},
          {"waiting for a node", mean.waiting}}) {
        const double share = time / mean.wall;
        if (std::abs(share) >= 5e-7) {
            table.rows.push_back({words, durationText(time), percent(share)});
        }
    }
    return table;
}

std::string closedText(const RunStudy& study) {
    std::string text = fmt::format("closed form: goodput {}, {}",
                                   percent(study.closedGoodput()),
                                   durationText(study.closedWall()));
    if (study.wallError() > 0.0) {
        const double longer = study.wall.mean / study.closedWall().count() - 1.0;
        text += fmt::format("; the mean run is {:.2f} % {}, {:+.1f} standard errors",
                            100.0 * std::abs(longer),
                            longer < 0.0 ? "shorter" : "longer",
                            study.errorsOff());
    }
    return text + (study.plan.failures.spares ? " (without waiting for spares)\n" : "\n");
}

std::string progressText(const RunStudy& study) {
    const RunFailures& failures = study.plan.failures;
    const RunSaving& saving = study.plan.saving;
    const auto stored = static_cast<double>(saving.every * saving.storedEvery);
    return noProgressText(study.closedGoodput(),
                          {.mtbf = failures.mtbf,
                           .interval = stored * study.plan.step,
                           .recovery = failures.detection + failures.restart + failures.load});
}

std::string failuresText(const RunAnswer& run) {
    const RunStudy& study = run.study;
    const RunFailures& failures = study.plan.failures;
    if (std::isinf(failures.mtbf.count())) {
        return "no failures\n";
    }
    const std::string spares = failures.spares ? fmt::format("{} spare node{}, repair takes {}",
                                                             *failures.spares,
                                                             *failures.spares == 1 ? "" : "s",
                                                             durationText(failures.repair))
                                               : std::string("unlimited spare nodes");
    return fmt::format("{} failures per run [{}..{}], one every {}; {}; site {}\n",
                       roundedNumber(study.failures.mean, 3),
                       roundedNumber(study.failures.p5, 3),
                       roundedNumber(study.failures.p95, 3),
                       durationText(failures.mtbf),
                       spares,
                       run.site);
}

std::string savingText(const RunAnswer& run) {
    const RunPlan& plan = run.study.plan;
    if (plan.saving.every >= plan.steps && plan.saving.blocking == Seconds()) {
        return "no checkpoints\n";
    }
    std::string text =
        fmt::format("saved ({}) every {}, {}, which stops the run for {}",
                    nameOf(run.checkpoint),
                    plan.saving.every == 1 ? "step" : grouped(plan.saving.every) + " steps",
                    durationText(static_cast<double>(plan.saving.every) * plan.step),
                    durationText(plan.saving.blocking));
    if (plan.saving.lag > Seconds()) {
        text += fmt::format("; {} in storage {} later",
                            plan.saving.storedEvery == 1
                                ? std::string("each")
                                : fmt::format("one of {}", plan.saving.storedEvery),
                            durationText(plan.saving.lag));
    }
    return text + "\n";
}

std::string slowerText(const RunAnswer& run) {
    const RunPlan& plan = run.study.plan;
    std::string text;
    if (run.jitter > 0.0) {
        const RunTimes& mean = run.study.mean;
        text += fmt::format(
            "kernels of a rank vary by {:.2g} %: a step takes {} on average, {:+.2f} %\n",
            100.0 * run.jitter,
            durationText(
                Seconds((mean.useful + mean.slower).count() / static_cast<double>(plan.steps))),
            100.0 * (mean.slower / mean.useful));
    }
    if (plan.spells) {
        text += fmt::format("a GPU is slow for {} every {}: steps then take {:.3g} times as long\n",
                            durationText(plan.spells->last),
                            durationText(plan.spells->every),
                            plan.spells->factor);
    }
    return text;
}

}  // namespace

Report runReport(const RunAnswer& run) {
    Report report(runHead(run.study) + closedText(run.study) + progressText(run.study) + "\n");
    report.add(timeTable(run.study.mean));
    return std::move(report.add("\n" + failuresText(run) + savingText(run) + slowerText(run)));
}

}  // namespace fabricast
