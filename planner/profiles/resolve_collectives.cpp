#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_measured_collectives.h"
#include "planner/profiles/read_records.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

struct Dated {
    MeasuredCollectives measured;
    std::string begun;      ///< the time of that day; may be empty
    std::size_t layer = 0;  ///< of the folder; 0: built in
};

/// Own measurements before those built in, and of them the newest; where times do not tell, those
/// of the later folder, and of the later name ("our-2026-02").
bool comesFirst(const Dated& left, const Dated& right) {
    const auto age = [](const Dated& one) {
        return std::tie(
            one.measured.own, one.measured.date, one.begun, one.layer, one.measured.name);
    };
    return left.measured.own && age(left) > age(right);
}

}  // namespace

Result<NcclModel> ProfileStore::ncclModel(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Collective, name, where));
    return parsed(file, [&](const JsonValue& root) -> Result<NcclModel> {
        if (isMeasured(root)) {
            return fail(Error::Code::BadInput,
                        std::string(where),
                        "\"" + file.name + "\" has measured curves, not the model of a library",
                        "nccl or rccl");
        }
        return readNcclModel(root);
    });
}

Result<std::vector<NcclModel>> ProfileStore::otherLibraries() const {
    FABRICAST_ASSIGN(CollectiveFiles all, collectiveFiles());
    std::erase_if(all.models, [](const NcclModel& model) {
        return model.library == "nccl" || model.library == "rccl";
    });
    return std::move(all.models);
}

Result<MeasuredCollectives> ProfileStore::measuredCollectives(const ProfileFile& file) const {
    FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
    return measuredIn(root, file);
}

Result<std::vector<MeasuredCollectives>> ProfileStore::measuredCollectives() const {
    FABRICAST_ASSIGN(CollectiveFiles all, collectiveFiles());
    return std::move(all.measured);
}

Result<MeasuredCollectives> ProfileStore::measuredIn(const JsonValue& root,
                                                     const ProfileFile& file) const {
    FABRICAST_ASSIGN(MeasuredFile said, readMeasuredCollectives(root));
    said.measured.own = file.isOwn();
    FABRICAST_ASSIGN(said.measured.machine, cluster(said.machine.name, said.machine.where));
    return said.measured;
}

Result<ProfileStore::CollectiveFiles> ProfileStore::collectiveFiles() const {
    return cache_->of<CollectiveFiles>("collectives", [this] { return readCollectives(); });
}

Result<ProfileStore::CollectiveFiles> ProfileStore::readCollectives() const {
    CollectiveFiles all;
    std::vector<Dated> dated;
    for (const ProfileFile& file : files(ProfileKind::Collective)) {
        FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
        if (isMeasured(root)) {
            FABRICAST_ASSIGN(MeasuredCollectives one, measuredIn(root, file));
            FABRICAST_ASSIGN(std::string begun, root.textOr("begun", ""));
            dated.push_back({std::move(one), std::move(begun), file.layer});
        } else {
            FABRICAST_ASSIGN(NcclModel model, readNcclModel(root));
            all.models.push_back(std::move(model));
        }
    }
    std::ranges::stable_sort(dated, &comesFirst);
    for (Dated& each : dated) {
        all.measured.push_back(std::move(each.measured));
    }
    return all;
}

}  // namespace fabricast
