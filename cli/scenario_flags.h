#pragma once
#include "cli/global_options.h"
#include "planner/base/result.h"
#include "planner/io/json_document.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What is trained, on what and how, as flags: each says one key of a scenario anew.
///     fabricast explain run.json -n 4 --layout tp=8 --set settings.precision.reduce=bf16
struct ScenarioFlags {
    std::optional<std::string> file;  ///< a scenario to start from
    std::optional<std::string> model;
    std::optional<std::string> cluster;
    std::optional<std::string> gpu;
    std::optional<std::string> gpusPerNode;
    std::optional<std::string> nodes;
    std::optional<std::string> gpus;
    std::optional<std::string> stack;
    std::optional<std::string> layout;
    std::optional<std::string> sequence;
    std::optional<std::string> globalBatch;
    std::optional<std::string> precision;
    std::optional<std::string> optimizer;
    std::optional<std::string> tokens;
    std::optional<std::string> price;
    std::optional<std::string> priceKind;
    std::optional<std::string> site;
    std::optional<std::string> mtbf;
    std::optional<std::string> checkpoint;
    std::optional<std::string> checkpointInterval;

    /// The same flags as they would be typed again: " -m llama-3.1-8b -c dgx-h100".
    [[nodiscard]] std::string typed() const;
};

/// Without those that the command takes in its own way; "scenario" is the file.
void addScenarioFlags(CLI::App& command,
                      ScenarioFlags& flags,
                      const std::vector<std::string_view>& without = {});

/// The scenario file with every flag and --set over it, as one object that still knows which word
/// of which flag or file each value was.
Result<JsonValue> scenarioOf(const ScenarioFlags& flags, const GlobalOptions& options);

/// One key said anew: `assignment` is PATH=VALUE, `flag` what it was typed behind.
Result<JsonValue> withAssignment(JsonValue root,
                                 const std::string& flag,
                                 const std::string& assignment);

}  // namespace fabricast
