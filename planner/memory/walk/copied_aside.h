#pragma once
#include "planner/memory/device/device.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace fabricast {

/// What TRL's OffloadActivations leaves on the device while its stream copies: of the tensors that
/// nodes saved the last five, and what one node brought back until the next that does is done.
class CopiedAside {
public:
    explicit CopiedAside(Device& device) : device_(device) {}
    /// One more was saved; it is not copied.
    void count() { ++saved_; }
    /// The same, of one that is; `storage` may be none.
    void add(Storage storage);
    [[nodiscard]] bool holds(Storage storage) const;
    /// The node at work asks for what was copied, and brings this back.
    void ask() { isAsked_ = true; }
    void bring(Storage storage);
    /// It is done: TRL's hook behind it.
    void endNode();
    void endBackward();

private:
    void release(std::vector<Storage>& storages);

    Device& device_;
    std::int64_t saved_ = 0;
    std::vector<std::pair<std::int64_t, Storage>> copied_;
    std::vector<Storage> brought_;
    std::vector<Storage> bringing_;
    bool isAsked_ = false;
};

}  // namespace fabricast
