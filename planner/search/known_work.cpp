#include "planner/search/known_work.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

/// Models whose walks are kept, and walks of one.
constexpr std::size_t kMostModels = 4;
constexpr std::size_t kMostWalks = 4'000;

std::optional<WorkSubject> subjectOf(const SearchTask& task,
                                     const SearchSpace& space,
                                     std::size_t stack) {
    const StackSettings& under = task.stacks[stack];
    if (!under.asked) {
        return std::nullopt;
    }
    const NodeSpec& node = task.base.cluster.node;
    return WorkSubject{.stack = under.stack,
                       .settings = *under.asked,
                       .model = task.base.model,
                       .sequence = task.base.workload.sequence,
                       .gpu = node.gpu,
                       .gpusOfNode = node.gpus,
                       .hostMemory = node.hostMemory,
                       .nvme = node.nvme,
                       .reserve = task.base.cluster.reserve,
                       .recomputes = space.recomputes[stack]};
}

/// Layers keep the same bytes on every GPU.
bool keepsAlike(const WorkSubject& a, const WorkSubject& b) {
    return a.stack == b.stack && a.settings == b.settings && a.sequence == b.sequence &&
           a.recomputes == b.recomputes && a.model == b.model;
}

}  // namespace

BorrowedWork KnownWork::borrow(std::optional<WorkSubject> subject, bool isCopied) {
    if (!subject) {
        return {};
    }
    const std::scoped_lock guard(lock_);
    const auto kept = std::ranges::find(kept_, *subject, &Kept::subject);
    auto work = std::make_unique<StackWork>();
    work->memories = walksOf(*subject);
    if (kept != kept_.end() && isCopied) {
        work->blocks = kept->work->blocks;
    } else if (kept != kept_.end()) {
        work->blocks = std::move(kept->work->blocks);
        kept_.erase(kept);
    } else {
        const auto alike = std::ranges::find_if(
            kept_, [&subject](const Kept& one) { return keepsAlike(one.subject, *subject); });
        if (alike != kept_.end()) {
            work->blocks.kept = alike->work->blocks.kept;
        }
    }
    return {*this, *std::move(subject), std::move(work)};
}

/// Those of its model and sequence, which are now the latest; none where they have become too many.
std::shared_ptr<LayoutMemories> KnownWork::walksOf(const WorkSubject& subject) {
    const auto isOfIt = [&subject](const KeptWalks& kept) {
        return kept.model == subject.model && kept.sequence == subject.sequence;
    };
    const auto found = std::ranges::find_if(walks_, isOfIt);
    if (found == walks_.end()) {
        walks_.push_front({subject.model, subject.sequence, std::make_shared<LayoutMemories>()});
    } else {
        walks_.splice(walks_.begin(), walks_, found);
        if (found->walks->size() > kMostWalks) {
            found->walks = std::make_shared<LayoutMemories>();
        }
    }
    if (walks_.size() > kMostModels) {
        walks_.pop_back();
    }
    return walks_.front().walks;
}

/// Of two searches of one subject at a time the last to end is kept.
void KnownWork::giveBack(Kept kept) {
    std::list<Kept> gone;
    const std::scoped_lock guard(lock_);
    const auto same = std::ranges::find(kept_, kept.subject, &Kept::subject);
    if (same != kept_.end()) {
        gone.splice(gone.end(), kept_, same);
    }
    kept_.push_front(std::move(kept));
    std::size_t blocks = 0;
    const auto first = std::ranges::find_if(kept_, [this, &blocks](const Kept& one) {
        blocks += one.work->blocks.size();
        return blocks > mostBlocks_;
    });
    gone.splice(gone.end(), kept_, first, kept_.end());
}

BorrowedWork::~BorrowedWork() {
    if (owner_ != nullptr && work_ != nullptr) {
        owner_->giveBack({std::move(subject_), std::move(work_)});
    }
}

std::vector<BorrowedWork> borrowed(const SearchTask& task,
                                   const SearchSpace& space,
                                   KnownWork* known,
                                   bool isCopied) {
    std::vector<BorrowedWork> work;
    work.reserve(task.stacks.size());
    for (std::size_t stack = 0; stack < task.stacks.size(); ++stack) {
        work.push_back(known == nullptr ? BorrowedWork()
                                        : known->borrow(subjectOf(task, space, stack), isCopied));
    }
    return work;
}

}  // namespace fabricast
