#pragma once
#include "planner/base/units.h"

#include <string>

namespace fabricast {

/// How far a number can be trusted, best first.
enum class Evidence { MeasuredHere, MeasuredProfile, VendorSpec, Modelled, Extrapolated };

/// A headline number with its 80 % interval.
template <class T>
struct Headline {
    T value{};
    T lo{};
    T hi{};
    Evidence evidence = Evidence::Modelled;
};

/// One number with the formula that made it: what `--why KEY` prints.
struct Term {
    std::string key;  ///< "stages[0].activations"
    Bytes bytes{};
    std::string formula;  ///< with the numbers put in: "32 layers x 168,072 B x 4,096 tokens"
    std::string source;   ///< the document or record the formula was checked against
};

}  // namespace fabricast
