#include "planner/profiles/profile_store.h"

#include "planner/base/nearest_name.h"
#include "planner/profiles/model_spelling.h"
#include "planner/profiles/profile_list.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {
namespace {

/// As drivers print it: "NVIDIA GeForce RTX 5090", "AMD Instinct MI300X".
std::string_view withoutVendor(std::string_view name) {
    constexpr std::array<std::string_view, 5> kVendors = {
        "nvidia-", "tesla-", "amd-", "instinct-", "intel-"};
    for (const std::string_view vendor : kVendors) {
        if (name.starts_with(vendor)) {
            return name.substr(vendor.size());
        }
    }
    return name;
}

constexpr std::size_t kLongestQuoted = 100;
constexpr std::array<std::string_view, kProfileKinds.size()> kNames = {"gpu",
                                                                       "node",
                                                                       "fabric",
                                                                       "cluster",
                                                                       "model",
                                                                       "kernel",
                                                                       "collective",
                                                                       "software",
                                                                       "interval",
                                                                       "price",
                                                                       "site",
                                                                       "correction",
                                                                       "host",
                                                                       "runtime"};

std::string folderOf(ProfileKind kind) {
    const std::string name(profileKindName(kind));
    return kind == ProfileKind::Software ? name : name + "s";
}

std::string nounOf(ProfileKind kind) {
    return kind == ProfileKind::Gpu ? "GPU" : std::string(profileKindName(kind));
}

/// "gpus/h100.json" is the GPU "h100"; nothing for files of no kind.
std::optional<ProfileFile> profileAt(std::string_view path) {
    constexpr std::string_view kEnding = ".json";
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos || !path.ends_with(kEnding)) {
        return std::nullopt;
    }
    const std::string_view stem = path.substr(slash + 1, path.size() - slash - 1 - kEnding.size());
    for (const ProfileKind kind : kProfileKinds) {
        if (path.substr(0, slash) == folderOf(kind)) {
            return ProfileFile{.kind = kind, .name = std::string(stem)};
        }
    }
    return std::nullopt;
}

/// The aliases of a file; of a file that cannot be read, the reason.
Result<std::vector<std::string>> aliasesOf(const ProfileFile& file) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(file.text, file.source));
    std::vector<std::string> aliases;
    if (const JsonValue* list = root.find("aliases")) {
        for (const JsonValue& item : list->items()) {
            FABRICAST_ASSIGN(std::string alias, item.text());
            aliases.push_back(std::move(alias));
        }
    }
    return aliases;
}

/// Names that have all the words of the typed one, the first few: llama-3.1-70b for llama-70b.
std::string namesWith(const std::vector<std::string>& known, std::string_view typed) {
    constexpr std::size_t kMostNamed = 4;
    constexpr std::size_t kLongestAsked = 200;
    if (typed.size() > kLongestAsked) {
        return "";
    }
    std::string list;
    std::vector<std::string> named;  // a node and its GPU may share a name
    for (const std::string& name : known) {
        const bool isAlias = name.find('/') != std::string::npos;
        const bool isNew = std::ranges::find(named, name) == named.end();
        if (!isAlias && isNew && named.size() < kMostNamed && hasWordsOf(name, typed)) {
            list += (named.empty() ? "" : "\" or \"") + name;
            named.push_back(name);
        }
    }
    return list;
}

std::string digitsOf(std::string_view name) {
    std::string digits;
    std::ranges::copy_if(
        name, std::back_inserter(digits), [](char c) { return c >= '0' && c <= '9'; });
    return digits;
}

/// The nearest name, but for one with another number, where the typed one is a longer form of a
/// known one: rtx-3090 for rtx-3090-ti, and not rtx-5070-ti.
std::string nearestKnown(const std::vector<std::string>& known, const std::string& typed) {
    const std::string nearest =
        nearestName(typed, std::vector<std::string_view>(known.begin(), known.end()));
    if (digitsOf(nearest) == digitsOf(typed)) {
        return nearest;
    }
    std::string longest;
    for (const std::string& name : known) {
        if (typed.starts_with(name + "-") && name.size() > longest.size()) {
            longest = name;
        }
    }
    return longest.empty() ? nearest : longest;
}

/// The number of a name, "3080" of rtx-3080-ti, and the letters before it, in the order of the
/// alphabet.
std::pair<std::string, std::string> lineAndNumber(std::string_view name) {
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t digit = std::min(name.find_first_of(kDigits), name.size());
    const std::size_t end = std::min(name.find_first_not_of(kDigits, digit), name.size());
    std::string line(name.substr(0, digit));
    std::ranges::sort(line);
    return {std::move(line), std::string(name.substr(digit, end - digit))};
}

/// Of the same line and number: another letter or digit there is another GPU, not a typo. p100 is
/// no a100 and gh200 no gb200, but rtx-3080 is near rtx-3080-ti, and to rxt-3080.
bool isNearGpu(std::string_view known, std::string_view typed) {
    return lineAndNumber(known) == lineAndNumber(typed);
}

/// `near`: their names in quotes.
std::string otherGpuHint(const std::string& near) {
    return (near.empty() ? "fabricast profiles list --kind gpu" : "near it: " + near) +
           "; to describe it: fabricast profiles new gpu";
}

}  // namespace

std::string_view profileKindName(ProfileKind kind) {
    return kNames[static_cast<std::size_t>(kind)];
}

std::string profileName(std::string_view typed) {
    std::string text(typed);
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        } else if (c == '_' || c == '.' || c == ' ') {
            c = '-';
        }
    }
    return text;
}

ProfileStore ProfileStore::builtIn() {
    // One for the whole process: its files never change, so none is read twice.
    static const ProfileStore built = [] {
        ProfileStore store;
        for (const EmbeddedFile& embedded : embeddedProfiles()) {
            ProfileFile file = profileAt(embedded.path).value_or(ProfileFile{});
            file.source = "hardware_profiles/" + std::string(embedded.path);
            file.text = embedded.text;
            if (!file.name.empty()) {
                store.add(std::move(file));
            } else if (embedded.path == "sources.json") {
                store.sources_.push_back(std::move(file));
            }
        }
        return store;
    }();
    return built;
}

Result<ProfileStore> ProfileStore::open(std::span<const std::string> folders) {
    ProfileStore store = builtIn();
    if (!folders.empty()) {  // where other files may stand in place of those built in
        store.cache_ = std::make_shared<ProfileCache>();
    }
    for (std::size_t i = 0; i < folders.size(); ++i) {
        FABRICAST_TRY(store.addFolder(folders[i], i + 1));
    }
    return store;
}

Result<void> ProfileStore::addFolder(const std::string& folder, std::size_t layer) {
    std::vector<std::string> kinds;
    kinds.reserve(kProfileKinds.size());
    for (const ProfileKind kind : kProfileKinds) {
        kinds.push_back(folderOf(kind));
    }
    FABRICAST_ASSIGN(const std::vector<FolderFile> found, readProfileFolder(folder, kinds));
    for (const FolderFile& one : found) {
        ProfileFile file = profileAt(one.path).value_or(ProfileFile{});
        file.source = one.source;
        file.owner = one.text;
        file.text = *one.text;
        file.layer = layer;
        if (file.name.empty()) {
            sources_.push_back(std::move(file));
        } else {
            add(std::move(file));
        }
    }
    return {};
}

void ProfileStore::add(ProfileFile file) {
    std::vector<ProfileFile>& all = files_[static_cast<std::size_t>(file.kind)];
    const auto place = std::ranges::lower_bound(all, file.name, {}, &ProfileFile::name);
    if (place != all.end() && place->name == file.name) {
        *place = std::move(file);
    } else {
        all.insert(place, std::move(file));
    }
}

std::span<const ProfileFile> ProfileStore::files(ProfileKind kind) const {
    return files_[static_cast<std::size_t>(kind)];
}

Result<std::vector<ProfileStore::Alias>> ProfileStore::aliases(ProfileKind kind) const {
    const auto read = [this, kind]() -> Result<std::vector<Alias>> {
        std::vector<Alias> all;
        const std::span<const ProfileFile> known = files(kind);
        for (std::size_t file = 0; file < known.size(); ++file) {
            FABRICAST_ASSIGN(const std::vector<std::string> names, aliasesOf(known[file]));
            for (const std::string& name : names) {
                all.push_back({profileName(name), file});
            }
        }
        return all;
    };
    return cache_->of<std::vector<Alias>>(folderOf(kind), read);
}

Result<const ProfileFile*> ProfileStore::lookUp(ProfileKind kind, std::string_view name) const {
    const std::string wanted = profileName(name);
    const std::span<const ProfileFile> all = files(kind);
    const auto exact = std::ranges::find_if(
        all, [&](const ProfileFile& file) { return profileName(file.name) == wanted; });
    if (exact != all.end()) {
        return &*exact;
    }
    FABRICAST_ASSIGN(const std::vector<Alias> known, aliases(kind));
    const ProfileFile* best = nullptr;
    for (const Alias& alias : known) {
        const ProfileFile& file = all[alias.file];
        if (alias.name == wanted && (best == nullptr || best->layer < file.layer)) {
            best = &file;
        }
    }
    return best != nullptr || withoutVendor(wanted) == wanted ? best
                                                              : lookUp(kind, withoutVendor(wanted));
}

/// The GPUs near a name that none has, each once, whichever of its names is near.
Result<std::string> ProfileStore::nearGpus(std::string_view name) const {
    constexpr std::size_t kMostNamed = 4;
    const std::string typed = profileName(name);
    const std::span<const ProfileFile> all = files(ProfileKind::Gpu);
    FABRICAST_ASSIGN(const std::vector<Alias> also, aliases(ProfileKind::Gpu));
    std::string near;
    std::size_t named = 0;
    for (std::size_t file = 0; file < all.size() && named < kMostNamed; ++file) {
        const bool isNear = isNearGpu(profileName(all[file].name), typed) ||
                            std::ranges::any_of(also, [&](const Alias& alias) {
                                return alias.file == file && isNearGpu(alias.name, typed);
                            });
        if (isNear) {
            near += (near.empty() ? "\"" : ", \"") + all[file].name + "\"";
            ++named;
        }
    }
    return near;
}

Result<Error> ProfileStore::notFound(std::span<const ProfileKind> kinds,
                                     std::string_view name,
                                     std::string_view where) const {
    std::string noun;
    std::vector<std::string> known;
    for (const ProfileKind kind : kinds) {
        noun += (noun.empty() ? "" : " or ") + nounOf(kind);
        for (const ProfileFile& file : files(kind)) {
            known.push_back(file.name);
        }
        FABRICAST_ASSIGN(const std::vector<Alias> also, aliases(kind));
        for (const Alias& alias : also) {
            known.push_back(alias.name);
        }
    }
    const bool any = kinds.size() == kProfileKinds.size();
    std::string near = namesWith(known, name);
    near = near.empty() ? nearestKnown(known, profileName(name)) : near;
    Error error{Error::Code::NotFound,
                std::string(where),
                "no " + (any ? "profile" : noun) + " is called \"" +
                    std::string(name.substr(0, kLongestQuoted)) + "\"",
                near.empty()
                    ? "fabricast profiles list" +
                          (any ? "" : " --kind " + std::string(profileKindName(kinds.front())))
                    : "did you mean \"" + near + "\"?"};
    if (kinds.size() == 1 && kinds.front() == ProfileKind::Gpu) {
        FABRICAST_ASSIGN(const std::string gpus, nearGpus(name));
        error.hint = otherGpuHint(gpus);
    }
    return error;
}

Result<ProfileFile> ProfileStore::find(ProfileKind kind,
                                       std::string_view name,
                                       std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile* const file, lookUp(kind, name));
    if (file == nullptr) {
        FABRICAST_ASSIGN(Error error, notFound({{kind}}, name, where));
        return tl::unexpected(std::move(error));
    }
    return *file;
}

Result<ProfileFile> ProfileStore::findAny(std::string_view name, std::string_view where) const {
    constexpr std::array kOrder = {ProfileKind::Cluster,
                                   ProfileKind::Node,
                                   ProfileKind::Gpu,
                                   ProfileKind::Fabric,
                                   ProfileKind::Model,
                                   ProfileKind::Kernel,
                                   ProfileKind::Collective,
                                   ProfileKind::Software,
                                   ProfileKind::Interval,
                                   ProfileKind::Price,
                                   ProfileKind::Site,
                                   ProfileKind::Correction,
                                   ProfileKind::Host,
                                   ProfileKind::Runtime};
    for (const ProfileKind kind : kOrder) {
        FABRICAST_ASSIGN(const ProfileFile* const file, lookUp(kind, name));
        if (file != nullptr) {
            return *file;
        }
    }
    FABRICAST_ASSIGN(Error error, notFound(kOrder, name, where));
    return tl::unexpected(std::move(error));
}

Result<JsonValue> readDocument(const ProfileFile& file) {
    Result<JsonValue> parsed = parseJson(file.text, file.source);
    if (!parsed) {
        Error error = std::move(parsed).error();
        error.hint = error.hint.empty()
                         ? "mend that file or move it away; fabricast profiles verify checks all"
                         : error.hint;
        return tl::unexpected(std::move(error));
    }
    JsonValue root = *std::move(parsed);
    const JsonValue* name = root.find("name");
    if (name != nullptr && name->is(JsonValue::Kind::String) && name->text() != file.name) {
        return tl::unexpected(name->problem(
            "is " + name->shown() + ", but the file is called \"" + file.name + ".json\"",
            "give both the same name"));
    }
    return root;
}

}  // namespace fabricast
