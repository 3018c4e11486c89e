#pragma once
#include "planner/result/memory_names.h"
#include "planner/text/json_text.h"

#include <string_view>

namespace fabricast {

/// {"value", "lo", "hi", "evidence"}, in the unit of the key.
template <class Q>
void writeHeadline(JsonText& json, std::string_view key, const Headline<Q>& headline) {
    json.beginObject(key);
    json.add("value", headline.value.count());
    json.add("lo", headline.lo.count());
    json.add("hi", headline.hi.count());
    json.add("evidence", nameOf(headline.evidence));
    json.end();
}

}  // namespace fabricast
