#include "planner/base/small_letters.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/python_reading.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace fabricast {
namespace {

/// All of it at once: one refusal after the other would be followed in a circle.
constexpr const char* kInsteadOfPreferences =
    "SFTConfig and SFTTrainer without arguments of preferences, and for the memory of a frozen "
    "reference model, which adapters do without, --set settings.reference=whole (fabricast help "
    "dpo)";

/// What scripts are called that train on preferences or rewards, or beside a teacher: "dpo.py",
/// "run_grpo.py".
constexpr std::array<std::string_view, 14> kPreferenceWords = {"dpo",
                                                               "grpo",
                                                               "kto",
                                                               "orpo",
                                                               "cpo",
                                                               "ppo",
                                                               "rloo",
                                                               "bco",
                                                               "xpo",
                                                               "gkd",
                                                               "prm",
                                                               "reward",
                                                               "distillation",
                                                               "rm"};
/// Arguments that their configurations have, and SFTConfig does not.
constexpr std::array<std::string_view, 7> kPreferenceArguments = {"--beta",
                                                                  "--num_generations",
                                                                  "--max_prompt_length",
                                                                  "--max_completion_length",
                                                                  "--reward_funcs",
                                                                  "--reward_model_name_or_path",
                                                                  "--precompute_ref_log_probs"};

/// The word of a script's name that says so; empty where none does.
std::string preferenceWord(const std::string& script) {
    std::string word;
    for (const char letter : script.substr(script.rfind('/') + 1) + ".") {
        if (std::isalpha(static_cast<unsigned char>(letter)) != 0) {
            word += smallLetter(letter);
        } else if (std::ranges::find(kPreferenceWords, word) != kPreferenceWords.end()) {
            return word;
        } else {
            word.clear();
        }
    }
    return "";
}

}  // namespace

Result<void> refusePreferenceTrainer(LaunchKeys& keys) {
    for (const std::string_view name : trainersOfPreferences()) {
        if (const LaunchKey* const key = keys.use(name)) {
            return keys.refuse(*key, "is not modelled", kInsteadOfPreferences);
        }
    }
    for (const std::string_view name : kPreferenceArguments) {
        if (const LaunchKey* const key = keys.use(name)) {
            return keys.refuse(*key,
                               "is of training on preferences, which is not modelled",
                               kInsteadOfPreferences);
        }
    }
    const LaunchKey* const script = keys.use("script");
    const std::string name =
        script == nullptr || script->values.size() != 1 ? "" : script->values.front();
    const std::string word = preferenceWord(name);
    return word.empty() ? Result<void>()
                        : fail(Error::Code::BadInput,
                               keys.where(*script),
                               name + ": " + word + " is not modelled, plain training is",
                               kInsteadOfPreferences);
}

bool trainsOnPreferences(LaunchKeys keys) {
    return !refusePreferenceTrainer(keys);
}

bool seesOneGpu(LaunchKeys& keys) {
    const std::string seen = keys.text("env CUDA_VISIBLE_DEVICES").value_or(",");
    return seen.find_first_of(",$") == std::string::npos;
}

Result<void> importDeviceMap(ScenarioDraft& draft, std::optional<std::int64_t> ranks) {
    constexpr const char* kMap = "--device_map";
    constexpr std::array<std::string_view, 4> kSpread = {
        "auto", "balanced", "balanced_low_0", "sequential"};
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const key = keys.use(kMap);
    const bool spreads = key != nullptr && key->values.size() == 1 &&
                         std::ranges::find(kSpread, key->values.front()) != kSpread.end();
    if (!spreads || seesOneGpu(keys) || ranks == 1) {
        return {};
    }
    if (ranks) {
        return keys.refuse(*key,
                           key->values.front() +
                               " is refused by Accelerate where several ranks are started: each "
                               "would have its layers on all GPUs",
                           "leave it out");
    }
    draft.set("imported.device_map", true, kMap);
    return {};
}

}  // namespace fabricast
