#include "planner/launch/hugging_face_arguments.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// Options of `axolotl train` 0.19, and of TrainerCliArgs, that are no keys of the file.
constexpr std::array<std::string_view, 11> kOfAxolotlsCommand = {"launcher",
                                                                 "accelerate",
                                                                 "no_accelerate",
                                                                 "cloud",
                                                                 "sweep",
                                                                 "main_process_port",
                                                                 "debug",
                                                                 "debug_text_only",
                                                                 "debug_num_examples",
                                                                 "prompter",
                                                                 "shard"};

constexpr std::array<std::string_view, 16> kSeparates = {"flash_attention_2",
                                                         "flash_attention_3",
                                                         "flash_attention_4",
                                                         "flash_attention_torch",
                                                         "flex_attention",
                                                         "xformers",
                                                         "sage",
                                                         "kernels-community/flash-attn2",
                                                         "kernels-community/flash-attn3",
                                                         "kernels-community/sage-attention",
                                                         "sdpa",
                                                         "eager",
                                                         "flash",
                                                         "flex",
                                                         "sdp",
                                                         "auto"};

}  // namespace

bool separatesSamples(std::string_view attention) {
    const std::string_view kernel = attention.substr(0, attention.find_first_of(":@"));
    return std::ranges::find(kSeparates, kernel) != kSeparates.end();
}

LaunchKeys axolotlArguments(const LaunchKeys& script) {
    constexpr std::string_view kNo = "no_";
    LaunchKeys keys(script.source());
    for (LaunchKey key : script.all()) {
        if (!key.path.starts_with("--")) {
            continue;
        }
        key.path.erase(0, 2);
        std::ranges::replace(key.path, '-', '_');
        if (std::ranges::find(kOfAxolotlsCommand, key.path) != kOfAxolotlsCommand.end()) {
            continue;
        }
        if (key.path == "num_processes") {  // of the launcher that it starts
            key.path = "torchrun --num_processes";
        } else if (key.values.empty() && key.path.starts_with(kNo)) {
            key.path.erase(0, kNo.size());
            key.values = {"false"};
        } else if (key.values.empty()) {
            key.values = {"true"};
        }
        keys.add(std::move(key));
    }
    return keys;
}

}  // namespace fabricast
