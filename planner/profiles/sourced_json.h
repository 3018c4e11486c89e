#pragma once
#include "planner/base/result.h"
#include "planner/spec/sourced.h"
#include "planner/text/json_document.h"
#include "planner/text/json_text.h"

#include <span>
#include <string_view>

namespace fabricast {

/// The keys of a number in a profile: {"value": "80 GB", "source": "datasheet", "from": "…"}.
std::span<const std::string_view> sourcedKeys();

/// A number with its source, read strictly: units where there are units, a source wherever there
/// is a value, null if not published.
///     FABRICAST_ASSIGN(gpu.memory, readSourced<Bytes>(*value));
/// For quantities (Bytes, BytesPerSecond, ...; never zero), double, std::int64_t and bool.
template <class T>
Result<Sourced<T>> readSourced(const JsonValue& value);

/// The same for an object with more about the number, under keys its caller has checked.
template <class T>
Result<Sourced<T>> readSourcedParts(const JsonValue& object);

/// A member of `object`; empty where the key is absent.
template <class T>
Result<Sourced<T>> readSourcedOr(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? Result<Sourced<T>>() : readSourced<T>(*value);
}

/// A member of `object` that must be there, though its value may be null.
template <class T>
Result<Sourced<T>> requireSourced(const JsonValue& object, std::string_view key) {
    FABRICAST_ASSIGN(const JsonValue* const value, object.require(key));
    return readSourced<T>(*value);
}

/// Writes a quantity and its source; missing parts are left out.
template <class Q>
void writeSourced(JsonText& json, std::string_view key, const Sourced<Q>& number);

/// "datasheet", "measured", "fitted" or "assumed".
Result<Source> readSource(const JsonValue& source);
std::string_view sourceName(Source source);

}  // namespace fabricast
