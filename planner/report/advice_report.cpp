#include "planner/report/advice_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/plan_views.h"
#include "planner/report/subject_words.h"
#include "planner/report/surer_report.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace fabricast {
namespace {

std::string gib(const Plan& plan) {
    constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
    return fmt::format("{:.1f}{}",
                       static_cast<double>(plan.memory.peak.value.count()) / kGib,
                       doubtMark(plan.memory.onDevice));
}

std::string planStepText(const Plan& plan) {
    return fmt::format("{:.3f}", plan.step.step.value.count());
}

std::string perMtok(const Plan& plan) {
    const bool known = plan.cost && plan.cost->perMtok;
    return known ? dollarText(plan.cost->perMtok->value.count()) : "-";
}

/// "fsdp2 dp=8,shard=fsdp,recompute=full".
std::string planName(const Plan& plan) {
    return plan.scenario.stack + " " + planLayoutText(plan.scenario);
}

std::string_view answerWord(AdviceAnswer answer) {
    return answer == AdviceAnswer::NotModelled ? "not modelled" : nameOf(answer);
}

Table stepTable(const Advice& advice) {
    Table table{{{""},
                 {"way to train"},
                 {"answer"},
                 {"step s", Align::Right},
                 {"GiB", Align::Right},
                 {"$/Mtok", Align::Right},
                 {"why"}},
                {}};
    for (std::size_t i = 0; i < advice.steps.size(); ++i) {
        const AdviceStep& step = advice.steps[i];
        if (step.answer == AdviceAnswer::NotAsked) {
            continue;
        }
        table.rows.push_back({advice.recommended == i ? ">" : "",
                              fmt::format("{}: {}", step.key, step.question),
                              std::string(answerWord(step.answer)),
                              step.timed ? planStepText(*step.plan) : "-",
                              step.plan ? gib(*step.plan) : "-",
                              step.timed ? perMtok(*step.plan) : "-",
                              step.why});
    }
    return table;
}

/// "not asked: hsdp (one node); context, ulysses (sequences below 32768)".
std::string notAskedText(const Advice& advice) {
    std::string text;
    std::string last;
    for (const AdviceStep& step : advice.steps) {
        if (step.answer != AdviceAnswer::NotAsked) {
            continue;
        }
        if (!last.empty()) {
            text += step.why == last ? ", " : fmt::format(" ({}); ", last);
        }
        text += step.key;
        last = step.why;
    }
    return text.empty() ? "" : fmt::format("not evaluated: {} ({})\n", text, last);
}

Table layoutTable(const Advice& advice) {
    Table table{{{"way to train"}, {"its best layout"}}, {}};
    for (const AdviceStep& step : advice.steps) {
        if (step.timed) {
            table.rows.push_back({step.key, planName(*step.plan)});
        }
    }
    return table;
}

/// Where a situation has no way to train: it is held to how surely the recommended one fits now.
std::string nothingThen(const Advice& advice) {
    if (advice.most) {
        return "nothing below the cost limit";
    }
    const bool isUnsureNow =
        advice.recommended && isUnsure(advice.steps[*advice.recommended].plan->memory.verdict);
    return isUnsureNow ? "nothing fits as surely" : "nothing surely fits";
}

Table changeTable(const Advice& advice) {
    Table table{{{"what would change the recommendation"},
                 {"then"},
                 {"step s", Align::Right},
                 {"GiB", Align::Right},
                 {"$/Mtok", Align::Right},
                 {"layout"}},
                {}};
    for (const AdviceChange& change : advice.changes) {
        if (!change.plan) {
            table.rows.push_back({change.change, nothingThen(advice), "-", "-", "-", ""});
            continue;
        }
        const Plan& plan = *change.plan;
        table.rows.push_back({change.change,
                              change.same ? "still " + change.key : change.key,
                              planStepText(plan),
                              gib(plan),
                              perMtok(plan),
                              planName(plan)});
    }
    return table;
}

std::string wholeRunText(const Plan& plan) {
    if (!plan.cost || !plan.cost->run) {
        return "";
    }
    const RunTotals& run = *plan.cost->run;
    return fmt::format(", {}{} for the run",
                       runText(run.wall.value),
                       run.price ? " and " + dollarText(run.price->value.count()) : "");
}

/// "; 2 ways are not modelled: lora, qlora".
std::string notModelledText(const Advice& advice) {
    std::string names;
    std::size_t count = 0;
    for (const AdviceStep& step : advice.steps) {
        if (step.answer == AdviceAnswer::NotModelled) {
            names += (names.empty() ? "" : ", ") + step.key;
            ++count;
        }
    }
    return count == 0
               ? ""
               : fmt::format(
                     "; {} {} not modelled: {}", count, count == 1 ? "way is" : "ways are", names);
}

/// What to know where nothing is recommended: what the money lacks, or that nothing fits.
std::string nothingText(const Advice& advice) {
    const AdviceStep* cheapest = advice.most ? cheapestStep(advice) : nullptr;
    if (cheapest == nullptr && !advice.hasLayouts() && !advice.stopped) {
        return "no way to train has a layout here" +
               (advice.otherBatch.empty() ? "" : "; try " + advice.otherBatch);
    }
    if (cheapest == nullptr) {
        return "none of the evaluated ways fits here" + notModelledText(advice);
    }
    const double price = cheapest->plan->cost->run->price->value.count();
    const double share = advice.most->count() / price;
    const double tokens = static_cast<double>(advice.basis.tokens.value_or(Tokens()).count());
    return fmt::format(
        "nothing costs at most {}: the cheapest is {}, {}; {} trains {} tokens, "
        "{} of them{}",
        dollarText(advice.most->count()),
        (cheapest->set.empty() ? "" : cheapest->key + ": ") + planName(*cheapest->plan),
        dollarText(price),
        dollarText(advice.most->count()),
        shortText(Tokens(std::llround(share * tokens))),
        percentText(share),
        notModelledText(advice));
}

std::string adviceQuestion(const Advice& advice) {
    const Scenario& question = advice.question;
    return fmt::format("{} on {}, sequence {}, global batch {}{}",
                       question.model.name,
                       clusterText(question.cluster),
                       question.workload.sequence,
                       question.workload.globalBatch,
                       advice.most ? ", at most " + dollarText(advice.most->count()) : "");
}

/// What the money in the tables rests on, or why there is none.
std::string basisText(const Advice& advice) {
    const RunCost* cost = nullptr;
    for (const AdviceChange& change : advice.changes) {
        cost = change.plan && change.plan->cost ? &*change.plan->cost : cost;
    }
    for (const AdviceStep& step : advice.steps) {
        cost = step.timed && step.plan->cost ? &*step.plan->cost : cost;
    }
    if (advice.recommended && advice.steps[*advice.recommended].plan->cost) {
        cost = &*advice.steps[*advice.recommended].plan->cost;
    }
    return cost == nullptr ? ""
                           : fmt::format("\n$: {} (site {})\n",
                                         priceText(cost->gpuHour, advice.basis),
                                         advice.basis.site) +
                                 noProgressText(cost->goodput);
}

/// Where the recommended plan keeps states, and what its time then rests on.
std::string adviceOffload(const Advice& advice) {
    if (!advice.recommended) {
        return "";
    }
    const AdviceStep& step = advice.steps[*advice.recommended];
    if (step.plan->scenario.layout.offload == Offload::None) {
        return "";
    }
    std::string text =
        fmt::format("\n{}: {}\n", step.key, hostNeedText(step.plan->memory.ofNode()));
    for (const std::string& note : step.plan->step.notes) {
        text += "  " + note + "\n";
    }
    return text;
}

std::string surerParagraph(const Advice& advice) {
    return advice.surer ? "\n" + surerLine(advice.surer) : "";
}

/// What ended at its limit of work before all was looked at.
std::string adviceCut(const Advice& advice) {
    std::string text;
    for (const AdviceStep& step : advice.steps) {
        text += step.cutShort.empty() ? ""
                                      : fmt::format("cut short: {}: {}\n", step.key, step.cutShort);
    }
    for (const AdviceChange& change : advice.changes) {
        text += change.isCut
                    ? fmt::format("cut short: {}: not all layouts were looked at\n", change.change)
                    : "";
    }
    for (const std::string& change : advice.notLookedAt) {
        text += fmt::format("cut short: {}: not looked at\n", change);
    }
    return text;
}

std::string adviceNotes(const Advice& advice) {
    std::string text =
        (advice.stopped ? "stopped: what is not listed was not evaluated\n" : std::string()) +
        adviceCut(advice);
    for (const std::string& note : advice.notes) {
        text += noteLine(note) + "\n";
    }
    return text;
}

}  // namespace

const AdviceStep* cheapestStep(const Advice& advice) {
    const AdviceStep* cheapest = nullptr;
    for (const AdviceStep& step : advice.steps) {
        const bool priced = step.timed && step.plan->cost && step.plan->cost->run &&
                            step.plan->cost->run->price && step.plan->fitsHost();
        const auto price = [](const AdviceStep& one) { return one.plan->cost->run->price->value; };
        if (priced && (cheapest == nullptr || price(step) < price(*cheapest))) {
            cheapest = &step;
        }
    }
    return cheapest;
}

std::string adviceHead(const Advice& advice) {
    if (!advice.recommended) {
        return nothingText(advice);
    }
    const AdviceStep& step = advice.steps[*advice.recommended];
    const Plan& plan = *step.plan;
    const bool priced = plan.cost && plan.cost->perMtok;
    const HostNeed& host = plan.memory.ofNode();
    return fmt::format("{}{}: {} s a step{}{}{}",
                       step.set.empty() ? "" : step.key + ": ",
                       planName(plan),
                       planStepText(plan),
                       priced ? ", " + perMtok(plan) + " per million tokens" : "",
                       wholeRunText(plan),
                       host.isUnknown() ? fmt::format(", if each node has {} of {} ({} states it)",
                                                      shortText(host.perNode),
                                                      host.what,
                                                      host.flag)
                                        : "") +
           notModelledText(advice);
}

Report adviceReport(const Advice& advice) {
    const Table ways = stepTable(advice);
    BarChart bars = barsOf(ways, "way to train", "step s");
    bars.title = "Seconds of a step, by way to train";
    Report report(fmt::format("ADVICE  {}\n  {}\n\n", adviceHead(advice), adviceQuestion(advice)));
    report.add(ways).add(std::move(bars), 2).add(notAskedText(advice) + "\n");
    if (Table layouts = layoutTable(advice); !layouts.rows.empty()) {
        report.add(std::move(layouts)).add("\n");
    }
    if (Table changes = changeTable(advice); !changes.rows.empty()) {
        report.add(std::move(changes));
    }
    report.add(surerParagraph(advice) + adviceOffload(advice) + basisText(advice) +
               adviceNotes(advice));
    return report;
}

std::string adviceMarkdown(const Advice& advice) {
    const Table layouts = layoutTable(advice);
    const Table changes = changeTable(advice);
    return fmt::format("**ADVICE** {}\n\n{}\n\n{}\n{}\n{}{}{}{}",
                       adviceHead(advice),
                       adviceQuestion(advice),
                       markdownText(stepTable(advice)),
                       notAskedText(advice),
                       layouts.rows.empty() ? "" : markdownText(layouts) + "\n",
                       changes.rows.empty() ? "" : markdownText(changes),
                       surerParagraph(advice) + adviceOffload(advice) + basisText(advice),
                       adviceNotes(advice));
}

}  // namespace fabricast
