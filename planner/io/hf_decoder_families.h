#pragma once
#include "planner/io/hf_decoder.h"

#include <span>

namespace fabricast {

/// The families that share Llama's key names, with the defaults of their configuration classes
/// (transformers 5.23; where 4 differs, the file must say the key).
std::span<const HfDecoder> hfDecoderFamilies();

}  // namespace fabricast
