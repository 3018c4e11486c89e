#include "planner/profiles/sourced_json.h"

#include "planner/base/nearest_name.h"
#include "planner/base/quantity_text.h"
#include "planner/base/unit_table.h"
#include "planner/base/units.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 6> kSourcedKeys = {
    "value", "lo", "hi", "source", "from", "note"};
constexpr std::array<std::string_view, 4> kSources = {"datasheet", "measured", "fitted", "assumed"};
constexpr std::int64_t kMostCounted = 1'000'000'000;
/// No quantity of a profile comes near this; it keeps products of a few of them finite.
constexpr double kMostOfUnit = 1e24;
/// What no machine is slower than: a rate below it is a mistake in its unit.
template <class T>
constexpr double kLeast = 0.0;
template <>
constexpr double kLeast<BytesPerSecond> = 1e3;
template <>
constexpr double kLeast<FlopsPerSecond> = 1e6;
/// What no quantity of the kind comes near; a GPU's arithmetic is some 1e16 FLOP/s.
template <class T>
constexpr double kMostOfKind = kMostOfUnit;
template <>
constexpr double kMostOfKind<FlopsPerSecond> = 1e18;

template <class T>
constexpr bool kHasUnit = !std::is_arithmetic_v<T>;

/// An example to type, in the unit that was probably meant: "3350 GB/s".
template <class T>
std::string example(const JsonValue& value) {
    if constexpr (kHasUnit<T>) {
        const Dimension& dimension = dimensionOf<T>();
        if (value.isNumber()) {
            return value.shown() + " " + dimension.suggestions.front();
        }
        const Result<std::string> text = value.text();
        return text && parseQuantity<T>(*text) ? *text : std::string(dimension.example);
    } else {
        return value.shown();
    }
}

/// What to write instead of a number that is out of range: the range, where it is a narrow one.
template <class T>
std::string inRangeHint() {
    std::string range;
    constexpr double least = kLeast<T>;
    constexpr double most = kMostOfKind<T>;
    if constexpr (least > 0.0 && most < kMostOfUnit) {
        range = "from " + quantityText(T(least)) + " to " + quantityText(T(most)) + "; ";
    }
    return range + "write null where the number is not known";
}

template <class T>
Result<T> readQuantity(const JsonValue& value) {
    if (!value.is(JsonValue::Kind::String)) {
        return tl::unexpected(value.problem(
            "is " + value.shown() + ", but " + std::string(dimensionOf<T>().noun) + " needs a unit",
            "write \"" + value.name() + "\": \"" + example<T>(value) + "\""));
    }
    FABRICAST_ASSIGN(const std::string text, value.text());
    FABRICAST_ASSIGN(const T quantity, parseQuantity<T>(text, value.where()));
    const auto size = static_cast<double>(quantity.count());
    if (!(size > 0 && size >= kLeast<T> && size <= kMostOfKind<T>)) {
        return tl::unexpected(
            value.problem("is out of range at " + value.shown(), inRangeHint<T>()));
    }
    return quantity;
}

template <class T>
Result<T> readPlain(const JsonValue& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value.boolean();
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        return value.integer({0, kMostCounted});
    } else if constexpr (std::is_same_v<T, double>) {
        return value.number(0, static_cast<double>(kMostCounted));
    } else {
        return readQuantity<T>(value);
    }
}

template <class T>
Result<std::optional<T>> readBound(const JsonValue& object, std::string_view key) {
    const JsonValue* bound = object.find(key);
    if (bound == nullptr) {
        return std::optional<T>();
    }
    FABRICAST_ASSIGN(const T value, readPlain<T>(*bound));
    return value;
}

/// A value needs a source; nothing that is not known has one.
template <class T>
Result<void> readValueAndSource(const JsonValue& object, Sourced<T>& read) {
    FABRICAST_ASSIGN(const JsonValue* const value, object.require("value"));
    const JsonValue* source = object.find("source");
    const bool hasSource = source != nullptr && !source->is(JsonValue::Kind::Null);
    if (value->is(JsonValue::Kind::Null)) {
        return hasSource ? Result<void>(tl::unexpected(source->problem(
                               "has no value to be the source of", "write \"source\": null")))
                         : Result<void>();
    }
    FABRICAST_ASSIGN(read.value, readPlain<T>(*value));
    if (!hasSource) {
        return tl::unexpected(object.problem(
            "has a value but no source",
            "add \"source\": \"datasheet\", \"measured\", \"fitted\" or \"assumed\""));
    }
    FABRICAST_ASSIGN(read.source, readSource(*source));
    return {};
}

template <class T>
Result<void> checkOrder(const JsonValue& object, const Sourced<T>& read) {
    if (!read.value && (read.lo || read.hi)) {
        return tl::unexpected(object.problem("has a range but no value"));
    }
    const T value = read.value.value_or(T{});
    if (read.lo.value_or(value) > value || read.hi.value_or(value) < value) {
        return tl::unexpected(object.problem("has a value outside its own lo and hi"));
    }
    return {};
}

}  // namespace

std::span<const std::string_view> sourcedKeys() {
    return kSourcedKeys;
}

Result<Source> readSource(const JsonValue& source) {
    FABRICAST_ASSIGN(const std::string name, source.text());
    const auto* const found = std::ranges::find(kSources, name);
    if (found == kSources.end()) {
        return tl::unexpected(
            source.problem("cannot be " + source.shown(), suggestName(name, kSources)));
    }
    return static_cast<Source>(found - kSources.begin());
}

std::string_view sourceName(Source source) {
    return kSources[static_cast<std::size_t>(source)];
}

template <class T>
Result<Sourced<T>> readSourcedParts(const JsonValue& object) {
    Sourced<T> read;
    FABRICAST_TRY(readValueAndSource(object, read));
    FABRICAST_ASSIGN(read.from, object.textOr("from", ""));
    FABRICAST_ASSIGN(read.note, object.textOr("note", ""));
    FABRICAST_ASSIGN(read.lo, readBound<T>(object, "lo"));
    FABRICAST_ASSIGN(read.hi, readBound<T>(object, "hi"));
    FABRICAST_TRY(checkOrder(object, read));
    return read;
}

template <class T>
Result<Sourced<T>> readSourced(const JsonValue& value) {
    if (!value.is(JsonValue::Kind::Object)) {
        return tl::unexpected(value.problem(
            "is " + value.shown() + ", but a number comes with its source",
            "write \"" + value.name() + "\": { \"value\": " +
                (kHasUnit<T> ? "\"" + example<T>(value) + "\"" : example<T>(value)) +
                ", \"source\": \"datasheet\", \"from\": \"where a reader finds it\" }"));
    }
    FABRICAST_TRY(value.onlyKeys(kSourcedKeys));
    return readSourcedParts<T>(value);
}

namespace {

template <class Q>
void addNumber(JsonText& json, std::string_view key, Q number) {
    json.add(key, quantityText(number));
}

template <>
void addNumber(JsonText& json, std::string_view key, std::int64_t count) {
    json.add(key, count);
}

}  // namespace

template <class Q>
void writeSourced(JsonText& json, std::string_view key, const Sourced<Q>& number) {
    json.beginObject(key);
    if (number.value) {
        addNumber(json, "value", *number.value);
    } else {
        json.addNull("value");
    }
    for (const auto& [name, bound] : {std::pair("lo", number.lo), std::pair("hi", number.hi)}) {
        if (bound) {
            addNumber(json, name, *bound);
        }
    }
    if (number.value) {
        json.add("source", sourceName(number.source));
    } else {
        json.addNull("source");
    }
    for (const auto& [name, text] :
         {std::pair("from", &number.from), std::pair("note", &number.note)}) {
        if (!text->empty()) {
            json.add(name, *text);
        }
    }
    json.end();
}

template void writeSourced<Bytes>(JsonText&, std::string_view, const Sourced<Bytes>&);
template void writeSourced<BytesPerSecond>(JsonText&,
                                           std::string_view,
                                           const Sourced<BytesPerSecond>&);

template void writeSourced<std::int64_t>(JsonText&, std::string_view, const Sourced<std::int64_t>&);

#define FABRICAST_READ_SOURCED(T)                                      \
    template Result<Sourced<T>> readSourcedParts<T>(const JsonValue&); \
    template Result<Sourced<T>> readSourced<T>(const JsonValue&);
FABRICAST_READ_SOURCED(Bytes)
FABRICAST_READ_SOURCED(BytesPerSecond)
FABRICAST_READ_SOURCED(FlopsPerSecond)
FABRICAST_READ_SOURCED(Seconds)
FABRICAST_READ_SOURCED(Hertz)
FABRICAST_READ_SOURCED(Watts)
FABRICAST_READ_SOURCED(Usd)
FABRICAST_READ_SOURCED(UsdPerHour)
FABRICAST_READ_SOURCED(double)
FABRICAST_READ_SOURCED(std::int64_t)
FABRICAST_READ_SOURCED(bool)
#undef FABRICAST_READ_SOURCED

}  // namespace fabricast
