#pragma once
#include <string_view>

namespace fabricast {

/// The preset that DeepSpeed's AutoEP takes for a family of models by itself; empty: it has none.
std::string_view autoEpPreset(std::string_view family);

}  // namespace fabricast
