#pragma once
#include "planner/result/plan_report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

enum class HeadlineTone : std::uint8_t { Plain, Good, Unsure, Doubtful, Bad };

/// One of the few numbers that everybody asks for, as it stands above all pages.
struct HeadlineTile {
    std::string key;    ///< of its widget: "step"
    std::string title;  ///< "Step time"
    std::string value;  ///< "15.6 s"
    std::string range;  ///< in which it lies with 80 %: "13.0 – 19.5 s"
    std::string evidence;
    std::string why;  ///< the key of its formula, as --why takes it; may be empty
    HeadlineTone tone = HeadlineTone::Plain;
};

/// Of one plan: whether it fits, step time, tokens per second, MFU, price of a million tokens, and
/// of the run. What is not known says how to find out.
std::vector<HeadlineTile> headlineTiles(const Plan& plan);

/// The same before there is a plan: nothing is known yet.
std::vector<HeadlineTile> openTiles();

/// "measured on this kind of GPU".
std::string_view evidenceWords(Evidence evidence);

}  // namespace fabricast
