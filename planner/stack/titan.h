#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fabricast {

/// How torchtitan calls a built-in model: its folder and flavor in 0.2.2, and its config's name in
/// 0.3.0; empty: it has none.
struct KnownTitanModel {
    std::string_view name;
    std::string_view folder;
    std::string_view flavor;
    std::string_view config;
};

std::span<const KnownTitanModel> knownTitanModels();

/// What a folder of torchtitan/models has: flavors of 0.2.2, and configs of 0.3.0. Empty: the
/// release has no such folder.
struct TitanFolder {
    std::string_view name;
    std::span<const std::string_view> flavors;
    std::span<const std::string_view> configs;
};

std::span<const TitanFolder> titanFolders();

/// What pipeline_parallel_layers_per_stage has to be for the pp · vpp stages of a layout, the ends
/// of the model counted as layers. torchtitan makes as many stages as that takes, and without it
/// one a rank, or two under a schedule of several: nothing where only leaving it out gives them, an
/// error where neither does (pipeline_parallel.py, 0.2.2 and 0.3).
///     30 layers, pp=4,vpp=2,schedule=interleaved  →  4
///     40 layers, pp=4,vpp=2,schedule=interleaved  →  nothing: 6 makes 7 stages, and 5 makes 9
///     40 layers, pp=4,vpp=10                      →  an error: 2 makes 21 stages
Result<std::optional<std::int64_t>> titanLayersPerStage(const Scenario& scenario);

/// A number of stages a rank that the schedule takes and the layers can be split into.
Result<void> checkTitanStages(const Scenario& scenario);

}  // namespace fabricast
