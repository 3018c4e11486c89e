#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// One parser of what comes from outside, and what of the repository it is fed with at first.
struct FuzzedParser {
    std::string_view name;
    /// Files under tests/cases or hardware_profiles, or folders of them.
    std::string_view seeds;
    /// Takes any bytes: empty where they were read or refused with a reason; else what is wrong.
    std::string (*take)(const std::string& bytes);
};

/// Every parser that reads a file, a flag or another program's output.
std::span<const FuzzedParser> fuzzedParsers();

/// The one of that name; nullptr where there is none.
const FuzzedParser* fuzzedParser(std::string_view name);

}  // namespace fabricast
