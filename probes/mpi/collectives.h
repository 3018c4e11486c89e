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

/// A part of a buffer: the i-th of n as even ones as there are.
std::span<float> partOf(std::span<float> all, int i, int n);
std::span<const float> partOf(std::span<const float> all, int i, int n);

/// Collectives as rings of messages between neighbours, which is how NCCL moves large ones. Every
/// member of the group calls with buffers of the same lengths. `in` and `out` may not overlap,
/// unless a word says otherwise.
/// out[i] = sum over members of in[i]. 2(n-1) steps of a part each. `in` may be `out`.
void ringAllReduce(Wire& wire,
                   const RankGroup& group,
                   std::span<const float> in,
                   std::span<float> out);
/// `out` is this member's part of the sum. n-1 steps.
void ringReduceScatter(Wire& wire,
                       const RankGroup& group,
                       std::span<const float> in,
                       std::span<float> out);
/// `out` is all members' parts; `in` may be this member's place in it.
void ringAllGather(Wire& wire,
                   const RankGroup& group,
                   std::span<const float> in,
                   std::span<float> out);
/// `in` has a part for each member, `out` one of each. n-1 exchanges with one other at a time.
void pairwiseAllToAll(Wire& wire,
                      const RankGroup& group,
                      std::span<const float> in,
                      std::span<float> out);
/// From the first member along the ring, in pieces that follow each other.
void chainBroadcast(Wire& wire, const RankGroup& group, std::span<float> data);
/// To the next member, from the one before.
void shift(Wire& wire, const RankGroup& group, std::span<const float> in, std::span<float> out);

}  // namespace fabricast::probe
