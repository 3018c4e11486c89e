#include "planner/launch/launch_targets.h"

#include "planner/launch/import_megatron.h"
#include "planner/launch/launch_file_writers.h"
#include "planner/launch/megatron_arguments.h"
#include "planner/launch/nccl_variables.h"
#include "planner/launch/torchtitan_model.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

namespace fabricast {
namespace {

/// The value of PYTORCH_ALLOC_CONF; nothing where PyTorch's own is meant.
std::string allocatorText(const Settings& settings) {
    std::string text =
        settings.allocator == AllocatorKind::ExpandableSegments ? ",expandable_segments:True" : "";
    if (settings.maxSplitMb > 0) {
        text += ",max_split_size_mb:" + std::to_string(settings.maxSplitMb);
    }
    if (settings.roundupDivisions > 1) {
        text += ",roundup_power2_divisions:" + std::to_string(settings.roundupDivisions);
    }
    return text.empty() ? text : text.substr(1);
}

/// Whose files freeze a part of the model, and have adapters where a plain program has none.
constexpr std::string_view kFreezes = "axolotl";

constexpr std::array kTargets = {
    LaunchTarget{"ddp", "ddp", kNewestTorch, kTorchVersions, &torchFiles},
    LaunchTarget{"fsdp2", "fsdp2", kNewestTorch, kTorchVersions, &torchFiles},
    LaunchTarget{"deepspeed", "deepspeed", kNewestDeepspeed, kDeepspeedVersions, &deepspeedFiles},
    LaunchTarget{
        "megatron", "megatron", kNewestMegatron, kMegatronVersions, &megatronFiles, Saving::Copies},
    LaunchTarget{"megatron-bridge",
                 "megatron",
                 kNewestBridge,
                 kBridgeVersions,
                 &bridgeFiles,
                 Saving::Copies},
    LaunchTarget{"nemo", "nemo", kNewestNemo, kNemoVersions, &nemoFiles},
    LaunchTarget{
        "megatron-bridge", "nemo", kNewestBridge, kBridgeVersions, &bridgeFiles, Saving::Copies},
    LaunchTarget{"nemo", "megatron", kNewestNemo, kNemoVersions, &nemoFiles},
    LaunchTarget{"torchtitan",
                 "torchtitan",
                 kNewestTitan,
                 kTitanVersions,
                 &torchtitanFiles,
                 Saving::InBackground,
                 &newestTitanWith},
    LaunchTarget{"accelerate",
                 "accelerate",
                 kNewestAccelerate,
                 kAccelerateVersions,
                 &accelerateFiles,
                 Saving::Waits},
    LaunchTarget{
        "axolotl", "axolotl", kNewestAxolotl, kAxolotlVersions, &axolotlFiles, Saving::Waits}};

/// "0.3" and "v0.3.0" are 0.3.0; "0" alone is none of the many that begin with it.
bool isRelease(std::string_view typed, std::string_view known) {
    const std::string_view version = typed.starts_with("v") ? typed.substr(1) : typed;
    const auto begins = [](std::string_view a, std::string_view b) {
        return a.starts_with(b) && (a.size() == b.size() || a[b.size()] == '.');
    };
    const bool namesMinor = version.find('.') != std::string_view::npos;
    return (namesMinor && begins(known, version)) || begins(version, known);
}

Result<void> checkVersion(const LaunchTarget& target, const std::string& version) {
    std::string_view rest = target.versions;
    while (!rest.empty()) {
        const std::size_t comma = rest.find(", ");
        if (isRelease(version, rest.substr(0, comma))) {
            return {};
        }
        rest = comma == std::string_view::npos ? "" : rest.substr(comma + 2);
    }
    return fail(Error::Code::BadInput,
                "--framework-version",
                "what " + std::string(target.name) + " \"" + version + "\" reads is not known",
                std::string(target.versions));
}

template <class Wanted>
std::string targetNames(const Wanted& wanted) {
    std::string names;
    for (const LaunchTarget& target : kTargets) {
        const bool isSaid = names.find(target.name) != std::string::npos;  // for another stack
        if (wanted(target) && !isSaid) {
            names += (names.empty() ? "" : ", ") + std::string(target.name);
        }
    }
    return names;
}

Result<const LaunchTarget*> findNamedTarget(std::string_view stack, std::string_view name) {
    for (const LaunchTarget& one : kTargets) {
        if (one.name == name && one.stack == stack) {
            return &one;
        }
    }
    const auto* const found = std::ranges::find(kTargets, name, &LaunchTarget::name);
    const bool isKnown = found != kTargets.end();
    const std::string quoted = "\"" + std::string(name) + "\"";
    return fail(Error::Code::BadInput,
                "--target",
                isKnown ? quoted + " starts plans of the stack " + std::string(found->stack) +
                              "; this one is of " + std::string(stack)
                        : "no launch files are written for " + quoted,
                isKnown ? "--stack " + std::string(found->stack)
                        : "--target " + targetNames([](const LaunchTarget&) { return true; }));
}

/// Kernels without which the plan runs at another speed: where the target has no key for one, the
/// files would be of another plan.
struct EngineKernel {
    std::string_view setting;
    std::string_view targets;  ///< that have a key for it
};
constexpr std::array kEngineKernels = {
    EngineKernel{"settings.kernels.fused_ops", "--target megatron or megatron-bridge, or "},
    EngineKernel{"settings.kernels.fp8_attention", "--target megatron-bridge or nemo, or "},
    EngineKernel{"settings.kernels.fused_experts", "--target megatron, or "}};

Result<void> refuseUntoldKernels(const LaunchTarget& target,
                                 const std::string& version,
                                 const std::vector<std::string>& untold) {
    for (const EngineKernel& one : kEngineKernels) {
        const std::string asked = std::string(one.setting) + "=true";
        if (std::ranges::find(untold, asked) != untold.end()) {
            return fail(Error::Code::Unsupported,
                        std::string(one.setting),
                        std::string(target.name) + " " + version + " has no key for it",
                        std::string(one.targets) + "--set " + std::string(one.setting) + "=false");
        }
    }
    return {};
}

/// The plugin reads lines of up to 255 bytes: what is behind them would be a row of its own.
std::vector<std::string> shortLines(std::vector<std::string> lines) {
    constexpr std::size_t kMostBytes = 240;
    for (std::string& line : lines) {
        if (line.size() > kMostBytes) {
            line = line.substr(0, kMostBytes) + " ...";
        }
    }
    return lines;
}

}  // namespace

std::span<const LaunchTarget> launchTargets() {
    return kTargets;
}

Result<const LaunchTarget*> findLaunchTarget(std::string_view stack, std::string_view name) {
    if (!name.empty() && name != stack) {
        return findNamedTarget(stack, name);
    }
    for (const LaunchTarget& one : kTargets) {
        if (one.name == stack && one.stack == stack) {
            return &one;
        }
    }
    return fail(
        Error::Code::Unsupported,
        "--stack",
        "no launch files are written for " + std::string(stack),
        "--stack " + targetNames([](const LaunchTarget& one) { return one.name == one.stack; }));
}

std::string usualRelease(const LaunchTarget& target, const Scenario& scenario) {
    return std::string(target.newestWith == nullptr ? target.newest : target.newestWith(scenario));
}

Saving savingOf(const LaunchTarget& target, const Layout& layout) {
    return isZero(layout.shard) ? std::max(target.saves, Saving::InBackground) : target.saves;
}

std::string whoWrites(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const bool isTorch = scenario.stack == "ddp" || scenario.stack == "fsdp2";
    const bool isHere = settings.train.all() ? !isTorch || settings.tuning != Tuning::Lora
                                             : scenario.stack == kFreezes;
    return isHere ? scenario.stack : std::string(kFreezes);
}

Result<LaunchFiles> launchFiles(const LaunchTarget& target, const LaunchFacts& facts) {
    FABRICAST_TRY(checkVersion(target, facts.version));
    if (!facts.scenario.settings.train.all() && target.name != kFreezes) {
        return fail(Error::Code::Unsupported,
                    "settings.train",
                    "no files of " + std::string(target.name) + " freeze a part of the model",
                    "--stack " + std::string(kFreezes));
    }
    FABRICAST_ASSIGN(LaunchFiles files, target.files(facts));
    FABRICAST_TRY(refuseUntoldKernels(target, facts.version, files.untold));
    if (facts.saved && !facts.saved->untold.empty()) {
        files.untold.push_back(facts.saved->untold);
    }
    if (std::string options = allocatorText(facts.scenario.settings); !options.empty()) {
        files.environment.push_back("PYTORCH_ALLOC_CONF=" + std::move(options));
    }
    std::ranges::move(ncclVariables(facts.scenario.settings.nccl),
                      std::back_inserter(files.environment));
    if (!facts.tunerTable.empty()) {
        files.files.push_back(
            {"nccl_tuner.csv", commentOf(shortLines(facts.about)) + facts.tunerTable});
        files.environment.emplace_back(
            "NCCL_TUNER_PLUGIN=\"${NCCL_TUNER_PLUGIN:-libnccl-tuner-example.so}\"");
        files.environment.emplace_back("NCCL_TUNER_CONFIG_FILE=\"$PWD/nccl_tuner.csv\"");
    }
    for (std::string& one : untoldToPods(facts)) {
        files.untold.push_back(std::move(one));
    }
    for (LaunchFile& one : launcherFiles(facts, files)) {
        files.files.push_back(std::move(one));
    }
    return files;
}

}  // namespace fabricast
