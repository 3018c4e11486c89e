#pragma once
#include <cstdint>
#include <memory>
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

}  // namespace fabricast::probe
