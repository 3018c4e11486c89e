#pragma once
#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// What a scenario was forecast to do when a lock was written.
struct LockedScenario {
    std::string digest;                    ///< of all that the scenario's author wrote
    std::map<std::string, double> values;  ///< by metric: "step_s"

    friend bool operator==(const LockedScenario&, const LockedScenario&) = default;
};

/// The forecasts of some scenarios, with what they were made with.
struct CheckLock {
    std::string version;                          ///< of the program
    std::map<std::string, std::string> profiles;  ///< by "gpu/h100-sxm5-80gb": a digest
    std::map<std::string, LockedScenario> scenarios;

    friend bool operator==(const CheckLock&, const CheckLock&) = default;
};

/// A forecast that is no longer what the lock says.
struct LockedValue {
    std::string metric;
    double before = 0.0;
    double now = 0.0;
};

/// How a scenario stands to a lock: who changed what, and what came of it.
struct LockDifference {
    bool isNew = false;  ///< the lock does not have it
    bool scenarioChanged = false;
    std::vector<std::string> tool{};  ///< "fabricast 0.1.0 -> 0.2.0", "gpu/h100-sxm5-80gb"
    std::vector<LockedValue> values{};
};

}  // namespace fabricast
