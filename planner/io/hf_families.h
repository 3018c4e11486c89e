#pragma once
#include "planner/base/result.h"
#include "planner/io/hf_decoder.h"
#include "planner/io/hf_reader.h"
#include "planner/spec/model_spec.h"

#include <span>
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
std::vector<HfFamily> hfFamilies();

// The tables it is made of. Their defaults are those of transformers 5.23; where version 4 differs,
// the file must say the key.
std::span<const HfDecoder> hfDenseFamilies();
std::span<const HfDecoder> hfSparseFamilies();

}  // namespace fabricast
