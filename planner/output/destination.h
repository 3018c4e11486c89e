#pragma once
#include <string>

namespace fabricast {

/// Where a path that is written to leads.
struct Destination {
    enum class Kind {
        File,        ///< a regular file, or none yet
        Descriptor,  ///< one that this process holds open, named through /proc or /dev
        Special      ///< a pipe, a device, a folder, a descriptor of another process
    };

    Kind kind = Kind::File;
    std::string path;     ///< without links in its last part
    int descriptor = -1;  ///< of Kind::Descriptor
};

/// Follows the links of the last part. A chain without an end stays a link, which nobody can open.
Destination destinationOf(const std::string& path);

/// Whether two paths name one regular file, be it there or not.
bool isSameFile(const std::string& left, const std::string& right);

/// Whether a path leads into a folder or one below it.
bool isWithin(const std::string& folder, const std::string& path);

/// Whether a path leads to what git keeps of a repository: a file of .git, or below it.
bool isOfGit(const std::string& path);

}  // namespace fabricast
