#include "study/check_fixes.h"
#include "study/saved_questions.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// The ranks are divided by all of these at once.
constexpr std::array<std::string_view, 11> kDivision = {"layout.dp",
                                                        "layout.tp",
                                                        "layout.pp",
                                                        "layout.cp",
                                                        "layout.ep",
                                                        "layout.etp",
                                                        "layout.vpp",
                                                        "layout.schedule",
                                                        "layout.group",
                                                        "layout.shard_size",
                                                        "layout.copies"};

bool isOfDivision(std::string_view path) {
    return std::ranges::find(kDivision, path) != kDivision.end();
}

/// What is forecast and with what, not where it was read and what is asked of it.
bool isOfForecast(std::string_view path) {
    const std::string_view part = path.substr(0, path.find('.'));
    constexpr std::array<std::string_view, 6> kForecast = {
        "model", "stack", "cluster", "workload", "layout", "settings"};
    return std::ranges::find(kForecast, part) != kForecast.end();
}

/// What is trained and what comes out, not how it is computed.
bool isOfTraining(std::string_view path) {
    constexpr std::array<std::string_view, 7> kTraining = {"workload",
                                                           "model",
                                                           "settings.tuning",
                                                           "settings.lora",
                                                           "settings.train",
                                                           "settings.optimizer.kind",
                                                           "settings.outer"};
    return std::ranges::any_of(kTraining,
                               [path](std::string_view part) { return path.starts_with(part); });
}

FixGroup groupOf(std::string_view path) {
    if (path.starts_with("cluster")) {
        return FixGroup::Buy;
    }
    return isOfTraining(path) ? FixGroup::Workload : FixGroup::Free;
}

/// Changes of the catalogue that are alternatives have the name of the layout's key.
std::string kindOf(std::string_view path) {
    if (isOfDivision(path)) {
        return "counts";
    }
    return std::string(path.starts_with("layout.") ? path.substr(path.find('.') + 1) : path);
}

void addEdit(Change& change, const Edit& edit) {
    change.group = std::max(change.group, groupOf(edit.path));
    change.edits.push_back(edit);
}

}  // namespace

std::vector<Change> undoneChanges(const Question& now, const Question& before) {
    const Change undone{.sideEffect = "as in the baseline"};
    std::vector<Change> changes;
    Change all = undone;
    all.kind = "all";
    for (const Edit& edit : editsBetween(now, before)) {
        if (!isOfForecast(edit.path)) {
            continue;
        }
        const auto same = std::ranges::find(changes, kindOf(edit.path), &Change::kind);
        if (same == changes.end()) {
            changes.push_back(undone);
            changes.back().kind = kindOf(edit.path);
            addEdit(changes.back(), edit);
        } else {
            addEdit(*same, edit);
        }
        addEdit(all, edit);
    }
    if (changes.size() > 1) {
        all.effort = static_cast<int>(changes.size());
        changes.push_back(std::move(all));
    }
    return changes;
}

}  // namespace fabricast
