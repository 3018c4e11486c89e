#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/spec/model_spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a Hugging Face config.json builds, parameter for parameter: the causal language model of
/// its model_type, with the defaults its class gives to absent keys. Of a multimodal model it is
/// the language model in "text_config". An architecture we do not know is an error that names the
/// keys nobody here understands.
///     FABRICAST_ASSIGN(const JsonValue config, parseJson(text, "config.json"));
///     FABRICAST_ASSIGN(const ModelSpec model, readHfConfig(config));
Result<ModelSpec> readHfConfig(const JsonValue& config);

/// Every model_type that readHfConfig knows, sorted.
std::vector<std::string_view> hfModelTypes();

}  // namespace fabricast
