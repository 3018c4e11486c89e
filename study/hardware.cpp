#include "study/hardware.h"

#include "planner/base/words.h"
#include "planner/budget/cost_of.h"
#include "planner/load/load_question.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/plan_views.h"
#include "planner/text/shell_text.h"
#include "study/one_price_note.h"
#include "study/plan.h"
#include "study/targets.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr double kYearHours = 8766.0;
constexpr double kMonthHours = kYearHours / 12.0;

Edit bestAlone() {
    return {"search.top", "1", "--top"};
}

GpuOffer offerOf(const Plan& plan, const BudgetFacts& asked) {
    const ClusterSpec& cluster = plan.scenario.cluster;
    BudgetFacts rented = asked;
    rented.kind = asked.kind == PriceKind::Owned ? PriceKind::OnDemand : asked.kind;
    BudgetFacts bought = asked;
    bought.kind = PriceKind::Owned;
    bought.perGpuHour.reset();
    const std::string& gpu = cluster.node.gpu.name;
    GpuOffer offer{.rent = costBasis(cluster, cluster.gpus(), rented),
                   .rented = gpuHour(gpu, plan.cost->power, rented),
                   .purchase = costBasis(cluster, cluster.gpus(), bought),
                   .owned = gpuHour(gpu, plan.cost->power, bought)};
    if (offer.owned.price) {
        const double years = *bought.price.ownership.years.value;
        offer.whole = Usd(offer.owned.hardware.count() * years * kYearHours);
        offer.months =
            offer.rented.price
                ? monthsToPayOff(*offer.whole, *offer.rented.price, offer.owned.electricity)
                : std::nullopt;
    }
    return offer;
}

std::string whyNone(const PlanReport& report) {
    if (report.isNotModelled() || report.refused) {
        return (report.isNotModelled() ? "not modelled: " : "") + report.rejections.front().why;
    }
    if (report.misses.empty()) {
        return "no layout was found";
    }
    const MemoryBreakdown& nearest = report.misses.front().memory;
    return "does not fit, nearest " +
           (nearest.ofNode().verdict() > nearest.onDevice
                ? hostNeedText(nearest.ofNode())
                : gibText(nearest.peak.value) + " of " + gibText(nearest.room()) + " GiB") +
           unmodelledText(report);
}

/// A box is named by -c alone: what else names one would be ignored.
Result<void> checkNamesNoBox(const Question& question) {
    for (const Edit& edit : question.edits) {
        const bool isBox = edit.path == "cluster" || edit.path == "cluster.gpu" ||
                           (edit.path == "cluster.name" && edit.origin != "-c");
        if (isBox) {
            return fail(Error::Code::BadInput,
                        edit.origin,
                        "\"" + edit.path + "\" names another cluster beside those of -c",
                        "one more -c, or --set cluster.nodes=…");
        }
    }
    return {};
}

/// Another box, with everything that was typed about boxes: a cluster typed alone has nothing of
/// the one before.
std::vector<Edit> boxEdits(const Question& question, const std::string& name) {
    std::vector<Edit> edits = {{"cluster.name", name, "-c"}, bestAlone()};
    for (const Edit& edit : question.edits) {
        if (edit.path.starts_with("cluster.") && edit.path != "cluster.name") {
            edits.push_back(edit);
        }
    }
    return edits;
}

struct BoxNotes {
    std::string name;
    std::vector<std::string> notes;
};

/// What is the same on each box is said once, of none of them.
void addBoxNotes(const std::vector<BoxNotes>& boxes, std::vector<std::string>& notes) {
    for (const BoxNotes& box : boxes) {
        for (const std::string& note : box.notes) {
            const bool isOfAll =
                boxes.size() > 1 && std::ranges::all_of(boxes, [&note](const BoxNotes& other) {
                    return std::ranges::find(other.notes, note) != other.notes.end();
                });
            std::string line = isOfAll ? note : noteAbout(box.name, note);
            if (std::ranges::find(notes, line) == notes.end()) {
                notes.push_back(std::move(line));
            }
        }
    }
}

/// Also adds what its plans assume, and to the answer what they are about.
Result<BoxAnswer> boxOf(const Question& question,
                        const std::string& name,
                        const std::vector<Edit>& edits,
                        const Workbench& bench,
                        const Watch& watch,
                        HardwareAnswer& answer,
                        std::vector<BoxNotes>& notes) {
    FABRICAST_ASSIGN(const Question here, with(question, edits));
    FABRICAST_ASSIGN(const BudgetFacts budget,
                     loadBudget(here.root, bench.profiles(), here.folders));
    BoxAnswer box{.name = name};
    Result<PlanReport> planned = plan(here, {}, bench, {.stop = watch.stop});
    if (!planned && planned.error().code == Error::Code::Unsupported) {
        box.why = "not modelled: " + planned.error().why;
        return box;
    }
    FABRICAST_ASSIGN(PlanReport report, std::move(planned));
    notes.push_back({.name = name, .notes = report.notes});
    answer.model = report.question.model.name;
    answer.sequence = report.question.workload.sequence;
    box.cluster = report.question.cluster;
    if (report.plans.empty()) {
        box.why = whyNone(report);
        return box;
    }
    box.plan = std::move(report.plans.front());
    box.offer = offerOf(*box.plan, budget);
    return box;
}

BoxAnswer refusedBox(const std::string& name, const Error& error) {
    BoxAnswer box{.name = name};
    box.why = error.why;
    box.refusal = error;
    return box;
}

bool isRefused(const BoxAnswer& box) {
    return box.refusal.has_value();
}

/// A price that was given is that of every GPU that is compared.
void notePriceOfAll(bool isGiven, HardwareAnswer& answer) {
    std::vector<std::string> gpus;
    for (const BoxAnswer& box : answer.boxes) {
        if (box.plan && std::ranges::find(gpus, box.cluster.node.gpu.name) == gpus.end()) {
            gpus.push_back(box.cluster.node.gpu.name);
        }
    }
    if (std::string note = isGiven ? onePriceNote(gpus) : ""; !note.empty()) {
        answer.notes.push_back(std::move(note));
    }
}

/// Of the plans that surely fit, the one with the least of a number.
template <class Value>
std::optional<std::size_t> leastOf(const std::vector<BoxAnswer>& boxes, Value value) {
    std::optional<std::size_t> least;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const std::optional<Plan>& plan = boxes[i].plan;
        if (!plan || plan->memory.verdict != Verdict::Fits || !value(*plan)) {
            continue;
        }
        if (!least || *value(*plan) < *value(*boxes[*least].plan)) {
            least = i;
        }
    }
    return least;
}

}  // namespace

std::optional<double> monthsToPayOff(Usd whole, UsdPerHour rent, UsdPerHour electricity) {
    const double saved = (rent.count() - electricity.count()) * kMonthHours;
    return saved > 0.0 ? std::optional(whole.count() / saved) : std::nullopt;
}

Result<HardwareAnswer> whichHardware(const Question& question,
                                     std::span<const std::string> clusters,
                                     const Workbench& bench,
                                     const Watch& watch,
                                     BadBox bad,
                                     std::string_view own) {
    FABRICAST_TRY(checkNamesNoBox(question));
    HardwareAnswer answer;
    std::vector<BoxNotes> notes;
    for (const std::string& name : clusters) {
        watch.say(name);
        const std::vector<Edit> edits =
            name == own ? std::vector<Edit>{bestAlone()} : boxEdits(question, name);
        Result<BoxAnswer> box = boxOf(question, name, edits, bench, watch, answer, notes);
        answer.stopped = !box && box.error().code == Error::Code::Stopped && !answer.boxes.empty();
        if (answer.stopped) {
            break;
        }
        answer.boxes.push_back(box ? *std::move(box) : refusedBox(name, box.error()));
        if (answer.boxes.back().refusal && bad == BadBox::EndsAll) {
            return tl::unexpected(*answer.boxes.back().refusal);
        }
    }
    if (!answer.boxes.empty() && std::ranges::all_of(answer.boxes, &isRefused)) {
        return tl::unexpected(*answer.boxes.front().refusal);
    }
    addBoxNotes(notes, answer.notes);
    FABRICAST_ASSIGN(const BudgetFacts budget,
                     loadBudget(question.root, bench.profiles(), question.folders));
    notePriceOfAll(budget.perGpuHour.has_value(), answer);
    answer.cheapest = leastOf(answer.boxes, &dollarsPerMtok);
    answer.fastest = leastOf(answer.boxes, [](const Plan& plan) -> std::optional<double> {
        return 1.0 / plan.step.tokensPerSecond;
    });
    return answer;
}

std::string oneOrSize(std::span<const std::string> clusters, std::span<const std::string> targets) {
    if (targets.empty() || std::ranges::any_of(targets, &isTargetOfStep)) {
        return "one -c";
    }
    std::string command = "one -c, or fabricast size";
    for (const std::string& cluster : clusters) {
        command += " -c " + shellWord(cluster);
    }
    for (const std::string& target : targets) {
        command += " --target " + shellWord(target);
    }
    return command + " with the rest of it: the cheapest cluster that reaches that";
}

}  // namespace fabricast
