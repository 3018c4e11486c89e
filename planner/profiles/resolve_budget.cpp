#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/read_records.h"

#include <optional>
#include <string>
#include <utility>

namespace fabricast {

Result<PriceProfile> ProfileStore::price(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Price, name, where));
    return parsed(file, [this](const JsonValue& root) { return priceOf(root); });
}

Result<PriceProfile> ProfileStore::priceIn(std::string_view text, const std::string& source) const {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, source));
    return priceOf(root);
}

/// Prices are kept under the names of their GPUs' files, however they were written.
Result<PriceProfile> ProfileStore::priceOf(const JsonValue& root) const {
    FABRICAST_ASSIGN(PriceProfile profile, readPrice(root));
    std::map<std::string, GpuPrice, std::less<>> named;
    const JsonValue* gpus = root.find("gpus");
    for (const JsonValue& gpu : gpus->members()) {
        FABRICAST_ASSIGN(const ProfileFile file,
                         find(ProfileKind::Gpu, gpu.name(), gpu.whereKey()));
        if (!named.emplace(file.name, std::move(profile.gpus[gpu.name()])).second) {
            return tl::unexpected(gpu.problem("is " + file.name + ", which already has prices",
                                              "list each GPU once"));
        }
    }
    profile.gpus = std::move(named);
    return profile;
}

Result<SiteProfile> ProfileStore::site(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Site, name, where));
    return parsed(file, [this](const JsonValue& root) { return siteOf(root); });
}

Result<SiteProfile> ProfileStore::siteIn(std::string_view text, const std::string& source) const {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, source));
    return siteOf(root);
}

Result<SiteProfile> ProfileStore::siteOf(const JsonValue& root) const {
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    FABRICAST_ASSIGN(const std::optional<ProfileReference> extends, readExtends(root));
    if (!extends) {
        return readSite(root, {});
    }
    FABRICAST_ASSIGN(const ProfileFile baseFile,
                     find(ProfileKind::Site, extends->name, extends->where));
    FABRICAST_ASSIGN(const JsonValue baseRoot, readDocument(baseFile));
    if (baseRoot.find("extends") != nullptr) {
        return fail(Error::Code::BadInput,
                    extends->where,
                    "\"" + extends->name + "\" extends another site itself",
                    "extend that one");
    }
    FABRICAST_ASSIGN(SiteProfile base, readSite(baseRoot, {}));
    return readSite(root, std::move(base));
}

}  // namespace fabricast
