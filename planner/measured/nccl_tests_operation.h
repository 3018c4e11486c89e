#pragma once
#include "planner/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// The point's name of a program: "all_reduce" of "./build/all_reduce_perf", and "scatter" of one
/// that is not modelled; empty: not known.
std::string ncclOperation(std::string_view text);

/// The operation that a log's name says, more freely: "all_gather" of "logs/allgather-8.txt".
std::string ncclOperationOfFile(std::string_view path);

/// What a row says of its operation, where its version says it.
struct NcclTestsKind {
    std::string redop;                 ///< "sum", "none"; empty: not said
    std::optional<std::int64_t> root;  ///< -1: has none
};

/// A root as a row has it; nothing where it cannot be one.
std::optional<std::int64_t> ncclRoot(double number);

/// An error where the operation is not known or not modelled, or cannot have such a row.
Result<void> checkNcclOperation(const std::string& where,
                                const std::string& operation,
                                const NcclTestsKind& kind);

/// busbw / algbw of an operation as nccl-tests has it, which depends on the number of ranks:
///     ncclBusFactor("all_reduce", 16)  →  1.875
double ncclBusFactor(const std::string& operation, std::int64_t ranks);

}  // namespace fabricast
