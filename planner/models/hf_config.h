#pragma once
#include "planner/base/result.h"
#include "planner/models/hf_decoder.h"
#include "planner/models/hf_reader.h"
#include "planner/spec/model_spec.h"
#include "planner/text/json_document.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One architecture of transformers, and how its config is read.
struct HfFamily {
    std::string_view modelType;
    std::string_view className;
    const HfDecoder* decoder = nullptr;  ///< of those that share Llama's key names
    Result<ModelSpec> (*reader)(const HfReader& config) = nullptr;  ///< of the others

    [[nodiscard]] Result<ModelSpec> read(const HfReader& config) const {
        return decoder != nullptr ? readDecoder(*decoder, config) : reader(config);
    }
};

// The tables it is made of. Their defaults are those of transformers 5.23; where version 4 differs,
// the file must have the key.
std::span<const HfDecoder> hfDenseFamilies();
std::span<const HfDecoder> hfSparseFamilies();
/// Those whose key names are their own: GPT-2, GPT-NeoX, Falcon, OPT, BLOOM, MPT.
std::span<const HfFamily> hfGptFamilies();

/// What a Hugging Face config.json builds, parameter for parameter: the causal language model of
/// its model_type, with the defaults its class gives to absent keys. Of a multimodal model it is
/// the language model in "text_config". An unsupported architecture is an error that names the
/// unknown keys.
///     FABRICAST_ASSIGN(const JsonValue config, parseJson(text, "config.json"));
///     FABRICAST_ASSIGN(const ModelSpec model, readHfConfig(config));
Result<ModelSpec> readHfConfig(const JsonValue& config);

/// Every model_type that readHfConfig supports, sorted.
std::vector<std::string_view> hfModelTypes();

/// The keys of a config.json that no family here reads and that are not known to be without effect
/// on a model's shape, quoted and in the order of the file: "\"d_conv\", \"d_state\" and 4 more".
std::string keysNobodyReads(const JsonValue& config);

}  // namespace fabricast
