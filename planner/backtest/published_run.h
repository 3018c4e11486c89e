#pragma once
#include "planner/base/result.h"
#include "planner/text/csv_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A measured training run: a line of a runs file. Empty text and absent
/// numbers are not given by the source.
struct PublishedRun {
    std::string id;
    std::string where;                ///< "runs.csv:17"
    std::optional<Error> unreadable;  ///< the cell that cannot be read; those after it are empty
    std::string model;
    std::optional<double> billions;  ///< of parameters
    std::optional<std::int64_t> layers, hidden, width, heads, kvHeads, vocab;
    std::string experts;  ///< "experts=256/topk=8/ffn=2048/shared=1/first_dense=3/MLA"
    std::optional<std::int64_t> sequence;
    std::string gpu;  ///< profile name
    std::optional<std::int64_t> gpus, gpusPerNode;
    std::string interconnect;  ///< as in the source: "NVLink4 + EFA (AWS p5)"
    std::string intra;         ///< "nvlink4", "pcie4", "nvlink5_nvl72", "xgmi"
    std::optional<double> nicGbpsPerGpu;
    std::string stack;  ///< software family
    std::string framework;
    std::optional<std::int64_t> dp, tp, pp, vpp, cp, ep, etp;
    std::string shard, sp, cpKind;
    std::optional<std::int64_t> microBatch, globalBatch, accumulation;
    std::string precision, recompute, optimizer, tuning, notes, tier, memoryKind;
    bool core = false;
    bool known = false;   ///< of tier A or B, or of a file without that column
    bool counts = false;  ///< these, if core too or of a file without that column
    std::optional<double> stepSeconds, tokensPerGpu, memoryGib;

    /// The id without its number: what rows of one source share.
    [[nodiscard]] std::string source() const { return id.substr(0, id.rfind('-')); }
    /// As measured, or from the measured tokens per second.
    [[nodiscard]] std::optional<double> measuredStep() const;
};

/// Reads a runs file: the columns of docs/backtest.md, in any order; others are ignored. A run with
/// a cell that cannot be read is among the others.
Result<std::vector<PublishedRun>> readRuns(const CsvText& table);

}  // namespace fabricast
