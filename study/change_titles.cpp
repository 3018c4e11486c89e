#include "study/changes.h"

#include <algorithm>

namespace fabricast {

std::vector<Edit> joined(std::span<const Change* const> changes) {
    std::vector<Edit> edits;
    for (const Change* change : changes) {
        const std::size_t before = edits.size();
        for (const Edit& edit : change->edits) {
            const auto end = edits.begin() + static_cast<std::ptrdiff_t>(before);
            const auto same = std::find_if(
                edits.begin(), end, [&edit](const Edit& one) { return one.path == edit.path; });
            if (same == end) {
                edits.push_back(edit);
            } else {
                *same = edit;
            }
        }
    }
    return edits;
}

std::string sideEffectsOf(std::span<const Change> changes) {
    std::string text;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const Change& change = changes[i];
        const auto isAlike = [&change](const Change& other) {
            return (other.times > 0) == (change.times > 0) && other.sideEffect == change.sideEffect;
        };
        if (change.sideEffect.empty() || std::ranges::any_of(changes.first(i), isAlike)) {
            continue;
        }
        std::int64_t times = 1;
        for (const Change& other : changes) {
            times *= isAlike(other) && other.times > 0 ? other.times : 1;
        }
        text += (text.empty() ? "" : "; ") + (change.times > 0 ? std::to_string(times) : "") +
                change.sideEffect;
    }
    return text;
}

std::string titleOf(std::span<const Change* const> changes, const Question* behind) {
    const auto isTitled = [](const Change* change) { return !change->title.empty(); };
    const auto words = [behind](const std::vector<Edit>& edits) {
        return typedInOrder(behind == nullptr ? edits : editsBehind(*behind, edits));
    };
    if (std::ranges::none_of(changes, isTitled)) {
        return words(joined(changes));
    }
    std::string text;
    for (const Change* change : changes) {
        text +=
            (text.empty() ? "" : " ") + (isTitled(change) ? change->title : words(change->edits));
    }
    return text;
}

std::string layoutTitleOf(const Change& change) {
    std::string keys;
    std::string others;
    for (const Edit& edit : change.edits) {
        if (edit.path.starts_with("layout.") && edit.value != "null") {
            keys += (keys.empty() ? "" : ",") + edit.path.substr(edit.path.find('.') + 1) + "=" +
                    edit.value;
        } else if (edit.path.starts_with("workload.") || edit.origin == "--set") {
            const bool isSetting = edit.path.starts_with("settings.");
            others += (others.empty() ? "" : " and ") +
                      (isSetting ? edit.path : edit.path.substr(edit.path.find('.') + 1)) + "=" +
                      edit.value;
        } else if (edit.value != "null") {
            others += (others.empty() ? "" : " ") + typedInOrder({&edit, 1});
        }
    }
    return others + (others.empty() || keys.empty() ? "" : " with ") + keys;
}

}  // namespace fabricast
