#include "planner/output/printable_text.h"
#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_profile.h"

#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostAliases = 64;
constexpr std::size_t kLongestName = 100;

Result<std::vector<std::string>> readAliases(const JsonValue& root) {
    std::vector<std::string> aliases;
    const JsonValue* list = root.find("aliases");
    if (list == nullptr) {
        return aliases;
    }
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : list->items()) {
        FABRICAST_ASSIGN(std::string alias, item.text());
        if (alias.empty() || alias.size() > kLongestName || aliases.size() == kMostAliases) {
            return tl::unexpected(item.problem("is not a valid profile name"));
        }
        aliases.push_back(std::move(alias));
    }
    return aliases;
}

}  // namespace

bool isProfileName(std::string_view name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    return !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
           std::ranges::all_of(name, allowed);
}

Result<ProfileHeader> readHeader(const JsonValue& root, std::string_view kind, int newest) {
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    FABRICAST_ASSIGN(const JsonValue* const schema, root.require("schema"));
    const std::string stem = "fabricast." + std::string(kind) + "/";
    const std::string expected = stem + std::to_string(newest);
    FABRICAST_ASSIGN(const std::string said, schema->text());
    ProfileHeader header;
    while (header.version <= newest && said != stem + std::to_string(header.version)) {
        ++header.version;
    }
    if (header.version > newest) {
        return tl::unexpected(schema->problem(
            "is " + schema->shown() + " in a folder of " + std::string(kind) + " profiles",
            "write \"" + expected + "\""));
    }
    FABRICAST_ASSIGN(const JsonValue* const name, root.require("name"));
    FABRICAST_ASSIGN(header.name, name->text());
    if (!isProfileName(header.name)) {
        return tl::unexpected(
            name->problem("cannot be " + name->shown(), "use lower case, digits and hyphens"));
    }
    FABRICAST_ASSIGN(header.title, requireText(root, "title"));
    if (printableLine(header.title) != header.title) {
        return tl::unexpected(root.find("title")->problem("must be one line of letters that show"));
    }
    FABRICAST_ASSIGN(header.aliases, readAliases(root));
    return header;
}

}  // namespace fabricast
