#include "planner/profiles/profile_sheet.h"

#include "planner/base/quantity_text.h"
#include "planner/base/units.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 4> kHeaderKeys = {"schema", "name", "aliases", "title"};

std::string plainText(const JsonValue& value) {
    switch (value.kind()) {
        case JsonValue::Kind::Null:
            return "";
        case JsonValue::Kind::Boolean:
            return *value.boolean() ? "yes" : "no";
        case JsonValue::Kind::String:
            return *value.text();
        default:
            return value.shown();
    }
}

std::string memberText(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? "" : plainText(*value);
}

std::string rangeText(const JsonValue& number) {
    const std::string lo = memberText(number, "lo");
    const std::string hi = memberText(number, "hi");
    if (lo.empty() || hi.empty()) {
        return lo.empty() ? (hi.empty() ? "" : "up to " + hi) : "from " + lo;
    }
    return lo + " to " + hi;
}

template <class Q>
bool readAs(const std::string& unit, ProfileFact& fact) {
    const Result<Q> quantity = parseQuantity<Q>(fact.value);
    if (quantity) {
        fact.number = static_cast<double>(quantity->count());
        fact.unit = unit;
    }
    return quantity.has_value();
}

/// Which unit a text is in is plain from the text: no two dimensions share one.
void readFactQuantity(ProfileFact& fact) {
    (void)(readAs<Bytes>("bytes", fact) || readAs<BytesPerSecond>("bytes_per_second", fact) ||
           readAs<FlopsPerSecond>("flops_per_second", fact) || readAs<Seconds>("seconds", fact) ||
           readAs<Hertz>("hertz", fact) || readAs<Watts>("watts", fact) ||
           readAs<Usd>("usd", fact) || readAs<UsdPerHour>("usd_per_hour", fact));
}

ProfileFact factOf(const std::string& key, const JsonValue& number) {
    return {.key = key,
            .value = memberText(number, "value"),
            .range = rangeText(number),
            .source = memberText(number, "source"),
            .from = memberText(number, "from"),
            .note = memberText(number, "note")};
}

/// Of plain values, or of lists.
bool isList(const JsonValue& value) {
    return value.is(JsonValue::Kind::Array) &&
           std::ranges::none_of(value.items(), [](const JsonValue& item) {
               return item.is(JsonValue::Kind::Object);
           });
}

/// "64: 0.74, 128: 1" for a list of pairs.
std::string listText(const JsonValue& list) {
    std::string text;
    for (const JsonValue& item : list.items()) {
        text += text.empty() ? "" : ", ";
        if (!item.is(JsonValue::Kind::Array)) {
            text += plainText(item);
            continue;
        }
        for (const JsonValue& part : item.items()) {
            text += (&part == item.items().data() ? "" : ": ") + plainText(part);
        }
    }
    return text;
}

constexpr std::array<std::string_view, 3> kProvenanceKeys = {"source", "from", "note"};

/// Numbers that share one source are one line: "efficiency 0.83, launch_us 0.91".
ProfileFact sectionFact(const std::string& key, const JsonValue& section) {
    ProfileFact fact{.key = key,
                     .value = "",
                     .range = "",
                     .source = memberText(section, "source"),
                     .from = memberText(section, "from"),
                     .note = memberText(section, "note")};
    for (const JsonValue& member : section.members()) {
        if (std::ranges::find(kProvenanceKeys, member.name()) == kProvenanceKeys.end()) {
            const bool isList = member.is(JsonValue::Kind::Array);
            fact.value += (fact.value.empty() ? "" : ", ") + member.name() + " " +
                          (isList ? "(" + listText(member) + ")" : plainText(member));
        }
    }
    return fact;
}

/// Adds the facts of `value` under `key`. Nesting is bounded by the JSON parser.
void addFacts(const std::string& key, const JsonValue& value, std::vector<ProfileFact>& facts) {
    const bool isObject = value.is(JsonValue::Kind::Object);
    if (isObject && value.find("value") != nullptr) {
        const std::string dtype = memberText(value, "dtype");
        facts.push_back(factOf(dtype.empty() ? key : key + "." + dtype, value));
        if (value.find("value")->is(JsonValue::Kind::String)) {
            readFactQuantity(facts.back());
        }
    } else if (isObject && value.find("source") != nullptr) {
        facts.push_back(sectionFact(key, value));
    } else if (isObject) {
        for (const JsonValue& member : value.members()) {
            addFacts(key + "." + member.name(), member, facts);
        }
    } else if (isList(value)) {
        facts.push_back({.key = key, .value = listText(value)});
    } else if (value.is(JsonValue::Kind::Array)) {
        for (const JsonValue& item : value.items()) {
            addFacts(key, item, facts);
        }
    } else {
        facts.push_back({.key = key, .value = plainText(value)});
    }
}

ProfileSheet sheetOf(const ProfileFile& file, const JsonValue& root) {
    ProfileSheet sheet{.kind = file.kind,
                       .name = file.name,
                       .title = memberText(root, "title"),
                       .file = file.source};
    if (const JsonValue* aliases = root.find("aliases")) {
        for (const JsonValue& alias : aliases->items()) {
            sheet.aliases.push_back(plainText(alias));
        }
    }
    for (const JsonValue& member : root.members()) {
        if (std::ranges::find(kHeaderKeys, member.name()) == kHeaderKeys.end()) {
            addFacts(member.name(), member, sheet.facts);
        }
    }
    return sheet;
}

/// The sheets of one profile and of those it names, in the order they are named.
class SheetCollector {
public:
    explicit SheetCollector(const ProfileStore& store) : store_(store) {}

    Result<void> add(const ProfileFile& file) {
        const auto same = [&file](const ProfileSheet& sheet) {
            return sheet.kind == file.kind && sheet.name == file.name;
        };
        if (std::ranges::any_of(sheets_, same)) {
            return {};
        }
        FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
        sheets_.push_back(sheetOf(file, root));
        if (file.kind == ProfileKind::Model) {
            return {};
        }
        FABRICAST_TRY(follow(root, "node", ProfileKind::Node));
        FABRICAST_TRY(follow(root, "gpu", ProfileKind::Gpu));
        FABRICAST_TRY(follow(root, "fabric", ProfileKind::Fabric));
        const bool isSite = file.kind == ProfileKind::Site;
        FABRICAST_TRY(follow(root, "extends", isSite ? ProfileKind::Site : ProfileKind::Fabric));
        for (const std::string_view part : {"gpu_fabric", "nics", "link"}) {
            if (const JsonValue* inner = root.find(part)) {
                FABRICAST_TRY(follow(*inner, "fabric", ProfileKind::Fabric));
            }
        }
        return {};
    }

    [[nodiscard]] std::vector<ProfileSheet> take() && { return std::move(sheets_); }

private:
    Result<void> follow(const JsonValue& object, std::string_view key, ProfileKind kind) {
        const JsonValue* name = object.find(key);
        if (name == nullptr) {
            return {};
        }
        FABRICAST_ASSIGN(const std::string said, name->text());
        FABRICAST_ASSIGN(const ProfileFile file, store_.find(kind, said, name->where()));
        return add(file);
    }

    const ProfileStore& store_;
    std::vector<ProfileSheet> sheets_;
};

}  // namespace

Result<ProfileSheet> profileSheet(const ProfileFile& file) {
    FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
    return sheetOf(file, root);
}

Result<std::vector<ProfileSheet>> profileSheets(const ProfileStore& store,
                                                std::string_view name,
                                                std::optional<ProfileKind> kind) {
    SheetCollector collector(store);
    FABRICAST_ASSIGN(const ProfileFile file, kind ? store.find(*kind, name) : store.findAny(name));
    FABRICAST_TRY(collector.add(file));
    return std::move(collector).take();
}

}  // namespace fabricast
