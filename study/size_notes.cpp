#include "planner/base/words.h"
#include "planner/load/load_question.h"
#include "study/own_measurements.h"
#include "study/search_request.h"
#include "study/size_line.h"
#include "study/size_verdicts.h"

#include <algorithm>
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

void addShown(const SizedCluster& cluster,
              const SizeCatalogue& catalogue,
              std::vector<ShownBox>& boxes) {
    const auto line = std::ranges::find_if(catalogue.lines, [&cluster](const SizeLine& one) {
        return one.box == cluster.box && one.fabric == cluster.fabric;
    });
    if (line == catalogue.lines.end()) {
        return;
    }
    const SizeAmount amount{cluster.nodes, cluster.gpus};
    auto box = std::ranges::find(boxes, &*line, &ShownBox::line);
    if (box == boxes.end()) {
        box = boxes.insert(box, {&*line, amount});
    } else if (amount.gpus > box->amount.gpus) {
        box->amount = amount;
    }
    box->plans.insert(box->plans.end(), cluster.plans.begin(), cluster.plans.end());
}

std::vector<ShownBox> shownBoxes(const SizeAnswer& answer, const SizeCatalogue& catalogue) {
    std::vector<ShownBox> boxes;
    if (answer.pick) {
        addShown(*answer.pick, catalogue, boxes);
    }
    for (const SizedCluster& one : answer.front) {
        addShown(one, catalogue, boxes);
    }
    for (const NearestCluster& one : answer.nearest) {
        addShown(one.cluster, catalogue, boxes);
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
    return budget.perGpuHour && gpus.size() > 1
               ? "the price that was given is that of every GPU here: " + joined(gpus, ", ") +
                     " (--price FILE has one of each)"
               : std::string();
}

}  // namespace

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
    if (!ask.fabrics.empty()) {
        addOnce(notes, "networks have no price of their own: a cluster costs the same on each");
    }
    return notes;
}

}  // namespace fabricast
