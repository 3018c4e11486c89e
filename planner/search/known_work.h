#pragma once
#include "planner/search/block_table.h"
#include "planner/search/layout_memories.h"
#include "planner/search/search_space.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// All that the work of a search under one stack depends on. How many GPUs there are, the batch,
/// the network and what is looked for are not among it.
struct WorkSubject {
    const Stack* stack = nullptr;
    std::string settings;  ///< as they were asked for
    ModelSpec model;
    std::int64_t sequence = 0;
    GpuSpec gpu;
    std::int64_t gpusOfNode = 0;
    Sourced<Bytes> hostMemory;
    Sourced<Bytes> nvme;
    std::optional<double> reserve;
    std::vector<RecomputeSettings> recomputes;

    friend bool operator==(const WorkSubject&, const WorkSubject&) = default;
};

/// What a search worked out that another may take as it is. Walks are those of all searches of one
/// model and sequence.
struct StackWork {
    BlockTable blocks;
    std::shared_ptr<LayoutMemories> memories = std::make_shared<LayoutMemories>();
};

class BorrowedWork;

/// This keeps the work of the latest searches, so that a question of which little has changed is
/// answered from what has not. Several threads may search at a time; each works with its own.
///     KnownWork known;
///     BorrowedWork work = known.borrow(subject);
///     work->memories->ofFullestStage(scenario, limit, watch);
class KnownWork {
public:
    /// Blocks of all subjects together: the latest stay. A purchase turns over some eighty
    /// subjects, each again and again: 20 kinds of GPU under four stacks. A mixture of experts has
    /// up to 4,000 blocks of each; one takes 1 kB or less.
    static constexpr std::size_t kUsualBlocks = 300'000;
    explicit KnownWork(std::size_t mostBlocks = kUsualBlocks) : mostBlocks_(mostBlocks) {}

    /// The work of the subject, empty if there is none or another search has it. Without a subject
    /// it is nobody else's. What is borrowed goes back when it is destroyed, before this is.
    /// A copy takes milliseconds, and leaves the work for a search that begins meanwhile.
    BorrowedWork borrow(std::optional<WorkSubject> subject, bool isCopied = false);

private:
    friend class BorrowedWork;
    struct Kept {
        WorkSubject subject;
        std::unique_ptr<StackWork> work;
    };
    struct KeptWalks {
        ModelSpec model;
        std::int64_t sequence = 0;
        std::shared_ptr<LayoutMemories> walks;
    };
    std::shared_ptr<LayoutMemories> walksOf(const WorkSubject& subject);
    void giveBack(Kept kept);

    std::size_t mostBlocks_;
    std::mutex lock_;
    std::list<Kept> kept_;        ///< the latest first
    std::list<KeptWalks> walks_;  ///< likewise
};

class BorrowedWork {
public:
    /// Of nobody's.
    BorrowedWork() : work_(std::make_unique<StackWork>()) {}
    BorrowedWork(KnownWork& owner, WorkSubject subject, std::unique_ptr<StackWork> work)
        : owner_(&owner), subject_(std::move(subject)), work_(std::move(work)) {}
    BorrowedWork(BorrowedWork&&) = default;
    BorrowedWork& operator=(BorrowedWork&&) = delete;
    BorrowedWork(const BorrowedWork&) = delete;
    BorrowedWork& operator=(const BorrowedWork&) = delete;
    ~BorrowedWork();

    StackWork* operator->() const { return work_.get(); }

private:
    KnownWork* owner_ = nullptr;
    WorkSubject subject_;
    std::unique_ptr<StackWork> work_;
};

/// The work of each of a task's stacks; without `known` it ends with the search.
std::vector<BorrowedWork> borrowed(const SearchTask& task,
                                   const SearchSpace& space,
                                   KnownWork* known,
                                   bool isCopied = false);

}  // namespace fabricast
