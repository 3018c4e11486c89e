#pragma once
#include "planner/base/result.h"
#include "planner/evidence/nccl_model.h"
#include "planner/spec/cluster_spec.h"
#include "simulator/network/cluster_topology.h"

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

/// Reads what NCCL_TOPO_DUMP_FILE wrote: the CPUs, PCIe tree, GPUs, NVLinks and NICs of a node, or
/// of several where NCCL saw them as one (distinguished by host_hash; their NICs join one leaf
/// switch). PCIe has its line rate, and an NVLink the rate that NCCL assumes in `model` for that
/// architecture. Errors have file:line.
Result<DescribedTopology> ncclTopology(std::string_view text,
                                       const std::string& source,
                                       const NcclModel& model);

/// Reads what `nvidia-smi topo -m` prints: GPUs and NICs of one node, and what lies between each
/// two (X, SYS, NODE, PHB, PXB, PIX, NV#). It has no rates: those are the GPU's, and a NIC is
/// assumed to be as fast as its slot. Errors have file:line.
Result<DescribedTopology> topoMatrix(std::string_view text,
                                     const std::string& source,
                                     const GpuSpec& gpu);

/// Whether a text is one: a line that begins with GPU0 behind it.
bool isTopoMatrix(std::string_view text);

}  // namespace fabricast
