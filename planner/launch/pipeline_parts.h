#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricast {

/// How many parts Megatron's layout string splits a model into; nothing where it is none.
///     pipelineParts("Et*15|(t*16|)*6t*15,L")  →  8
std::optional<std::int64_t> pipelineParts(std::string_view layout);

}  // namespace fabricast
