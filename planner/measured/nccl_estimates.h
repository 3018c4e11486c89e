#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/spec/collective_kind.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What NCCL itself believed of one collective: its own model, and no measurement.
struct NcclEstimate {
    struct Way {
        std::string algorithm;  ///< "ring"; a later NCCL may have an unknown one
        std::string protocol;   ///< "ll128"
        Seconds time;
        friend bool operator==(const Way&, const Way&) = default;
    };
    CollectiveKind kind = CollectiveKind::AllReduce;
    Bytes bytes;  ///< of the whole collective
    std::int64_t ranks = 1;
    std::int64_t nodes = 1;
    std::int64_t operations = 1;  ///< sent together, for which the time is
    bool registered = false;      ///< its buffers are known to NCCL
    std::vector<Way> ways;        ///< all that NCCL could do, in its order; never empty

    /// What NCCL picks: the first of the fastest.
    [[nodiscard]] const Way& choice() const;
    friend bool operator==(const NcclEstimate&, const NcclEstimate&) = default;
};

/// A dump, or several.
struct NcclEstimates {
    std::string version;  ///< of NCCL: "2.28.9", if given
    std::vector<NcclEstimate> calls;
    std::vector<std::string> leftOut;  ///< and why, a line each
};

/// Reads what libnccl-tuner-fabricast.so wrote ("fabricast.nccl_costs/1", JSON lines). The
/// configuration of NCCL's example tuner and NCCL's own log are recognised by name: neither has
/// times. `source` is the file.
Result<NcclEstimates> parseNcclEstimates(std::string_view text, const std::string& source);

/// Joins dumps of one version of NCCL: sorted by collective, nodes, ranks and size, each call once.
Result<NcclEstimates> mergeNcclEstimates(std::vector<NcclEstimates> dumps);

}  // namespace fabricast
