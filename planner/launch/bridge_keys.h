#pragma once
#include "planner/base/result.h"
#include "planner/launch/megatron_arguments.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One key of Megatron Bridge's configuration, its value written in Python:
/// {"model", "hidden_size", "4096"}.
struct BridgeKey {
    std::string section;  ///< the field of ConfigContainer
    std::string key;
    std::string value;
};

/// The keys that say the same as Megatron's arguments, in their order, and those that one argument
/// implies in Megatron-LM and Bridge wants to hear. An error names an argument without a key.
Result<std::vector<BridgeKey>> bridgeKeys(const MegatronArguments& arguments);

/// The switches that Megatron-LM's parser turns on, or leaves off, without being asked where
/// Bridge's classes have it the other way round.
std::vector<BridgeKey> megatronDefaults(const MegatronArguments& arguments);

}  // namespace fabricast
