#pragma once
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// NCCL without a GPU. Preloaded with the null device, whose memory is the host's, it
/// moves the bytes of all collectives between the processes through shared memory, and adds up what
/// is to be added. It blocks and hangs as NCCL does. Told by the environment of a rank:
///   FABRICAST_NULL_NCCL=wrong      its results are not right
///   FABRICAST_NULL_NCCL=idle       its calls move nothing in place
///   FABRICAST_NULL_NCCL=error      its calls fail, after some
///   FABRICAST_NULL_NCCL=hang       its calls never come back, unless the communicator is aborted
///   FABRICAST_NULL_NCCL=deaf       nor then
///   FABRICAST_NULL_NCCL_SLOW=5     milliseconds that each call really takes
namespace fabricast::null_device {

constexpr std::size_t kMostRanks = 16;
constexpr std::size_t kAreaBytes = std::size_t{2} << 20;  ///< longer messages go in pieces
constexpr std::size_t kMostSends = 64;

/// A part of an area that is meant for one rank.
struct Parcel {
    int to = 0;
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

/// What one rank shows the others: the number of the call that its bytes belong to.
struct RankPage {
    std::atomic<std::uint32_t> shown;
    std::atomic<std::uint32_t> taken;  ///< the last call of which it has read all others
    std::uint32_t parcels;
    bool goesOn;  ///< it has more to send than its area holds
    std::array<Parcel, kMostSends> sends;
    int color;
    int key;
};

/// Memory that the ranks of a communicator share.
class SharedPages {
public:
    SharedPages(const std::string& name, int ranks);
    SharedPages(const SharedPages&) = delete;
    SharedPages& operator=(const SharedPages&) = delete;
    ~SharedPages();

    [[nodiscard]] bool mapped() const { return memory_ != nullptr; }
    [[nodiscard]] RankPage& page(int rank) const;
    [[nodiscard]] char* area(int rank) const;
    /// All have it; the name is not needed any more.
    void forgetName();

private:
    std::string path_;
    std::size_t bytes_ = 0;
    char* memory_ = nullptr;
};

/// The fault that this rank plays; empty for none.
std::string playedFault();

/// Adds `count` numbers of a type up; false for an unknown type.
bool addInto(void* sum, const void* more, std::size_t count, ncclDataType_t type);
std::size_t bytesOfType(ncclDataType_t type);

}  // namespace fabricast::null_device

/// What the handle of a communicator points at. It takes memory of the GPU as NCCL does: some when
/// it is made, more with the first call.
struct ncclComm {
    ncclComm() = default;
    ncclComm(const ncclComm&) = delete;
    ncclComm& operator=(const ncclComm&) = delete;
    ~ncclComm() {
        for (void* const block : taken) {
            (void)cudaFree(block);
        }
    }
    void take(std::size_t mebibytes) {
        taken.push_back(nullptr);
        (void)cudaMalloc(&taken.back(), mebibytes << 20U);
    }

    std::vector<void*> taken;
    std::string name;
    int rank = 0;
    int ranks = 1;
    bool blocking = true;
    std::unique_ptr<fabricast::null_device::SharedPages> pages;
    std::uint32_t calls = 1;  ///< the first is the making
    std::atomic<bool> aborted = false;
    ncclComm* part = nullptr;  ///< being split off
    bool splitting = false;    ///< has not shown its color yet
    int color = 0;
    int key = 0;
    int timesCalled = 0;
    int device = deviceNow();

    static int deviceNow() {
        int device = 0;
        (void)cudaGetDevice(&device);
        return device;
    }
};

namespace fabricast::null_device {

/// A send or a receive within a group.
struct PeerCall {
    bool sends = false;
    const char* from = nullptr;
    char* to = nullptr;
    std::size_t bytes = 0;
    int peer = 0;
    ncclComm* comm = nullptr;
    cudaStream_t stream = nullptr;
};

using PageCount = std::atomic<std::uint32_t> RankPage::*;

/// Whether all ranks have come to this call.
bool allReached(const ncclComm& comm, PageCount count, std::uint32_t call);

/// What a collective moves, in parts of one size: those that a rank shows, and those that it gets.
struct Parts {
    std::size_t bytes = 0;
    std::size_t shown = 1;
    std::size_t received = 1;
};

/// Makes the same piece of all parts that are received, one after the other, from the areas, where
/// those that are shown lie so too.
using TakePiece = std::function<bool(ncclComm&, std::size_t bytes, char* to)>;

ncclResult_t collective(ncclComm* comm,
                        const void* from,
                        void* to,
                        const Parts& parts,
                        cudaStream_t stream,
                        const TakePiece& take);

/// The sends and receives of one group.
ncclResult_t exchangeParcels(const std::vector<PeerCall>& calls);

}  // namespace fabricast::null_device
