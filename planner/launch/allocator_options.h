#pragma once
#include "planner/launch/launch_keys.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One option of PYTORCH_ALLOC_CONF as PyTorch parts them: "max_split_size_mb" with "128". A list
/// in brackets is one value.
struct AllocatorOption {
    std::string name;
    std::string value{};
    bool hasColon = false;

    [[nodiscard]] std::string text() const { return name + (hasColon ? ":" : "") + value; }
};

/// "a:1,b:[256:1,512:2]" is two options. Blanks do not count, and neither does a comma at the end.
std::vector<AllocatorOption> allocatorOptions(std::string_view text);

/// The number that a value begins with, as PyTorch reads it: "128MB" is 128, and nothing of "abc".
std::optional<double> leadingNumber(std::string_view value);

/// What to write where PyTorch 2.15 refuses an option when a process first allocates; empty for one
/// that it takes, and for a value that is worked out when the run starts.
std::string mendedOption(const AllocatorOption& option);

/// What a script or a program sets of this name; null where nothing does. What a program sets where
/// nobody did comes last.
const LaunchKey* variableOf(const LaunchKeys& keys, std::string_view name);

/// The variable that PyTorch 2.15 looks at, whatever the GPU: PYTORCH_CUDA_ALLOC_CONF, else
/// PYTORCH_HIP_ALLOC_CONF, else PYTORCH_ALLOC_CONF; null where none is set.
const LaunchKey* allocatorVariable(const LaunchKeys& keys);

/// "PYTORCH_ALLOC_CONF" of such a key.
std::string variableName(const LaunchKey& key);

/// What os.environ.setdefault sets, behind "env ".
inline constexpr std::string_view kUsualVariable = "env default ";

}  // namespace fabricast
