#pragma once
#include "probes/mpi/rank_group.h"

#include <memory>
#include <span>

namespace fabricast::probe {

/// What the MPI library itself makes of a collective, by the algorithms that it chooses. It spins
/// while it waits: of use where every rank has a core of its own.
class LibraryCollectives {
public:
    /// Only members may make one, all at once.
    explicit LibraryCollectives(const RankGroup& group);
    ~LibraryCollectives();
    LibraryCollectives(const LibraryCollectives&) = delete;
    LibraryCollectives& operator=(const LibraryCollectives&) = delete;

    void allReduce(std::span<const float> in, std::span<float> out);
    void reduceScatter(std::span<const float> in, std::span<float> out);
    void allGather(std::span<const float> in, std::span<float> out);
    void allToAll(std::span<const float> in, std::span<float> out);
    void broadcast(std::span<float> data);

private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
};

}  // namespace fabricast::probe
