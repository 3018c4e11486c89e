#pragma once
#include "tests/fuzz/parsers/parsers.h"

#include <string>
#include <vector>

namespace fabricast {

/// What a parser is fed with at first: its seeds, and the inputs under tests/fuzz/corpus/NAME, each
/// of which has once done harm or opened a way through the parser. Small ones, in the order of
/// their names.
std::vector<std::string> seedsOf(const FuzzedParser& parser);

}  // namespace fabricast
