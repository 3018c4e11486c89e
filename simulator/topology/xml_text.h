#pragma once
#include "planner/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

struct XmlAttribute {
    std::string name;
    std::string value;
};

/// One element of an XML text, with the line it began on. Text between elements is left out.
struct XmlElement {
    std::string name;
    std::int64_t line = 0;
    std::vector<XmlAttribute> attributes;
    std::vector<XmlElement> children;

    [[nodiscard]] const std::string* find(std::string_view attribute) const;
};

/// Reads the XML that NCCL writes: elements, attributes, comments, a declaration. Refused, each
/// with its line: truncated or unclosed text, a duplicate attribute, a DOCTYPE (there are no
/// entities but the five of XML and numbers), and more than 8 MiB, 32 levels or 100,000 elements.
Result<XmlElement> parseXml(std::string_view text, const std::string& source);

}  // namespace fabricast
