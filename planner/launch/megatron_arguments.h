#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Transformer Engine's switch for experts' products and activation in one kernel.
inline constexpr std::string_view kFusedExperts = "NVTE_CUTEDSL_FUSED_GROUPED_MLP";

/// One argument of pretrain_gpt.py with its values: {"--cp-comm-type", {"a2a"}}.
struct MegatronArgument {
    std::string flag;
    std::vector<std::string> values{};
};

/// Arguments in groups, as they are written: a title and what belongs together.
struct MegatronArguments {
    struct Group {
        std::string title;
        std::vector<MegatronArgument> arguments;
    };
    std::vector<Group> groups;

    void begin(std::string title) { groups.push_back({std::move(title), {}}); }
    void add(std::string flag) { groups.back().arguments.push_back({std::move(flag), {}}); }
    void add(std::string flag, std::string value) {
        groups.back().arguments.push_back({std::move(flag), {std::move(value)}});
    }
    void add(std::string flag, std::int64_t value) { add(std::move(flag), std::to_string(value)); }
    void addIf(bool condition, std::string flag) {
        if (condition) {
            add(std::move(flag));
        }
    }
};

/// What the model is made of. Megatron's core has no code for some models: an error names what.
Result<void> addMegatronModel(const ModelSpec& model, MegatronArguments& out);

/// How its ranks are divided, its batch, precision, recomputation and optimizer.
Result<void> addMegatronRun(const Scenario& scenario, MegatronArguments& out);

/// Who is told: pretrain_gpt.py, or classes of Megatron-Core's configuration, some of whose fields
/// are older than the arguments that set them.
enum class ToldAs { Arguments, Fields };

/// All of them, refused where the release does not have one.
Result<MegatronArguments> megatronArguments(const LaunchFacts& facts, ToldAs told);

/// Settings of the plan that none of them says, nor the target by itself: `also`.
Result<std::vector<std::string>> untoldToMegatron(const Scenario& scenario,
                                                  std::initializer_list<std::string_view> also);

/// run.sh with them.
Result<LaunchFiles> megatronFiles(const LaunchFacts& facts);

}  // namespace fabricast
