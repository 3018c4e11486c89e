#pragma once
#include <string_view>

namespace fabricast::probe {

/// Whether a line is one whole JSON object and nothing else. It finds lines that were cut off or
/// overwritten; the values are read by those who fit them.
bool isJsonObject(std::string_view line);

}  // namespace fabricast::probe
