#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// A module that adds the flavor of this model's name to llama3 of torchtitan 0.2.2, which imports
/// it by `experimental.custom_import`: for sizes of Llama that it has none of. An error where its
/// code would make another model.
Result<std::string> titanFlavorModule(const ModelSpec& model);

/// What the module is called, as its key names it.
inline constexpr const char* kTitanFlavorModule = "titan_model";

/// How torchtitan calls a model: its folder and flavor in 0.2, and its config's name in 0.3.
struct TitanModel {
    std::string folder;
    std::string flavor;
    std::string config;
};

/// The built-in model that a folder's flavor, or a config's name, is; of several the one that the
/// tokenizer's folder is named after, else the newest. Empty: none that is known.
std::string modelOfTitan(const TitanModel& titan, const std::string& assets);

/// A folder's flavors in 0.2.2, or its configs in 0.3.0, where `named`; empty: the release has
/// none. Nothing where the folder is of neither: it is somebody's own.
std::optional<std::span<const std::string_view>> titanNames(std::string_view folder, bool named);

/// The newest release that has a config of it: those of some models are in 0.2.2 alone.
std::string_view newestTitanWith(const Scenario& scenario);

/// An error where torchtitan has none of that shape.
Result<TitanModel> titanModel(const ModelSpec& model, bool named);

}  // namespace fabricast
