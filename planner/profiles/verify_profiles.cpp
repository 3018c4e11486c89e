#include "planner/profiles/verify_profiles.h"

#include "planner/models/model_file.h"
#include "planner/profiles/profile_sheet.h"
#include "planner/profiles/read_measured_collectives.h"
#include "planner/profiles/read_records.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

using Severity = ProfileFinding::Severity;

/// A title ("NVIDIA, H100 data sheet") or an address is a reference by itself; one bare word is an
/// id.
bool isId(const std::string& from) {
    return from.find(' ') == std::string::npos && from.find("://") == std::string::npos;
}

/// Reads a profile of any kind with all profiles it names, and compares them.
Result<std::vector<std::string>> readAndCompare(const ProfileStore& store,
                                                const ProfileFile& file) {
    switch (file.kind) {
        case ProfileKind::Gpu: {
            FABRICAST_ASSIGN(const GpuSpec gpu, store.gpu(file.name));
            return contradictionsOf(gpu);
        }
        case ProfileKind::Node: {
            FABRICAST_ASSIGN(const NodeSpec node, store.node(file.name));
            return contradictionsOf(node, store);
        }
        case ProfileKind::Fabric: {
            FABRICAST_ASSIGN(const FabricSpec fabric, store.fabric(file.name));
            return contradictionsOf(fabric);
        }
        case ProfileKind::Cluster: {
            FABRICAST_ASSIGN(const ClusterSpec cluster, store.cluster(file.name));
            return contradictionsOf(cluster);
        }
        case ProfileKind::Kernel: {
            FABRICAST_TRY(store.gpu(file.name, file.source));
            return std::vector<std::string>();
        }
        case ProfileKind::Collective: {
            FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
            if (isMeasured(root)) {
                FABRICAST_ASSIGN(const auto measured, store.measuredCollectives(file));
                return contradictionsOf(measured);
            }
            FABRICAST_TRY(store.ncclModel(file.name));
            return std::vector<std::string>();
        }
        case ProfileKind::Interval: {
            FABRICAST_TRY(store.intervals(file.name));
            return std::vector<std::string>();
        }
        case ProfileKind::Correction: {
            FABRICAST_TRY(store.correction(file.name));
            return std::vector<std::string>();
        }
        case ProfileKind::Host: {
            FABRICAST_TRY(store.host(file.name));
            return std::vector<std::string>();
        }
        case ProfileKind::Runtime: {
            if (file.name != kUsualRuntime) {
                FABRICAST_TRY(store.find(ProfileKind::Gpu, file.name, file.source));
            }
            FABRICAST_TRY(store.runtime(file.name));
            return std::vector<std::string>();
        }
        case ProfileKind::Software: {
            FABRICAST_TRY(store.software(file.name));
            return std::vector<std::string>();
        }
        case ProfileKind::Price: {
            FABRICAST_TRY(store.price(file.name));
            return std::vector<std::string>();
        }
        case ProfileKind::Site: {
            FABRICAST_TRY(store.site(file.name));
            return std::vector<std::string>();
        }
        case ProfileKind::Model:
            break;
    }
    FABRICAST_TRY(parseModel(file.text, file.source));
    return std::vector<std::string>();
}

/// What is newer comes before the rest for ever. Of measurements, and what was made of them.
Result<void> checkDayOf(const ProfileFile& file, std::string_view today) {
    const bool isDated =
        file.kind == ProfileKind::Collective || file.kind == ProfileKind::Correction;
    if (!file.isOwn() || !isDated || today.empty()) {
        return {};
    }
    FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
    for (const char* const key : {"date", "begun"}) {
        FABRICAST_ASSIGN(const std::string said, root.textOr(key, ""));
        if (std::string_view(said).substr(0, today.size()) > today) {
            return fail(
                Error::Code::BadInput,
                file.source,
                "is of " + said + ", which is in the future",
                "mend \"" + std::string(key) + "\": the newest of several measurements is used");
        }
    }
    return {};
}

class Verifier {
public:
    Verifier(const ProfileStore& store, std::string_view today) : store_(store), today_(today) {
        Result<std::map<std::string, ProfileSource>> sources = store.sources();
        if (sources) {
            sources_ = *std::move(sources);
        } else {
            add(sources.error());
        }
    }

    ProfileVerification run() && {
        for (const ProfileKind kind : kProfileKinds) {
            std::vector<ProfileSheet> sheets;
            for (const ProfileFile& file : store_.files(kind)) {
                ++result_.count[static_cast<std::size_t>(kind)];
                if (std::optional<ProfileSheet> sheet = check(file)) {
                    sheets.push_back(*std::move(sheet));
                }
            }
            checkAliases(sheets);
        }
        std::ranges::move(contradictingMeasurements(store_), std::back_inserter(result_.findings));
        return std::move(result_);
    }

private:
    /// Once: a broken GPU is met again from every node that has it.
    void add(const Error& error) {
        const auto same = [&error](const ProfileFinding& finding) {
            return finding.where == error.where && finding.why == error.why;
        };
        if (std::ranges::any_of(result_.findings, same)) {
            return;
        }
        result_.findings.push_back({Severity::Error, error.where, error.why, error.hint});
    }
    void warn(const std::string& where, std::string why, std::string hint = {}) {
        result_.findings.push_back({Severity::Warning, where, std::move(why), std::move(hint)});
    }

    /// The sheet of a profile that can be read.
    std::optional<ProfileSheet> check(const ProfileFile& file) {
        const Result<std::vector<std::string>> compared = readAndCompare(store_, file);
        const Result<ProfileSheet> sheet = profileSheet(file);
        if (!compared || !sheet) {
            add(compared ? sheet.error() : compared.error());
            return std::nullopt;
        }
        for (const std::string& why : *compared) {
            warn(file.source, why);
        }
        checkFacts(*sheet);
        if (const Result<void> day = checkDayOf(file, today_); !day) {
            warn(day.error().where, day.error().why, day.error().hint);
        }
        return *sheet;
    }

    /// Within one kind, a name leads to one profile.
    void checkAliases(const std::vector<ProfileSheet>& sheets) {
        std::map<std::string, std::string> owners;
        for (const ProfileSheet& sheet : sheets) {
            owners[sheet.name] = sheet.name;
        }
        for (const ProfileSheet& sheet : sheets) {
            for (const std::string& alias : sheet.aliases) {
                const auto [entry, isNew] = owners.emplace(profileName(alias), sheet.name);
                if (!isNew && entry->second != sheet.name) {
                    warn(sheet.file,
                         "the alias \"" + alias + "\" refers to \"" + entry->second + "\"",
                         "an alias belongs to one profile");
                }
            }
        }
    }

    void checkFacts(const ProfileSheet& sheet) {
        ProfileVerification::Unknown unknown{sheet.file, {}};
        for (const ProfileFact& fact : sheet.facts) {
            if (fact.value.empty()) {
                unknown.keys.push_back(fact.key);
            }
            checkSource(sheet, fact);
        }
        if (!unknown.keys.empty() && sheet.kind != ProfileKind::Model &&
            sheet.kind != ProfileKind::Kernel) {
            result_.unknown.push_back(std::move(unknown));
        }
    }

    void checkSource(const ProfileSheet& sheet, const ProfileFact& fact) {
        if (fact.from.empty()) {
            if (fact.source == "datasheet" || fact.source == "measured") {
                warn(sheet.file,
                     "\"" + fact.key + "\" is " + fact.source + ", without a reference",
                     "add \"from\": an id of sources.json, a title or an address");
            } else if (fact.source == "assumed" && fact.note.empty()) {
                warn(sheet.file, "\"" + fact.key + "\" is assumed without a reason", "add a note");
            }
        } else if (isId(fact.from) && !sources_.contains(fact.from)) {
            warn(sheet.file,
                 "\"" + fact.key + "\" is from \"" + fact.from + "\", which is not in sources.json",
                 "add it to the sources.json of the profile folder, or write a title");
        }
    }

    const ProfileStore& store_;
    std::string_view today_;
    std::map<std::string, ProfileSource> sources_;
    ProfileVerification result_;
};

}  // namespace

bool ProfileVerification::sound() const {
    return std::ranges::none_of(findings, [](const ProfileFinding& finding) {
        return finding.severity == Severity::Error;
    });
}

ProfileVerification verifyProfiles(const ProfileStore& store, std::string_view today) {
    return Verifier(store, today).run();
}

Result<void> checkOwnProfiles(const ProfileStore& store, std::string_view today) {
    for (const ProfileKind kind : kProfileKinds) {
        for (const ProfileFile& file : store.files(kind)) {
            if (file.isOwn()) {
                FABRICAST_TRY(readAndCompare(store, file));
                FABRICAST_TRY(checkDayOf(file, today));
            }
        }
    }
    return {};
}

}  // namespace fabricast
