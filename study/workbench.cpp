#include "study/workbench.h"

#include "planner/base/parallel_map.h"
#include "planner/load/load_question.h"

#include <mutex>
#include <optional>
#include <utility>

namespace fabricast {

struct Workbench::Shared {
    explicit Shared(ProfileStore opened) : profiles(std::move(opened)) {}

    ProfileStore profiles;
    std::once_flag once;
    std::optional<Result<TimingProfiles>> timing;
    KnownWork known;
};

Result<Workbench> Workbench::open(std::span<const std::string> profileFolders,
                                  std::size_t threads) {
    FABRICAST_ASSIGN(ProfileStore profiles, ProfileStore::open(profileFolders));
    return Workbench(std::make_shared<Shared>(std::move(profiles)),
                     threads > 0 ? threads : threadsOfMachine());
}

const ProfileStore& Workbench::profiles() const {
    return shared_->profiles;
}

KnownWork& Workbench::known() const {
    return shared_->known;
}

Result<const TimingProfiles*> Workbench::timing() const {
    std::call_once(shared_->once, [this] { shared_->timing = loadTiming(shared_->profiles); });
    const Result<TimingProfiles>& timing = *shared_->timing;
    if (!timing) {
        return tl::unexpected(timing.error());
    }
    return &*timing;
}

}  // namespace fabricast
