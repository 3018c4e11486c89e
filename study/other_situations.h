#pragma once
#include "planner/spec/edit.h"
#include "planner/spec/scenario.h"

#include <span>
#include <string_view>
#include <vector>

namespace fabricast {

/// One thing about a question that could be otherwise: a change of it, or other hardware than there
/// is, which is a knob (knobs.h).
struct OtherSituation {
    std::string_view change;  ///< "twice the GPUs"
    /// The change made so many times; nothing where it makes no sense here: half of one GPU. The
    /// settings of `base` are what the question sets.
    std::vector<Edit> (*edits)(const Scenario& base, int times) = nullptr;
    std::string_view knob{};    ///< where there are no edits
    double factor = 1.0;        ///< of the knob
    bool betweenNodes = false;  ///< says nothing on one node
    bool betweenSites = false;  ///< says nothing at one site
    bool whereItFits = true;    ///< asked where something is advised; else where nothing fits
    /// Made up to so many times, until something fits: "8 times " and `of`.
    int most = 1;
    std::string_view of{};
};

/// The one list of what advice is asked about again.
std::span<const OtherSituation> otherSituations();

}  // namespace fabricast
