#pragma once
#include "planner/measured/machine_inventory.h"
#include "planner/profiles/profile_store.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// The GPU profile that a driver's name for a GPU means: all words of the name are in the profile's
/// title, and the memory and the architecture agree, where they are known. Of several the one with
/// the memory that the name says, then the one whose title has the fewest additional words; a board
/// on a socket (SXM) before one in a slot. Empty: none.
///     recogniseGpu(store, "NVIDIA H100 80GB HBM3", Bytes(85520809984), "sm_90")  →  h100-sxm5-80gb
Result<std::optional<GpuSpec>> recogniseGpu(const ProfileStore& store,
                                            const std::string& driverName,
                                            Bytes memory,
                                            const std::string& architecture);

/// Whether a driver's name may mean a GPU: all words of it are in the profile's title, and memory
/// that it says ("80GB") is the GPU's.
bool mayBeNamed(const GpuSpec& gpu, const std::string& driverName);

/// A node profile with a machine's GPUs, and what else of it agrees or does not.
struct LikelyNode {
    std::string name;
    std::string title;
    std::vector<std::string> same;    ///< "8 GPUs", "8 NICs of 400 Gb/s"
    std::vector<std::string> unlike;  ///< "4 NICs of 200 Gb/s, not 8 of 400"
};

/// The nodes with as many of these GPUs, the likeliest first.
Result<std::vector<LikelyNode>> likelyNodes(const ProfileStore& store,
                                            const MachineInventory& machine,
                                            const GpuSpec& gpu);

}  // namespace fabricast
