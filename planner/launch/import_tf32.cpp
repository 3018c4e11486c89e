#include "planner/launch/import_settings.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::string_view kTf32 = "settings.precision.tf32";

/// What says it, in the frameworks' own words; of a program's assignments the last name is known.
constexpr std::array<const char*, 3> kTf32Switches = {"--tf32", "tf32", "allow_tf32"};
constexpr const char* kTf32Word = "set_float32_matmul_precision.0";

/// Transformer Engine's own products of fp32 are TF32 always.
constexpr std::array<std::string_view, 3> kProductsOfEngine = {"megatron", "megatron-fsdp", "nemo"};

/// Weights of 16 bits by an assumption only: where that is answered with fp32, so are the products.
bool mayBeFp32(const ScenarioDraft& draft) {
    return draft.word("workload.precision") == "pure_bf16" &&
           draft.find("imported.assumed.workload.precision") != nullptr;
}

bool asksToCompile(const ScenarioDraft& draft) {
    const JsonValue* const compile = draft.find("settings.kernels.compile");
    return compile != nullptr && compile->boolean().value_or(false);
}

}  // namespace

void importTf32(ScenarioDraft& draft) {
    const std::string stack = draft.word("stack");
    const bool isEngine = std::ranges::find(kProductsOfEngine, stack) != kProductsOfEngine.end();
    const bool isFp32 = draft.word("workload.precision") == "fp32";
    if (isEngine || (!isFp32 && !mayBeFp32(draft))) {
        return;
    }
    LaunchKeys& keys = draft.keys();
    for (const char* const path : kTf32Switches) {
        if (!keys.has(path)) {
            continue;
        }
        const std::string word = keys.text(path).value_or("");
        draft.set(kTf32, word.empty() || asSwitch(word).value_or(false), path);
        return;
    }
    if (const auto word = keys.text(kTf32Word)) {
        draft.set(kTf32, *word != "highest", kTf32Word);
        return;
    }
    if (stack == "accelerate" && asksToCompile(draft)) {
        return;
    }
    draft.set(kTf32, false, "");
    if (!isFp32) {
        return;
    }
    draft.assume(kTf32,
                 "products in fp32 are PyTorch's own, not TF32, which nothing here turns on "
                 "(settings.precision.tf32=true where the program does)");
}

}  // namespace fabricast
