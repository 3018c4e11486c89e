#include "planner/memory/walk/copied_aside.h"

#include <algorithm>

namespace fabricast {

namespace {

constexpr std::int64_t kMostSaved = 5;  // max_fwd_stash_size

}  // namespace

void CopiedAside::add(Storage storage) {
    ++saved_;
    std::erase_if(copied_, [this](const auto& one) {
        const bool isOld = one.first <= saved_ - kMostSaved;
        if (isOld) {
            device_.release(one.second);
        }
        return isOld;
    });
    if (storage != kNoStorage) {
        device_.retain(storage);
        copied_.emplace_back(saved_, storage);
    }
}

bool CopiedAside::holds(Storage storage) const {
    return storage != kNoStorage &&
           std::ranges::find(copied_, storage, &std::pair<std::int64_t, Storage>::second) !=
               copied_.end();
}

void CopiedAside::bring(Storage storage) {
    isAsked_ = true;
    device_.retain(storage);
    bringing_.push_back(storage);
}

void CopiedAside::release(std::vector<Storage>& storages) {
    for (const Storage storage : storages) {
        device_.release(storage);
    }
    storages.clear();
}

void CopiedAside::endNode() {
    if (!isAsked_) {
        return;
    }
    isAsked_ = false;
    for (const auto& [number, storage] : copied_) {
        device_.release(storage);
    }
    copied_.clear();
    release(brought_);
    std::swap(brought_, bringing_);
}

void CopiedAside::endBackward() {
    release(brought_);
    release(bringing_);
    saved_ = 0;
}

}  // namespace fabricast
