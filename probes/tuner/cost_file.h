#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace fabricast::probe {

/// A file of whole lines that this process alone writes. It is opened to be added to; of several
/// processes that name one file the first has it.
class CostFile {
public:
    /// What stands in the way, where there is no file.
    struct Opened {
        std::unique_ptr<CostFile> file;
        std::string trouble;
    };
    /// "%h" in the path is the host, "%p" the process. Never waits.
    static Opened open(const std::string& path);

    CostFile(const CostFile&) = delete;
    CostFile& operator=(const CostFile&) = delete;
    ~CostFile();

    /// Adds a line and its end. Empty, or why it could not: nothing of the line is there then.
    std::string add(std::string line);
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    CostFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

    int descriptor_;
    std::string path_;
};

/// The path with "%h" and "%p" replaced.
std::string filledPath(const std::string& path);

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
