#pragma once
#include "planner/base/result.h"
#include "planner/spec/model_spec.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One model file: the model, its aliases, and their positions.
struct ModelProfile {
    ModelSpec model;
    std::vector<std::string> aliases;
    std::string source;
    std::optional<std::int64_t> publishedParameters;  ///< as published, exactly
    std::string publishedSource;
};

/// A model from either kind of file: a Hugging Face config.json, or a "fabricast.model/1" that
/// holds such a config, or the shape itself. `source` names the file in errors, and names
/// the model where the text does not.
///     FABRICAST_ASSIGN(const ModelSpec model, parseModel(text, "config.json"));
Result<ModelProfile> parseModelProfile(std::string_view text, const std::string& source);
Result<ModelProfile> readModelProfile(const JsonValue& root, const std::string& source);
/// Whether a document is a model: one of ours, or a config.json.
bool isModelFile(const JsonValue& root);
Result<ModelSpec> parseModel(std::string_view text, const std::string& source);

/// A ModelSpec given directly, for models without a config.json: the "shape" of a
/// "fabricast.model/1" file. Unknown keys are errors.
///     {"layers": 96, "hidden": 12288, "vocab": 51200, "attention": {"heads": 96},
///      "mlp": {"kind": "plain", "width": 49152}}
Result<ModelSpec> readModelShape(const JsonValue& shape);

}  // namespace fabricast
