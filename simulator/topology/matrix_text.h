#pragma once
#include "planner/base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// How near two devices of a node are, nearest first: PIX, PXB, PHB, NODE, SYS.
enum class Nearness { OnePciSwitch, PciSwitches, HostBridge, NumaNode, System };

/// The entry of a table for two devices.
struct MatrixCell {
    Nearness nearness = Nearness::System;
    std::int64_t nvLinks = 0;  ///< which hide what else is between them
    bool self = false;
    friend bool operator==(const MatrixCell&, const MatrixCell&) = default;
};

/// A device, and what lies between it and each of all.
struct MatrixRow {
    std::string name;
    std::int64_t line = 0;
    std::vector<MatrixCell> cells;
    std::optional<std::int64_t> numa;  ///< of GPUs

    [[nodiscard]] bool isGpu() const;
};

/// The table in what `nvidia-smi topo -m` prints. Errors have file:line.
Result<std::vector<MatrixRow>> readMatrix(std::string_view text, const std::string& source);

}  // namespace fabricast
