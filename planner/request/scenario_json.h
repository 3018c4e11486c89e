#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/request/budget_request.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/settings.h"
#include "planner/spec/size_limits.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What stands behind those of each data parallel rank: "8 per rank".
inline constexpr std::string_view kSamplesPerRank = " per rank";

/// A cluster as it was asked for: a name, or GPUs in boxes, and how many of them.
struct ClusterRequest {
    std::string name;  ///< of a cluster or node, or a file; empty: see `gpu`
    std::string gpu;
    std::string fabric;                       ///< instead of the cluster's own; may be empty
    std::optional<std::int64_t> gpusPerNode;  ///< with `gpu`
    std::optional<std::int64_t> nodes;
    std::optional<std::int64_t> gpus;         ///< in all, instead of nodes
    std::optional<Bytes> hostMemory;          ///< of a node, instead of its own
    std::optional<Bytes> nvme;                ///< of a node's drives, instead of its own
    std::optional<BytesPerSecond> nvmeRead;   ///< of all drives of a node
    std::optional<BytesPerSecond> nvmeWrite;  ///< the same
    std::optional<std::int64_t> sites;        ///< that the nodes are divided over
    std::optional<BytesPerSecond> wan;        ///< of one site to the others
    std::optional<Seconds> wanLatency;        ///< from one site to another
    std::optional<double> reserve;            ///< of a GPU's memory, left to the allocator
    std::string where;
    std::string fabricWhere;
    std::string gpusWhere;
    std::string nodesWhere;
    bool typed = false;  ///< the name, on the command line and not in a file
};

struct WorkloadRequest {
    std::optional<std::int64_t> sequence;
    std::string sequenceTyped;                ///< "8k"; empty where it is a number
    std::optional<std::int64_t> globalBatch;  ///< samples
    std::optional<Tokens> globalBatchTokens;  ///< the same in tokens, "4M tokens"
    /// The same of each data parallel rank, "8 per rank": a microbatch times how many of them.
    std::optional<std::int64_t> globalBatchPerRank;
    std::string globalBatchWhere;
    std::string precision;  ///< "bf16", "fp8_blockwise"; empty: the stack's
    std::optional<OptimizerKind> optimizer;
    std::string precisionWhere;
};

/// Ranks with samples of their own that a launch file's sizes of batches are for.
struct BatchRanks {
    std::int64_t count = 0;  ///< 0: they are for any number
    std::string where;
};

/// A size of its model that a launch file says, though another word may name the model.
struct ImportedSize {
    std::string name;  ///< "layers", "experts", and others that said_sizes.cpp (planner/load) has
    std::int64_t value = 0;
    std::string where;
};

/// A scenario as written, before its names are looked up and its gaps filled.
///     {"schema": "fabricast.scenario/1", "model": "llama-3.1-8b", "cluster": {"name": "dgx-h100",
///      "nodes": 2}, "stack": "torchtitan", "workload": {"sequence": 8192, "global_batch": 64},
///      "layout": "tp=8", "settings": {"kernels": {"loss": "chunked"}}}
/// "search" and "require" belong to other questions: here only their form is checked.
struct ScenarioRequest {
    JsonValue model;     ///< a name, a path, or an inline model
    std::string madeOf;  ///< the launch file that the scenario was made of; empty: none
    ClusterRequest cluster;
    std::string stack;
    std::string stackWhere;
    WorkloadRequest workload;
    PartialLayout layout;
    JsonValue settings;  ///< an object, or null
    BudgetRequest budget;
    BatchRanks batchRanks;
    std::vector<ImportedSize> importedSizes;
    std::string oneProcess;  ///< where a launch file starts one, whose Trainer takes all GPUs
    std::string deviceMap;   ///< where one puts the layers of a process on all its GPUs
    std::vector<std::string> importNotes;  ///< what of a launch file was not looked at
};

Result<ScenarioRequest> readScenario(const JsonValue& root);

/// The part "imported" of a scenario that was made of a launch file; nothing where it has none.
Result<void> readImported(const JsonValue& root, ScenarioRequest& request);

}  // namespace fabricast
