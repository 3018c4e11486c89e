#include "planner/profiles/profile_store.h"

#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 2> kSourcesKeys = {"schema", "sources"};
constexpr std::array<std::string_view, 2> kSourceKeys = {"title", "url"};
constexpr std::string_view kSchema = "fabricast.sources/1";

Result<ProfileSource> readProfileSource(const JsonValue& value) {
    FABRICAST_TRY(value.onlyKeys(kSourceKeys));
    FABRICAST_ASSIGN(const JsonValue* const title, value.require("title"));
    ProfileSource source;
    FABRICAST_ASSIGN(source.title, title->text());
    FABRICAST_ASSIGN(source.url, value.textOr("url", ""));
    return source;
}

Result<void> readSources(const ProfileFile& file, std::map<std::string, ProfileSource>& sources) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(file.text, file.source));
    FABRICAST_TRY(root.onlyKeys(kSourcesKeys));
    FABRICAST_ASSIGN(const JsonValue* const schema, root.require("schema"));
    if (schema->text() != std::string(kSchema)) {
        return tl::unexpected(
            schema->problem("is " + schema->shown(), "write \"" + std::string(kSchema) + "\""));
    }
    FABRICAST_ASSIGN(const JsonValue* const list, root.require("sources"));
    FABRICAST_TRY(list->expect(JsonValue::Kind::Object));
    for (const JsonValue& entry : list->members()) {
        FABRICAST_ASSIGN(sources[entry.name()], readProfileSource(entry));
    }
    return {};
}

}  // namespace

Result<std::map<std::string, ProfileSource>> ProfileStore::sources() const {
    std::map<std::string, ProfileSource> sources;
    for (const ProfileFile& file : sources_) {
        FABRICAST_TRY(readSources(file, sources));
    }
    return sources;
}

}  // namespace fabricast
