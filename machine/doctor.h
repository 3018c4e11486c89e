#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/profiles/profile_store.h"
#include "planner/report/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Something that the program can use here, and whether it is there.
struct CheckedPart {
    enum class State { Found, Missing, Broken };
    std::string name;     ///< "chromium"
    std::string purpose;  ///< "reports as PDF"
    State state = State::Missing;
    std::string found{};  ///< its version or place, or what is wrong
    std::string type{};   ///< what to type where it is missing or broken
};

/// This is the answer to "is everything there?"
struct Checkup {
    std::vector<CheckedPart> parts;
    /// Nothing is broken; much may be missing.
    [[nodiscard]] bool sound() const;
};

/// Looks at profiles, probes, and the programs and libraries that commands use. Programs are asked
/// for their version, a few seconds at most.
Checkup checkUp(const ProfileStore& store, std::string_view version, const Watch& watch);

Report doctorReport(const Checkup& checkup);
/// "fabricast.doctor/1".
std::string doctorJson(const Checkup& checkup, std::string_view version);

}  // namespace fabricast
