#include "planner/launch/deepspeed_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

/// Fields of DeepSpeedZeroConfig (deepspeed/runtime/zero/config.py, 0.19.8) that have an alias. The
/// model is populate_by_name: it takes either.
constexpr std::array<std::string_view, 9> kZeroFields = {"prefetch_bucket_size",
                                                         "param_persistence_threshold",
                                                         "model_persistence_threshold",
                                                         "max_live_parameters",
                                                         "max_reuse_distance",
                                                         "gather_16bit_weights_on_model_save",
                                                         "module_granularity_threshold",
                                                         "use_all_reduce_for_fetch_params",
                                                         "allgather_sequential"};
constexpr std::string_view kZero = "zero_optimization.";

}  // namespace

LaunchKeys deepspeedKeysOf(const LaunchKeys& typed) {
    LaunchKeys keys(typed.source());
    for (LaunchKey key : typed.all()) {
        const std::string name = key.path.starts_with(kZero) ? key.path.substr(kZero.size()) : "";
        const std::string alias = std::string(kZero) + "stage3_" + name;
        const bool isField = std::ranges::find(kZeroFields, name) != kZeroFields.end();
        if (isField && !typed.has(alias)) {  // beside its alias it is refused
            key.path = alias;
        }
        keys.add(std::move(key));
    }
    keys.takeRepeated(typed);
    return keys;
}

}  // namespace fabricast
