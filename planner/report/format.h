#pragma once

namespace fabricast {

enum class Format { Text, Json, Csv, Markdown };

}  // namespace fabricast
