#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_measured_collectives.h"
#include "planner/profiles/read_nccl_model.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

struct Dated {
    MeasuredCollectives measured;
    std::size_t layer = 0;  ///< of the folder; 0: built in
};

/// Own measurements before those built in, and of them the newest; without days those of the later
/// folder, and of the later name ("our-2026-02").
bool comesFirst(const Dated& left, const Dated& right) {
    const auto age = [](const Dated& one) {
        return std::tie(one.measured.own, one.measured.date, one.layer, one.measured.name);
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
    std::vector<NcclModel> others;
    for (const ProfileFile& file : files(ProfileKind::Collective)) {
        FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
        if (isMeasured(root)) {
            continue;
        }
        FABRICAST_ASSIGN(NcclModel model, readNcclModel(root));
        if (model.library != "nccl" && model.library != "rccl") {
            others.push_back(std::move(model));
        }
    }
    return others;
}

Result<MeasuredCollectives> ProfileStore::measuredCollectives(const ProfileFile& file) const {
    FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
    FABRICAST_ASSIGN(MeasuredFile said, readMeasuredCollectives(root));
    said.measured.own = file.layer > 0;
    FABRICAST_ASSIGN(said.measured.machine, cluster(said.machine.name, said.machine.where));
    return said.measured;
}

Result<std::vector<MeasuredCollectives>> ProfileStore::measuredCollectives() const {
    using All = std::vector<MeasuredCollectives>;
    return cache_->of<All>("collectives", [this] { return readMeasured(); });
}

Result<std::vector<MeasuredCollectives>> ProfileStore::readMeasured() const {
    std::vector<Dated> all;
    for (const ProfileFile& file : files(ProfileKind::Collective)) {
        FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
        if (isMeasured(root)) {
            FABRICAST_ASSIGN(MeasuredCollectives one, measuredCollectives(file));
            all.push_back({std::move(one), file.layer});
        }
    }
    std::ranges::stable_sort(all, &comesFirst);
    std::vector<MeasuredCollectives> sorted;
    for (Dated& each : all) {
        sorted.push_back(std::move(each.measured));
    }
    return sorted;
}

}  // namespace fabricast
