#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/spec/model_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// This is one model on file: what it is, what else it is called, and where that is said.
struct ModelProfile {
    ModelSpec model;
    std::vector<std::string> aliases;
    std::string source;
    std::optional<std::int64_t> publishedParameters;  ///< as its publisher says it, exactly
    std::string publishedSource;
};

/// A model from either kind of file: a Hugging Face config.json, or a "fabricast.model/1" that
/// holds such a config, or says the shape directly. `source` names the file in errors, and names
/// the model where the text does not.
///     FABRICAST_ASSIGN(const ModelSpec model, parseModel(text, "config.json"));
Result<ModelProfile> parseModelProfile(std::string_view text, const std::string& source);
Result<ModelProfile> readModelProfile(const JsonValue& root, const std::string& source);
Result<ModelSpec> parseModel(std::string_view text, const std::string& source);

}  // namespace fabricast
