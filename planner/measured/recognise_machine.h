#pragma once
#include "planner/measured/machine_inventory.h"
#include "planner/profiles/profile_store.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A GPU as its driver describes it. 0 and empty: not known.
struct SeenGpu {
    std::string name;  ///< "NVIDIA H100 80GB HBM3"
    Bytes memory{};
    std::string architecture{};  ///< "sm_90"
    std::int64_t multiprocessors = 0;
};

/// The GPU profile that is meant: all words of the driver's name are in the profile's title, and
/// memory, architecture and multiprocessors agree, where they are known. Of several the one with
/// the memory that the name says, then the one whose title has the fewest additional words; a board
/// on a socket (SXM) before one in a slot. Empty: none.
///     recogniseGpu(store, {"NVIDIA H100 80GB HBM3", Bytes(85520809984), "sm_90"})
///         →  h100-sxm5-80gb
Result<std::optional<GpuSpec>> recogniseGpu(const ProfileStore& store, const SeenGpu& seen);

SeenGpu seenGpu(const MachineInventory::Gpu& gpu);

/// What of a GPU is another than a profile's, and where: "sm_80, not sm_90 and 10 multiprocessors,
/// not 132". Empty: nothing that is known of both.
std::string unlikeGpu(const GpuSpec& gpu, const SeenGpu& seen);

/// Why `recogniseGpu` finds none: no profile has the name, or what else of that one differs.
Result<std::string> unknownGpuBecause(const ProfileStore& store, const SeenGpu& seen);

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
