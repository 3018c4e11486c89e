#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace fabricast::probe {

/// What NCCL believes of one collective before it picks an algorithm and a protocol.
struct NcclCosts {
    int collective = 0;  ///< NCCL's number
    std::size_t bytes = 0;
    std::size_t ranks = 0;
    std::size_t nodes = 0;
    int operations = 1;  ///< that are sent together
    bool registered = false;
    std::size_t protocols = 0;       ///< in a row of the table
    std::span<const float> table{};  ///< microseconds by algorithm and protocol; below 0: cannot
};

/// A line of JSON, without its end:
///     {"collective":"all_reduce","bytes":1024,"ranks":8,"nodes":1,"operations":1,
///      "registered":false,"us":{"tree":{"ll":9.2},"ring":{"ll":10.5,"simple":38.1}}}
/// What NCCL cannot do is not in it. A number that has no name here is named by itself.
std::string costLine(const NcclCosts& costs);

/// The line before them; `version` is NCCL's, or empty.
std::string costHead(const std::string& version);

}  // namespace fabricast::probe
