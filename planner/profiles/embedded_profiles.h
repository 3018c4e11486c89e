#pragma once
#include <span>
#include <string_view>

namespace fabricast {

/// One file of hardware_profiles as it was when the program was built.
struct EmbeddedFile {
    std::string_view path;  ///< within hardware_profiles: "gpus/h100-sxm5-80gb.json"
    std::string_view text;
};

/// All of them, sorted by path. The build writes the source of this function.
std::span<const EmbeddedFile> embeddedProfiles();

}  // namespace fabricast
