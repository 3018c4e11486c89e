#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast::probe {

/// The files in which the kernel describes the machine, under a root that tests make up ("/" for
/// the machine itself). What is not there, or not readable, is nothing: never trouble.
class SystemFiles {
public:
    explicit SystemFiles(std::filesystem::path root) : root_(std::move(root)) {}

    /// A short file's text without the line end; empty where there is none.
    [[nodiscard]] std::string text(const std::string& path) const;
    [[nodiscard]] std::optional<std::int64_t> whole(const std::string& path) const;
    /// The names in a folder, sorted as people count: node2 before node10.
    [[nodiscard]] std::vector<std::string> names(const std::string& folder) const;
    /// The PCI address of the device that a link leads to, or of the one that carries it.
    [[nodiscard]] std::string pciAddress(const std::string& path) const;
    [[nodiscard]] bool has(const std::string& path) const;

private:
    [[nodiscard]] std::filesystem::path at(const std::string& path) const { return root_ / path; }

    std::filesystem::path root_;
};

/// "0-3,8" as the numbers that it lists; what is no such list lists nothing.
std::vector<std::int64_t> listedNumbers(const std::string& text);

/// The value behind "name" and a colon in a text of such lines: "MemTotal:  16 kB" has "16 kB".
std::string valueAfter(const std::string& text, const std::string& name);

/// The whole number that a text begins with, behind blanks.
std::optional<std::int64_t> leadingWhole(const std::string& text);

}  // namespace fabricast::probe
