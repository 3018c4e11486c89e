#include "planner/base/words.h"
#include "planner/load/load_question.h"
#include "planner/load/measured_notes.h"
#include "planner/report/check_words.h"
#include "planner/report/plan_views.h"
#include "planner/report/size_report.h"
#include "planner/result/answer_names.h"
#include "study/own_measurements.h"
#include "study/question_inputs.h"
#include "study/size.h"
#include "study/size_search.h"
#include "study/size_verdicts.h"
#include "study/sweep_rows.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kTargetKey = "target.";

/// The question of a point.
struct SizedPoint {
    std::vector<Question> jobs;
    SizeAsk ask;
};

/// Whether an edit is about the catalogue or a target, and not about what is trained.
Result<bool> takeAsAsk(const Edit& edit, SizeAsk& ask) {
    const std::vector<std::string> value = {edit.value};
    if (edit.path.starts_with(kTargetKey)) {
        FABRICAST_ASSIGN(const std::vector<SizeTarget> targets,
                         readSizeTargets({edit.path.substr(kTargetKey.size()) + "=" + edit.value}));
        ask.targets.push_back(targets.front());
    } else if (edit.path == "cluster.name") {
        ask.clusters = value;
    } else if (edit.path == "cluster.gpu") {
        ask.gpus = value;
    } else if (edit.path == "cluster.fabric") {
        ask.fabrics = value;
    } else if (edit.path == "cluster.nodes") {
        FABRICAST_ASSIGN(ask.nodes, readCounts(value, "--sweep cluster.nodes"));
    } else if (edit.path == "cluster.gpus") {
        FABRICAST_ASSIGN(ask.parts, readCounts(value, "--sweep cluster.gpus"));
    } else {
        return false;
    }
    return true;
}

Result<SizedPoint> pointOf(const std::vector<Question>& jobs,
                           const SizeAsk& ask,
                           const std::vector<Edit>& point) {
    SizedPoint here{.ask = ask};
    std::vector<Edit> edits;
    for (const Edit& edit : point) {
        FABRICAST_ASSIGN(const bool isAsk, takeAsAsk(edit, here.ask));
        if (!isAsk) {
            edits.push_back(edit);
        }
    }
    for (const Question& job : jobs) {
        FABRICAST_ASSIGN(Question edited, with(job, edits));
        here.jobs.push_back(std::move(edited));
    }
    return here;
}

void addNumber(JsonText& json, const std::string& key, const std::optional<Headline<double>>& of) {
    if (of) {
        json.add(key, of->value);
        json.add(key + "_lo", of->lo);
        json.add(key + "_hi", of->hi);
    }
}

/// What the numbers lean on, and what was stated in vain.
Result<void> addNotesOf(JsonText& json,
                        const SizedCluster& one,
                        const SizeCatalogue& catalogue,
                        std::span<const Question> jobs,
                        const Workbench& bench) {
    if (one.plans.empty()) {
        return {};
    }
    const Question& job = jobs.front();
    const ClusterSpec& cluster = one.plans.front().scenario.cluster;
    FABRICAST_ASSIGN(const BudgetFacts budget, loadBudget(job.root, bench.profiles(), job.folders));
    FABRICAST_ASSIGN(auto notes, correctionNotes(cluster, bench.profiles()));
    FABRICAST_ASSIGN(const auto own, ownMeasurementNotes(one.plans, budget, bench));
    addNotes(own, notes);
    if (const std::string measured = leanedOn(notes); !measured.empty()) {
        json.add("measured", measured);
    }
    const SizedCluster* const shown = &one;
    FABRICAST_ASSIGN(const auto idle, idleInJobs(jobs, {&shown, 1}, catalogue, bench));
    if (!idle.empty()) {
        json.add("no_effect", joined(idle, "; "));
    }
    return {};
}

void addSized(JsonText& json, const SizedCluster& one, bool hasTokens) {
    if (!one.verdicts.empty()) {
        json.add("verdict", nameOf(one.isSure() ? CheckVerdict::Holds : CheckVerdict::CannotTell));
    }
    json.add("box", one.box);
    if (!one.fabric.empty()) {
        json.add("fabric", one.fabric);
    }
    json.add("nodes", one.nodes);
    json.add("gpus", one.gpus);
    addNumber(json, hasTokens ? "usd" : "usd_per_hour", valueOf(one, SizeMetric::Budget));
    if (hasTokens) {
        addNumber(json, "days", valueOf(one, SizeMetric::Days));
    }
    addNumber(json, "tokens_per_s", valueOf(one, SizeMetric::TokensPerSecond));
    if (one.power) {
        json.add("watts", one.power->count());
    }
    std::string plans;
    for (const Plan& plan : one.plans) {
        plans +=
            (plans.empty() ? "" : "; ") + plan.scenario.stack + " " + planLayoutText(plan.scenario);
    }
    json.add("plan", plans);
}

/// Why there is none: what comes nearest to a target that none reaches.
Result<std::string> whyNoCluster(SizeSearch& search, const SizeAsk& ask) {
    for (const SizeTarget& target : ask.targets) {
        FABRICAST_TRY(search.findNearest(target));
    }
    std::string why;
    for (const SizeTarget& target : ask.targets) {
        const std::optional<std::size_t> place = search.nearestTo(target);
        if (!place) {
            continue;
        }
        const SizedCluster& one = search.found()[*place];
        if (const auto value = valueOf(one, target.metric); value && missRatio(one, target) > 1.0) {
            why += (why.empty() ? "nearest: " : "; ") + sizedClusterText(one) + ", " +
                   sizeValueText(target.metric, value->value);
        }
    }
    if (!why.empty()) {
        return why;
    }
    const auto reason = std::ranges::find_if(
        search.found(), [](const SizedCluster& one) { return !one.why.empty(); });
    return reason != search.found().end() ? reason->why
                                          : std::string("no cluster reaches all targets");
}

Result<void> answerPoint(const SizedPoint& here,
                         const Workbench& bench,
                         const Watch& watch,
                         JsonText& json) {
    FABRICAST_TRY(checkSizeJobs(here.jobs, here.ask));
    FABRICAST_ASSIGN(const SizeCatalogue catalogue, sizeCatalogue(here.jobs, here.ask, bench));
    SizeWork work = workFor(watch);
    SizeSearch search(here.jobs, catalogue.ask, catalogue, bench, watch, work);
    FABRICAST_TRY(search.findLeast());
    if (work.isCutShort) {
        json.add("cut_short", true);
    }
    if (search.pick()) {
        const SizedCluster& pick = search.found()[*search.pick()];
        addSized(json, pick, catalogue.hasTokens);
        return addNotesOf(json, pick, catalogue, here.jobs, bench);
    }
    if (catalogue.candidates.empty() && !catalogue.leftOut.empty()) {
        json.add("why", catalogue.leftOut.front().what + ": " + catalogue.leftOut.front().why);
        return {};
    }
    FABRICAST_ASSIGN(const std::string why, whyNoCluster(search, catalogue.ask));
    json.add("why", why);
    return {};
}

void addAsked(std::string& said, const char* key, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
        said += "\n" + std::string(key) + "=" + value;
    }
}

/// All that decides the answer at a point.
std::string allSaid(const std::vector<Question>& jobs, const SizeAsk& ask) {
    std::string said;
    for (const Question& job : jobs) {
        said += textWithFiles(job) + "\n";
    }
    addAsked(said, "cluster", ask.clusters);
    for (const std::string& name : ask.clusters) {
        said += textBehind(name, jobs.front().folders.typed, jobs.front().folders.known);
    }
    addAsked(said, "gpu", ask.gpus);
    addAsked(said, "fabric", ask.fabrics);
    for (const SizeTarget& target : ask.targets) {
        addAsked(said, "target", {target.typed});
    }
    for (const auto* counts : {&ask.nodes, &ask.parts}) {
        for (const std::int64_t count : *counts) {
            addAsked(said, counts == &ask.nodes ? "nodes" : "gpus", {std::to_string(count)});
        }
    }
    addAsked(said, "minimize", {std::string(nameOf(aimOf(ask)))});
    addAsked(said, "most", {std::to_string(ask.mostGpus.value_or(0))});
    addAsked(said, "racks", {std::to_string(ask.racks.value_or(0))});
    addAsked(said, "power", {std::to_string(ask.powerCap.value_or(Watts()).count())});
    return said;
}

std::string typedJobs(const std::vector<Question>& jobs) {
    std::string text;
    for (const Question& job : jobs) {
        text += (text.empty() ? "" : " and ") + typed(job);
    }
    return text;
}

}  // namespace

SweepWork sizePoints(const std::vector<Question>& jobs, const SizeAsk& ask) {
    return {.schema = "fabricast.size_sweep/1",
            .question = typedJobs(jobs),
            .said = allSaid(jobs, ask),
            .folders = jobs.front().folders,
            .answer = [jobs, ask](const std::vector<Edit>& point,
                                  const Workbench& bench,
                                  const Watch& watch,
                                  JsonText& json) -> Result<void> {
                FABRICAST_ASSIGN(const SizedPoint here, pointOf(jobs, ask, point));
                return answerPoint(here, bench, watch, json);
            }};
}

std::string askedBeside(const std::string& key, const SizeAsk& ask) {
    const auto hasTarget = [&](const SizeTarget& target) {
        return key == std::string(kTargetKey) + target.typed.substr(0, target.typed.find('='));
    };
    if (std::ranges::any_of(ask.targets, hasTarget)) {
        return "--target";
    }
    const bool isBox = key == "cluster.name" || key == "cluster.gpu";
    if (isBox && !(ask.clusters.empty() && ask.gpus.empty())) {
        return ask.clusters.empty() ? "--gpu" : "-c";
    }
    if (key == "cluster.fabric" && !ask.fabrics.empty()) {
        return "--fabric";
    }
    const bool isCount = key == "cluster.nodes" || key == "cluster.gpus";
    if (isCount && !(ask.nodes.empty() && ask.parts.empty())) {
        return ask.nodes.empty() ? "--gpus" : "-n";
    }
    return "";
}

}  // namespace fabricast
