#pragma once
#include "planner/advise/advice_task.h"
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/io/profile_store.h"
#include "planner/load/load_scenario.h"

#include <string>
#include <vector>

namespace fabricast {

/// What advice starts from, before it is priced.
struct LoadedAdvice {
    Scenario base;
    std::vector<AdviceFamily> families;  ///< simplest first
    std::vector<std::string> assumed;
};

/// The ways to train, each with its stack's settings and what the scenario says over them. Keys of
/// a layout that the scenario holds are held in every one of them.
Result<LoadedAdvice> loadAdvice(const JsonValue& root,
                                const ProfileStore& profiles,
                                const Folders& folders);

}  // namespace fabricast
