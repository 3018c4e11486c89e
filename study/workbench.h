#pragma once
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "planner/profiles/profile_store.h"
#include "planner/search/known_work.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace fabricast {

/// This is what questions are answered with: the profiles and how long things take on them. Opened
/// once and never changed, it may be copied and used by several threads at a time.
///     FABRICAST_ASSIGN(const Workbench bench, Workbench::open(profileFolders));
/// Once it is open, a study of a question that names only profiles reads no file. Models, clusters,
/// prices and sites that a question names by a path are read each time it is asked.
class Workbench {
public:
    /// The built-in profiles, under those of the folders: the last one wins. `threads` at most; 0
    /// is as many as the machine has.
    static Result<Workbench> open(std::span<const std::string> profileFolders,
                                  std::size_t threads = 0);

    [[nodiscard]] const ProfileStore& profiles() const;
    /// Read from the profiles when it is first asked for.
    [[nodiscard]] Result<const TimingProfiles*> timing() const;
    [[nodiscard]] std::size_t threads() const { return threads_; }
    /// The same profiles and work, for one of several threads that answer questions.
    [[nodiscard]] Workbench withThreads(std::size_t threads) const { return {shared_, threads}; }
    /// What searches found out, for those that come after them: answers do not depend on it.
    [[nodiscard]] KnownWork& known() const;

private:
    struct Shared;
    Workbench(std::shared_ptr<Shared> shared, std::size_t threads)
        : shared_(std::move(shared)), threads_(threads) {}

    std::shared_ptr<Shared> shared_;
    std::size_t threads_ = 1;
};

}  // namespace fabricast
