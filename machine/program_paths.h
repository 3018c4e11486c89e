#pragma once
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Whether a file is there and may be run.
bool isProgram(const std::string& path);

/// The folders of PATH, in their order.
std::vector<std::string> foldersOnPath();

/// Where a shell would find a program.
std::optional<std::string> programOnPath(const std::string& name);

/// A new folder for temporary files, which is gone with this value.
///     const WorkFolder folder;
///     writeTextFile(folder.at("page.html"), page);
class WorkFolder {
public:
    WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder(WorkFolder&&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    WorkFolder& operator=(WorkFolder&&) = delete;
    ~WorkFolder();

    [[nodiscard]] bool isThere() const { return !path_.empty(); }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string at(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;  ///< empty: there is no place for one
};

}  // namespace fabricast
