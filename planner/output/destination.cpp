#include "planner/output/destination.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

/// "/proc/self/fd/1": a link that only looks like one. It leads to an open file, whatever its text.
struct ProcLink {
    bool inProc = false;
    std::optional<int> own;  ///< the number of this process's descriptor
};

ProcLink procLinkAt(const fs::path& link) {
    std::error_code error;
    const std::string folder =
        fs::canonical(link.has_parent_path() ? link.parent_path() : ".", error).string();
    if (error || !folder.starts_with("/proc/")) {
        return {};
    }
    ProcLink found{.inProc = true};
    const std::string name = link.filename().string();
    int number = -1;
    const auto [end, trouble] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool isNumber = trouble == std::errc() && end == name.data() + name.size();
    const bool isOurs = folder.starts_with("/proc/" + std::to_string(::getpid()) + "/");
    if (isNumber && isOurs && folder.ends_with("/fd")) {
        found.own = number;
    }
    return found;
}

bool isLink(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

Destination::Kind kindOf(const std::string& path) {
    struct stat status {};
    // What is a link still leads in a circle.
    const bool special =
        isLink(path) || (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
    return special ? Destination::Kind::Special : Destination::Kind::File;
}

/// The file's place without links and dots, also where the file is not there yet.
std::optional<fs::path> placeOf(const std::string& path) {
    const Destination end = destinationOf(path);
    std::error_code error;
    fs::path place = fs::weakly_canonical(fs::absolute(end.path, error), error);
    return error || end.kind != Destination::Kind::File ? std::nullopt : std::optional(place);
}

}  // namespace

Destination destinationOf(const std::string& path) {
    constexpr int kMostLinks = 40;
    std::string at = path;
    for (int links = 0; links < kMostLinks && isLink(at); ++links) {
        const ProcLink proc = procLinkAt(at);
        if (proc.own) {
            return {Destination::Kind::Descriptor, path, *proc.own};
        }
        if (proc.inProc) {
            return {Destination::Kind::Special, path};
        }
        std::error_code error;
        const fs::path next = fs::read_symlink(at, error);
        if (error) {
            break;
        }
        at = (fs::path(at).parent_path() / next).string();
    }
    return {kindOf(at), at};
}

bool isSameFile(const std::string& left, const std::string& right) {
    const std::optional<fs::path> one = placeOf(left);
    const std::optional<fs::path> other = placeOf(right);
    if (!one || !other) {
        return false;
    }
    std::error_code error;
    return *one == *other || (fs::equivalent(*one, *other, error) && !error);
}

bool isWithin(const std::string& folder, const std::string& path) {
    std::error_code error;
    const std::string outer = std::filesystem::weakly_canonical(folder, error).string();
    return !outer.empty() &&
           std::filesystem::weakly_canonical(path, error).string().starts_with(outer + "/");
}

bool isOfGit(const std::string& path) {
    std::error_code error;
    const fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
    return std::ranges::find(place, fs::path(".git")) != place.end();
}

}  // namespace fabricast
