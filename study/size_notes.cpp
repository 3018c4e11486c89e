#include "planner/base/words.h"
#include "planner/load/load_question.h"
#include "study/idle_settings.h"
#include "study/one_price_note.h"
#include "study/own_measurements.h"
#include "study/search_request.h"
#include "study/size_line.h"
#include "study/size_verdicts.h"
#include "study/typed_plan.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fabricast {
namespace {

using Notes = std::vector<std::string>;

struct ShownBox {
    const SizeLine* line = nullptr;
    SizeAmount amount;  ///< the most that is shown of it: several nodes have a network
    std::vector<Plan> plans{};
    Notes notes{};
};

void addOnce(Notes& notes, std::string note) {
    if (std::ranges::find(notes, note) == notes.end()) {
        notes.push_back(std::move(note));
    }
}

/// Null where there is none.
const SizeLine* catalogueLine(const SizedCluster& cluster, const SizeCatalogue& catalogue) {
    const auto line = std::ranges::find_if(catalogue.lines, [&cluster](const SizeLine& one) {
        return one.box == cluster.box && one.fabric == cluster.fabric;
    });
    return line == catalogue.lines.end() ? nullptr : &*line;
}

void addShown(const SizedCluster& cluster,
              const SizeCatalogue& catalogue,
              std::vector<ShownBox>& boxes) {
    const SizeLine* const line = catalogueLine(cluster, catalogue);
    if (line == nullptr) {
        return;
    }
    const SizeAmount amount{cluster.nodes, cluster.gpus};
    auto box = std::ranges::find(boxes, line, &ShownBox::line);
    if (box == boxes.end()) {
        box = boxes.insert(box, {line, amount});
    } else if (amount.gpus > box->amount.gpus) {
        box->amount = amount;
    }
    box->plans.insert(box->plans.end(), cluster.plans.begin(), cluster.plans.end());
}

/// The clusters that an answer is about.
std::vector<const SizedCluster*> shownClusters(const SizeAnswer& answer) {
    std::vector<const SizedCluster*> shown;
    if (answer.pick) {
        shown.push_back(&*answer.pick);
    }
    for (const SizedCluster& one : answer.front) {
        shown.push_back(&one);
    }
    for (const NearestCluster& one : answer.nearest) {
        shown.push_back(&one.cluster);
    }
    return shown;
}

std::vector<ShownBox> shownBoxes(const SizeAnswer& answer, const SizeCatalogue& catalogue) {
    std::vector<ShownBox> boxes;
    for (const SizedCluster* one : shownClusters(answer)) {
        addShown(*one, catalogue, boxes);
    }
    return boxes;
}

Result<void> addAssumed(std::span<const Question> jobs, const Workbench& bench, ShownBox& box) {
    for (const Question& job : jobs) {
        FABRICAST_ASSIGN(const Question here, jobOn(job, *box.line, box.amount));
        FABRICAST_ASSIGN(const SearchRequest request, searchRequest(here, bench));
        for (const std::string& note : request.assumed) {
            addOnce(box.notes, note);
        }
    }
    const Question& job = jobs.front();
    FABRICAST_ASSIGN(const BudgetFacts budget, loadBudget(job.root, bench.profiles(), job.folders));
    FABRICAST_ASSIGN(const Notes own, ownMeasurementNotes(box.plans, budget, bench));
    addNotes(own, box.notes);
    return {};
}

std::string estimatedPower(const std::vector<ShownBox>& boxes) {
    Notes names;
    for (const ShownBox& box : boxes) {
        if (box.line->powerEstimated) {
            addOnce(names, box.line->box);
        }
    }
    return joined(names, ", ");
}

/// A price that was given is that of every GPU that is compared; empty: none was, or there is one.
Result<std::string> priceOfAll(const Question& job,
                               const SizeCatalogue& catalogue,
                               const Workbench& bench) {
    FABRICAST_ASSIGN(const BudgetFacts budget, loadBudget(job.root, bench.profiles(), job.folders));
    Notes gpus;
    for (const SizeLine& line : catalogue.lines) {
        addOnce(gpus, line.gpu);
    }
    return budget.perGpuHour ? onePriceNote(gpus) : std::string();
}

/// A job on its plan on each of these clusters.
Result<std::vector<Question>> questionsOf(std::size_t job,
                                          const Question& question,
                                          std::span<const SizedCluster* const> shown,
                                          const SizeCatalogue& catalogue) {
    std::vector<Question> questions;
    for (const SizedCluster* one : shown) {
        const SizeLine* const line = catalogueLine(*one, catalogue);
        if (line == nullptr || job >= one->plans.size()) {
            continue;
        }
        const Scenario& plan = one->plans[job].scenario;
        FABRICAST_ASSIGN(const Question here, jobOn(question, *line, {one->nodes, one->gpus}));
        FABRICAST_ASSIGN(Question about, questionAbout(here, plan, plan));
        questions.push_back(std::move(about));
    }
    return questions;
}

}  // namespace

Result<Notes> idleInJobs(std::span<const Question> jobs,
                         std::span<const SizedCluster* const> shown,
                         const SizeCatalogue& catalogue,
                         const Workbench& bench) {
    Notes idle;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        FABRICAST_ASSIGN(const auto questions, questionsOf(job, jobs[job], shown, catalogue));
        FABRICAST_ASSIGN(const std::string names, idleSettings(questions, bench, {}));
        if (!names.empty()) {
            addOnce(idle, names);
        }
    }
    return idle;
}

Result<Notes> sizeNotes(std::span<const Question> jobs,
                        const SizeAsk& ask,
                        const SizeCatalogue& catalogue,
                        const SizeAnswer& answer,
                        const Workbench& bench) {
    std::vector<ShownBox> boxes = shownBoxes(answer, catalogue);
    for (ShownBox& box : boxes) {
        FABRICAST_TRY(addAssumed(jobs, bench, box));
    }
    Notes notes;
    for (const ShownBox& box : boxes) {
        for (const std::string& note : box.notes) {
            const bool isOfAll = std::ranges::all_of(boxes, [&note](const ShownBox& other) {
                return std::ranges::find(other.notes, note) != other.notes.end();
            });
            addOnce(notes, isOfAll ? note : box.line->box + ": " + note);
        }
    }
    if (const std::string estimated = estimatedPower(boxes); !estimated.empty()) {
        addOnce(notes, "power of a node, by the site's share over that of its GPUs: " + estimated);
    }
    FABRICAST_ASSIGN(const std::string price, priceOfAll(jobs.front(), catalogue, bench));
    if (!price.empty()) {
        addOnce(notes, price);
    }
    if (!catalogue.whyNoMoney.empty()) {
        addOnce(notes,
                "the fewest GPUs are looked for, as no cost is known: " + catalogue.whyNoMoney);
    }
    const std::vector<const SizedCluster*> shown = shownClusters(answer);
    FABRICAST_ASSIGN(const Notes idle, idleInJobs(jobs, shown, catalogue, bench));
    for (const std::string& names : idle) {
        addOnce(notes, idleNote(names));
    }
    if (!ask.fabrics.empty()) {
        addOnce(notes, "networks have no price of their own: a cluster costs the same on each");
    }
    return notes;
}

}  // namespace fabricast
