#pragma once
#include "planner/base/result.h"
#include "planner/text/json_document.h"

#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// One key of a config.json that some class of transformers reads, and the values it computes with.
/// Null is always taken here: many classes give it a meaning of its own, and their reader says
/// where one does not.
struct HfKey {
    enum Takes : unsigned {
        Flag = 1,
        Whole = 2,
        Number = 4,
        Text = 8,
        Object = 16,
        Wholes = 32,    ///< a list of whole numbers
        Numbers = 64,   ///< a list of numbers
        Texts = 128,    ///< a list of strings
        Rotation = 256  ///< an object with the keys of hfRotationKeys
    };
    std::string_view name;
    unsigned takes = Flag;
    double least = 0.0;  ///< of every number, also of a list
    double most = 0.0;
    bool above = false;  ///< `least` itself is too little
    std::string_view usual = "true, or false";
    std::span<const std::string_view> names = {};  ///< of a text; empty: any
};

/// Those of a config, and those of its rope_scaling or rope_parameters.
std::span<const HfKey> hfKeys();
std::span<const HfKey> hfRotationKeys();

/// The key of this name, or nullptr: such a key is left alone.
const HfKey* findHfKey(std::span<const HfKey> keys, std::string_view name);

/// Every value of a config that its key cannot have, whether a forecast needs it or not: the first
/// is an error at its place.
///     FABRICAST_TRY(checkHfValues(config));
Result<void> checkHfValues(const JsonValue& config);

/// What to write instead: "\"rope_theta\": 10000.0, …"; empty where the key is not known.
std::string usualValue(std::string_view name);

}  // namespace fabricast
