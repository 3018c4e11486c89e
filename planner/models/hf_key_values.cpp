#include "planner/base/nearest_name.h"
#include "planner/models/hf_config.h"
#include "planner/models/hf_keys.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostNamed = 12;

struct Kind {
    HfKey::Takes takes;
    std::string_view name;
};
constexpr std::array kKinds = {Kind{HfKey::Flag, "true or false"},
                               Kind{HfKey::Whole, "a whole number"},
                               Kind{HfKey::Number, "a number"},
                               Kind{HfKey::Text, "a string"},
                               Kind{HfKey::Object, "an object"},
                               Kind{HfKey::Rotation, "an object"},
                               Kind{HfKey::Wholes, "a list of whole numbers"},
                               Kind{HfKey::Numbers, "a list of numbers"},
                               Kind{HfKey::Texts, "a list of strings"}};

std::string hintOf(const HfKey& key) {
    return "\"" + std::string(key.name) + "\": " + std::string(key.usual);
}

std::string kindsOf(const HfKey& key) {
    std::string kinds;
    for (const Kind& kind : kKinds) {
        if ((key.takes & kind.takes) != 0U) {
            kinds += (kinds.empty() ? "" : ", or ") + std::string(kind.name);
        }
    }
    return kinds;
}

tl::unexpected<Error> refused(const JsonValue& value, const HfKey& key, const std::string& what) {
    return tl::unexpected(value.problem("must be " + what + ", not " + value.shown(), hintOf(key)));
}

std::string limitText(double limit) {
    return std::to_string(static_cast<std::int64_t>(limit));
}

std::string rangeOf(const HfKey& key) {
    return (key.above ? " above " : " from ") + limitText(key.least) +
           (key.above ? " and at most " : " to ") + limitText(key.most);
}

/// A number of a config, of which a list may have several.
Result<void> checkNumber(const JsonValue& value, const HfKey& key, bool whole) {
    if (whole) {
        const JsonValue::Range range{static_cast<std::int64_t>(key.least),
                                     static_cast<std::int64_t>(key.most)};
        if (Result<std::int64_t> number = value.integer(range); !number) {
            number.error().hint = hintOf(key);
            return tl::unexpected(std::move(number).error());
        }
        return {};
    }
    const Result<double> number = value.number(key.least, key.most);
    return number && !(key.above && *number <= key.least)
               ? Result<void>()
               : refused(value, key, "a number" + rangeOf(key));
}

Result<void> checkText(const JsonValue& value, const HfKey& key) {
    FABRICAST_ASSIGN(const std::string text, value.text());
    if (!key.names.empty() && std::ranges::find(key.names, text) == key.names.end()) {
        return tl::unexpected(value.problem("is " + value.shown() + ", which transformers has not",
                                            suggestName(text, key.names)));
    }
    return {};
}

Result<void> checkItems(const JsonValue& list, const HfKey& key) {
    for (const JsonValue& item : list.items()) {
        if ((key.takes & HfKey::Texts) != 0U) {
            if (!item.is(JsonValue::Kind::String)) {
                return refused(item, key, "a string");
            }
            continue;
        }
        FABRICAST_TRY(checkNumber(item, key, (key.takes & HfKey::Wholes) != 0U));
    }
    return {};
}

Result<void> checkMembers(const JsonValue& object, std::span<const HfKey> keys);

Result<void> checkValue(const JsonValue& value, const HfKey& key) {
    const auto takes = [&key](unsigned kinds) { return (key.takes & kinds) != 0U; };
    switch (value.kind()) {
        case JsonValue::Kind::Null:
            return {};
        case JsonValue::Kind::Boolean:
            if (takes(HfKey::Flag)) {
                return {};
            }
            break;
        case JsonValue::Kind::Integer:
        case JsonValue::Kind::Number:
            if (takes(HfKey::Whole | HfKey::Number)) {
                return checkNumber(value, key, !takes(HfKey::Number));
            }
            break;
        case JsonValue::Kind::String:
            if (takes(HfKey::Text)) {
                return checkText(value, key);
            }
            break;
        case JsonValue::Kind::Array:
            if (takes(HfKey::Wholes | HfKey::Numbers | HfKey::Texts)) {
                return checkItems(value, key);
            }
            break;
        case JsonValue::Kind::Object:
            if (takes(HfKey::Object)) {
                return {};
            }
            if (takes(HfKey::Rotation)) {
                return checkMembers(value, hfRotationKeys());
            }
            break;
    }
    const bool oneNumber = key.takes == HfKey::Whole || key.takes == HfKey::Number;
    return refused(value, key, kindsOf(key) + (oneNumber ? rangeOf(key) : ""));
}

Result<void> checkMembers(const JsonValue& object, std::span<const HfKey> keys) {
    for (const JsonValue& member : object.members()) {
        if (const HfKey* key = findHfKey(keys, member.name())) {
            FABRICAST_TRY(checkValue(member, *key));
        } else if (keys.data() == hfRotationKeys().data()) {
            // Version 5 has an object for each kind of layer in it.
            FABRICAST_TRY(checkMembers(member, keys));
        }
    }
    return {};
}

}  // namespace

Result<void> checkHfValues(const JsonValue& config) {
    return checkMembers(config, hfKeys());
}

std::string usualValue(std::string_view name) {
    const HfKey* key = findHfKey(hfKeys(), name);
    return key == nullptr ? "" : hintOf(*key);
}

std::string keysNobodyReads(const JsonValue& config) {
    std::string list;
    std::size_t count = 0;
    for (const JsonValue& member : config.members()) {
        if (findHfKey(hfKeys(), member.name()) != nullptr) {
            continue;
        }
        if (++count <= kMostNamed) {
            list += (list.empty() ? "" : ", ") + member.title();
        }
    }
    return count > kMostNamed ? list + " and " + std::to_string(count - kMostNamed) + " more"
                              : list;
}

}  // namespace fabricast
