#pragma once
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace fabricast {

/// A folder of this process's own, with a slash at its end: tests run beside each other. It goes
/// with the process.
inline const std::string& tempFolder() {
    struct Folder {
        Folder()
            : path((std::filesystem::temp_directory_path() /
                    ("fabricast_test_" + std::to_string(::getpid())) / "")
                       .string()) {
            std::filesystem::create_directories(path);
        }
        Folder(const Folder&) = delete;
        Folder& operator=(const Folder&) = delete;
        ~Folder() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
        std::string path;
    };
    static const Folder folder;
    return folder.path;
}

}  // namespace fabricast
