#pragma once
#include "planner/profiles/profile_store.h"
#include "planner/result/plan_fix.h"
#include "planner/search/layout_rules.h"
#include "planner/spec/scenario.h"
#include "study/question.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// A change of a question that may help: it can be typed, applied and undone.
struct Change {
    FixGroup group = FixGroup::Free;
    int effort = 0;             ///< of two changes that help, the one of less effort comes first
    std::string kind{};         ///< changes of one kind are alternatives: only one of them is made
    std::vector<Edit> edits{};  ///< made at once
    std::string sideEffect{};
    std::int64_t times = 0;  ///< of " times the hardware"; 0 where a side effect has no number
    std::size_t place = 0;   ///< in the catalogue
    std::string title{};     ///< where the edits alone do not read well: "without tp held"
};

/// What a change is to help with.
enum class Aim : std::uint8_t {
    Memory = 1,     ///< a layout is to fit
    Speed = 2,      ///< a layout is to be faster with the same model, batch and GPUs
    Target = 4,     ///< the best layout of a search is to reach something
    Buy = 8,        ///< a layout is to be faster on more or other hardware
    Fewer = 16,     ///< a layout is to take fewer GPUs
    Training = 32,  ///< a layout is to fit, though another training does
};

/// What changes are looked for.
struct ChangeSubject {
    const Question& question;
    const Scenario& now;  ///< of a search: its base, without stack, layout and settings of steps
    std::vector<std::string> stacks;         ///< that are searched, or the one of the layout
    const LayoutRules* rules = nullptr;      ///< of a search
    const ProfileStore* profiles = nullptr;  ///< where other hardware is looked for
};

/// The catalogue: everything that may be tried for an aim, in one fixed order. What the question
/// says already is not among it.
std::vector<Change> changesFor(Aim aim, const ChangeSubject& subject);

/// Edits of changes that are made together; of two edits of a key the later one.
std::vector<Edit> joined(std::span<const Change* const> changes);
/// The side effects of changes made one after another: "8 times the memory of each host".
std::string sideEffectsOf(std::span<const Change> changes);
/// Changes as people read them: "-c dgx-h200 -n 4", "without tp held". Those that are typed are
/// typed behind a question, where one is given.
std::string titleOf(std::span<const Change* const> changes, const Question* behind = nullptr);
/// The same in the words of a layout: "recompute=full", "-n 4 with micro_batch=1".
std::string layoutTitleOf(const Change& change);

}  // namespace fabricast
