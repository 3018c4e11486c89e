#include "planner/measured/nccl_tests_operation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace fabricast {
namespace {

enum class Reduces { Yes, No, Varies };

/// How nccl-tests runs an operation.
struct Operation {
    std::string_view program;
    std::string_view name;
    bool rooted = false;
    Reduces reduces = Reduces::No;  ///< versions differ for all-to-all
    bool isModelled = true;
};

constexpr std::array<Operation, 11> kOperations = {
    {{"all_reduce_perf", "all_reduce", false, Reduces::Yes},
     {"all_gather_perf", "all_gather"},
     {"reduce_scatter_perf", "reduce_scatter", false, Reduces::Yes},
     {"broadcast_perf", "broadcast", true},
     {"alltoall_perf", "all_to_all", false, Reduces::Varies},
     {"alltoallv_perf", "all_to_all_v", false, Reduces::Varies, false},
     {"sendrecv_perf", "send_recv", false, Reduces::Varies},
     {"reduce_perf", "reduce", true, Reduces::Yes},
     {"scatter_perf", "scatter", true, Reduces::No, false},
     {"gather_perf", "gather", true, Reduces::No, false},
     {"hypercube_perf", "hypercube", false, Reduces::No, false}}};
/// File names are written more freely.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kLoose = {
    {{"all_reduce", "all_reduce"},
     {"allreduce", "all_reduce"},
     {"all_gather", "all_gather"},
     {"allgather", "all_gather"},
     {"reduce_scatter", "reduce_scatter"},
     {"reducescatter", "reduce_scatter"},
     {"broadcast", "broadcast"},
     {"alltoall", "all_to_all"},
     {"sendrecv", "send_recv"}}};

/// The one whose program's name ends the text: "reduce_perf" does not end "all_reduce_perf".
const Operation* operationEnding(std::string_view text) {
    const Operation* longest = nullptr;
    for (const Operation& operation : kOperations) {
        if (text.ends_with(operation.program) &&
            (longest == nullptr || operation.program.size() > longest->program.size())) {
            longest = &operation;
        }
    }
    return longest;
}

std::string modelledOperations() {
    std::string names;
    for (const Operation& operation : kOperations) {
        if (operation.isModelled) {
            names.append(names.empty() ? "" : ", ").append(operation.program);
        }
    }
    return names;
}

/// What of the row the operation never has; empty: it may be one of it.
std::string foreignTo(const Operation& operation, const NcclTestsKind& kind) {
    if (kind.root && (*kind.root >= 0) != operation.rooted) {
        return "root " + std::to_string(*kind.root);
    }
    if (!kind.redop.empty() && operation.reduces != Reduces::Varies &&
        (kind.redop != "none") != (operation.reduces == Reduces::Yes)) {
        return "redop " + kind.redop;
    }
    return {};
}

}  // namespace

std::string ncclOperation(std::string_view text) {
    constexpr std::string_view kEnd = "_perf";
    std::string_view name;
    for (std::size_t at = text.find(kEnd); at != std::string_view::npos;
         at = text.find(kEnd, at + 1)) {
        const Operation* const operation = operationEnding(text.substr(0, at + kEnd.size()));
        name = operation == nullptr ? name : operation->name;
    }
    return std::string(name);
}

std::string ncclOperationOfFile(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view file = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    const std::string program = ncclOperation(file);
    const auto* const loose = std::ranges::find_if(kLoose, [&](const auto& entry) {
        return file.find(entry.first) != std::string_view::npos;
    });
    return !program.empty() || loose == kLoose.end() ? program : std::string(loose->second);
}

std::optional<std::int64_t> ncclRoot(double number) {
    constexpr double kMostRoot = 1e9;
    const bool isRank = number == std::floor(number) && number >= -1 && number < kMostRoot;
    return isRank ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

Result<void> checkNcclOperation(const std::string& where,
                                const std::string& operation,
                                const NcclTestsKind& kind) {
    const auto* const known = std::ranges::find(kOperations, operation, &Operation::name);
    if (known == kOperations.end()) {
        return fail(Error::Code::BadInput,
                    where,
                    "does not name the measured collective",
                    "name the file after the program that wrote it: all_reduce_perf.log");
    }
    if (!known->isModelled) {
        return fail(Error::Code::BadInput,
                    where,
                    operation + " is not modelled",
                    "the output of " + modelledOperations());
    }
    const std::string foreign = foreignTo(*known, kind);
    return foreign.empty()
               ? Result<void>()
               : fail(
                     Error::Code::BadInput,
                     where,
                     "has " + foreign + ", which no row of " + std::string(known->program) + " has",
                     "use a log of one of " + modelledOperations() + ", in a file named after it");
}

double ncclBusFactor(const std::string& operation, std::int64_t ranks) {
    const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
    if (operation == "all_reduce") {
        return 2 * others;
    }
    return operation == "all_gather" || operation == "reduce_scatter" || operation == "all_to_all"
               ? others
               : 1.0;
}

}  // namespace fabricast
