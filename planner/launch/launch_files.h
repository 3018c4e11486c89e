#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What starts one process per GPU on each node.
enum class Launcher { Torchrun, Slurm, Kubernetes };

/// How often a run saves what it needs to go on from.
struct SavedStates {
    bool inBackground = true;  ///< the run goes on while storage is written
    std::int64_t steps = 1;
    std::int64_t heldSteps = 0;  ///< between copies in the memory of other nodes; 0: there are none
    std::string untold{};        ///< what was asked and the framework cannot; empty: nothing
};

/// What files that start a run are made from.
struct LaunchFacts {
    const Scenario& scenario;
    std::string version;             ///< of the framework
    std::string loadFrom;            ///< model: a Hub name or a folder; empty where not known
    std::vector<std::string> about;  ///< the lines that every file starts with
    Launcher launcher = Launcher::Torchrun;
    std::optional<SavedStates> saved{};  ///< where the plan says how
    bool loads = false;        ///< the user names what to load, and weights are not made up
    std::string packed{};      ///< the quant_method of the checkpoint's weights; empty: none
    std::string tunerTable{};  ///< of NCCL's example tuner plugin; empty: none is wanted
    std::optional<std::int64_t> steps{};      ///< of the whole run, where the plan says its tokens
    std::optional<double> rotaryBase{};       ///< of the model's own config, where it is known
    std::optional<std::int64_t> loraAlpha{};  ///< where a launch file says it; twice the rank else
};

struct LaunchFile {
    std::string name;
    std::string text;

    friend bool operator==(const LaunchFile&, const LaunchFile&) = default;
};

/// The files that start a run, and what of the plan they do not say.
struct LaunchFiles {
    std::vector<LaunchFile> files;
    std::vector<std::string> untold;  ///< what the framework is told in another way, or not at all
    std::vector<std::string> environment{};  ///< NAME=value
    std::string script{};                    ///< lines of run.sh before the command: its arguments
    std::vector<std::string> command{};      ///< what runs on each node, after the launcher's words
};

/// What is typed behind run.sh, in the command of a program that takes arguments.
inline constexpr const char* kTypedBehind = "\"$@\"";

/// DeepSpeed's stages split the states.
constexpr bool isZero(Shard shard) {
    return shard == Shard::Zero1 || shard == Shard::Zero2 || shard == Shard::Zero3;
}

/// The text with what ends a line, or controls a terminal, as question marks.
std::string oneLine(std::string text);

/// The lines behind "# ", for files in which that is a comment. A name that breaks lines does not
/// end it.
std::string commentOf(const std::vector<std::string>& lines);

/// 0.5, not 0.500000.
std::string decimalText(double value);

/// A text in double quotes, as YAML, TOML and JSON read it.
std::string quotedText(std::string_view text);

/// Microbatches that a rank runs one after another in a step: gradient accumulation.
std::int64_t accumulationOf(const Scenario& scenario);

/// Of the run: the plan's, or a few to try it with, after which it has saved.
std::int64_t stepsOf(const LaunchFacts& facts);

/// What adapters are multiplied by, times their rank.
std::int64_t loraAlpha(const LaunchFacts& facts);

}  // namespace fabricast
