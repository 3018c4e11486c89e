#include "planner/models/hf_reader.h"

#include "planner/models/hf_keys.h"
#include "planner/spec/check_settings.h"

#include <algorithm>
#include <limits>

namespace fabricast {
namespace {

constexpr JsonValue::Range kConfigSize{.least = 1, .most = kMostModelWidth};
constexpr JsonValue::Range kConfigCount{.least = 0, .most = kMostModelWidth};

bool isNull(const JsonValue& value) {
    return value.is(JsonValue::Kind::Null);
}

/// A value, or what its key usually has as the hint of its error.
template <class Value>
Result<Value> orUsual(std::string_view key, Result<Value> value) {
    if (!value && value.error().hint.empty()) {
        value.error().hint = usualValue(key);
    }
    return value;
}

}  // namespace

bool HfReader::has(std::string_view key) const {
    const JsonValue* value = config_->find(key);
    return value != nullptr && !isNull(*value);
}

Error HfReader::problem(Names keys, std::string_view why, std::string hint) const {
    const auto* const said =
        std::find_if(keys.begin(), keys.end(), [this](std::string_view key) { return has(key); });
    return (said == keys.end() ? *config_ : *config_->find(*said)).problem(why, std::move(hint));
}

Result<const JsonValue*> HfReader::find(Names names) const {
    const JsonValue* found = nullptr;
    for (const std::string_view name : names) {
        const JsonValue* value = config_->find(name);
        if (value == nullptr) {
            continue;
        }
        if (found == nullptr || isNull(*found)) {
            found = value;
        } else if (!isNull(*value) && value->shown() != found->shown()) {
            return tl::unexpected(value->problem("is " + value->shown() + ", but \"" +
                                                     found->name() + "\" has the same meaning as " +
                                                     found->shown(),
                                                 "remove one of them"));
        }
    }
    return found;
}

Result<std::int64_t> HfReader::size(Names names, std::int64_t absent) const {
    FABRICAST_ASSIGN(const JsonValue* value, find(names));
    return value == nullptr ? Result<std::int64_t>(absent)
                            : orUsual(value->name(), value->integer(kConfigSize));
}

Result<std::int64_t> HfReader::count(Names names, std::int64_t absent) const {
    FABRICAST_ASSIGN(const JsonValue* value, find(names));
    return value == nullptr ? Result<std::int64_t>(absent)
                            : orUsual(value->name(), value->integer(kConfigCount));
}

Result<std::int64_t> HfReader::orNull(Names names, JsonValue::Range range, Unsaid unsaid) const {
    FABRICAST_ASSIGN(const JsonValue* value, find(names));
    if (value == nullptr) {
        return unsaid.absent;
    }
    return isNull(*value) ? Result<std::int64_t>(unsaid.null)
                          : orUsual(value->name(), value->integer(range));
}

Result<std::int64_t> HfReader::sizeOrNull(Names names,
                                          std::int64_t absent,
                                          std::int64_t whenNull) const {
    return orNull(names, kConfigSize, {absent, whenNull});
}

Result<std::int64_t> HfReader::countOrNull(Names names,
                                           std::int64_t absent,
                                           std::int64_t whenNull) const {
    return orNull(names, kConfigCount, {absent, whenNull});
}

Result<bool> HfReader::flag(std::string_view key, bool absent) const {
    return orUsual(key, config_->booleanOr(key, absent));
}

Result<bool> HfReader::truth(std::string_view key, bool absent) const {
    const JsonValue* value = config_->find(key);
    if (value == nullptr ||
        !(value->is(JsonValue::Kind::Integer) || value->is(JsonValue::Kind::Number))) {
        return flag(key, absent);
    }
    constexpr double kMost = std::numeric_limits<double>::max();
    FABRICAST_ASSIGN(const double number, value->number(-kMost, kMost));
    return number != 0.0;
}

Result<bool> HfReader::tied(bool absent) const {
    constexpr std::string_view kKey = "tie_word_embeddings";
    const bool saidOutside = config_->find(kKey) == nullptr && outer_ != nullptr;
    return orUsual(kKey, (saidOutside ? outer_ : config_)->booleanOr(kKey, absent));
}

Result<std::vector<std::int64_t>> HfReader::countList(std::string_view key) const {
    std::vector<std::int64_t> list;
    if (!has(key)) {
        return list;
    }
    FABRICAST_TRY(config_->find(key)->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : config_->find(key)->items()) {
        FABRICAST_ASSIGN(const std::int64_t number, item.integer(kConfigCount));
        list.push_back(number);
    }
    return list;
}

Result<std::vector<bool>> HfReader::layerFlags(std::string_view key, std::int64_t layers) const {
    FABRICAST_ASSIGN(const std::vector<std::int64_t> list, countList(key));
    std::vector<bool> flags(static_cast<std::size_t>(layers), false);
    for (const std::int64_t layer : list) {
        if (layer < layers) {
            flags[static_cast<std::size_t>(layer)] = true;
        }
    }
    return flags;
}

}  // namespace fabricast
