#include "gui/jobs/ask_plans.h"

#include "study/explain.h"
#include "study/plan.h"
#include "study/typed_plan.h"

#include <QElapsedTimer>
#include <QThread>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Between two partial answers.
constexpr qint64 kPartialMilliseconds = 60;
/// Before more is searched than the best, in steps in which a stop is noticed.
constexpr int kPauses = 30;
constexpr unsigned long kPauseMilliseconds = 10;

std::shared_ptr<const PlanReport> partialReport(std::span<const Plan> plans) {
    auto report = std::make_shared<PlanReport>();
    report->plans.assign(plans.begin(), plans.end());
    report->question = plans.front().scenario;
    return report;
}

/// No stack takes any layout, and other keys or another batch would mend that: an error, as on the
/// command line. What other software would take is in the report.
Result<std::shared_ptr<const PlanReport>> someLayout(PlanReport report,
                                                     const Question& question,
                                                     const Workbench& bench) {
    FABRICAST_TRY(checkAnyLayout(report, question, bench));
    return std::make_shared<const PlanReport>(std::move(report));
}

/// False where it was stopped meanwhile.
bool pause(const Watch& watch) {
    for (int i = 0; i < kPauses && !watch.stopped(); ++i) {
        QThread::msleep(kPauseMilliseconds);
    }
    return !watch.stopped();
}

/// The plans of the front behind the best ones, so that each can be looked at.
PlanReport withFrontListed(PlanReport report) {
    std::set<std::string> listed;
    for (const Plan& plan : report.plans) {
        listed.insert(typedPlan(plan));
    }
    for (const Plan& plan : report.pareto) {
        if (listed.insert(typedPlan(plan)).second) {
            report.plans.push_back(plan);
        }
    }
    return report;
}

}  // namespace

LatestJob::Work planWork(Question question,
                         const Workbench& bench,
                         SearchWidth width,
                         std::function<void(FoundPlans)> take) {
    return [question = std::move(question), bench, width, take = std::move(take)](
               const Watch& watch, const LatestJob::Post& post) {
        QElapsedTimer whole;
        whole.start();
        QElapsedTimer sincePartial;
        double seconds = 0.0;  // until the best were found; more of them come later
        const auto deliver = [&](FoundPlans found) {
            found.seconds = seconds;
            post([take, found = std::move(found)] { take(found); });
        };
        const auto onPlan = [&](std::span<const Plan> plans) {
            if (plans.empty() || watch.stopped() ||
                (sincePartial.isValid() && sincePartial.elapsed() < kPartialMilliseconds)) {
                return;
            }
            sincePartial.start();
            deliver({.report = partialReport(plans)});
        };
        Result<PlanReport> best = plan(question, {.onPlan = onPlan}, bench, watch);
        seconds = static_cast<double>(whole.nsecsElapsed()) * 1e-9;
        const bool isWidened =
            width == SearchWidth::Front && best && !best->plans.empty() && !best->stopped;
        FoundPlans found{.report = best ? someLayout(*std::move(best), question, bench)
                                        : tl::unexpected(best.error()),
                         .isAll = true,
                         .isWidened = isWidened};
        deliver(found);
        if (isWidened && pause(watch)) {
            const Result<PlanReport> front = plan(question, {.pareto = true}, bench, watch);
            if (front && !front->stopped) {
                found.report = someLayout(withFrontListed(*front), question, bench);
                found.best = front->plans.size();
            }
            found.isWidened = false;
            deliver(found);
        }
    };
}

LatestJob::Work explainWork(Question question,
                            const Workbench& bench,
                            std::function<void(FoundExplanation)> take) {
    return [question = std::move(question), bench, take = std::move(take)](
               const Watch& watch, const LatestJob::Post& post) {
        ExplainAsk ask{.memory = true, .step = true, .cost = true, .rulesOfThumb = true};
        const auto deliver = [&](const Result<Explanation>& answer) {
            FoundExplanation found{.explanation = answer.map([](const Explanation& one) {
                                       return std::make_shared<const Explanation>(one);
                                   }),
                                   .isAll = ask.faster || !answer};
            post([take, found = std::move(found)] { take(found); });
        };
        const Result<Explanation> first = explain(question, ask, bench, watch);
        deliver(first);
        if (first && !watch.stopped()) {
            ask.faster = true;
            deliver(explain(question, ask, bench, watch));
        }
    };
}

}  // namespace fabricast
