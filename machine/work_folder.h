#pragma once
#include <string>

namespace fabricast {

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
