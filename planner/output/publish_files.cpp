#include "planner/output/publish_files.h"

#include "planner/output/destination.h"
#include "planner/output/replace_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

std::string failedAt(const fs::path& path, const std::error_code& error) {
    return path.string() + ": cannot be written: " + error.message();
}

constexpr std::string_view kStaged = ".staged-";
constexpr std::string_view kAside = "older-";

bool isSameFolder(int descriptor, const fs::path& path) {
    struct stat open {};
    struct stat named {};
    return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// A staging folder open and locked; -1: another process has it, or there is none.
int lockFolder(const fs::path& path) {
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && (::flock(folder, LOCK_EX | LOCK_NB) != 0 || !isSameFolder(folder, path))) {
        (void)::close(folder);
        return -1;
    }
    return folder;
}

bool keepsOlderFiles(const fs::path& staged) {
    std::error_code error;
    for (fs::directory_iterator entry(staged, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().filename().string().starts_with(kAside)) {
            return true;
        }
    }
    return static_cast<bool>(error);
}

/// What writers that were killed have left: a living one has its folder locked. One with an older
/// file stays, as that file may be nowhere else.
void clearDead(const fs::path& folder) {
    constexpr std::size_t kLetters = 6;
    std::vector<fs::path> staged;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with(kStaged) && name.size() == kStaged.size() + kLetters) {
            staged.push_back(entry->path());
        }
    }
    for (const fs::path& each : staged) {
        const int lock = lockFolder(each);
        if (lock >= 0) {
            if (!keepsOlderFiles(each)) {
                fs::remove_all(each, error);
            }
            (void)::close(lock);
        }
    }
}

/// A folder that is gone with its owner, and those above it that were made for it.
class StagingFolder {
public:
    explicit StagingFolder(const fs::path& folder) {
        std::error_code error;
        for (fs::path each = folder; !each.empty() && !fs::exists(fs::symlink_status(each, error));
             each = each.parent_path()) {
            made_.push_back(each);
        }
        fs::create_directories(folder, error);
        clearDead(folder);
        constexpr int kAttempts = 16;
        for (int attempt = 0; attempt < kAttempts && path_.empty() && trouble_.empty(); ++attempt) {
            std::string name = (folder / kStaged).string() + "XXXXXX";
            if (error || ::mkdtemp(name.data()) == nullptr) {
                trouble_ = failedAt(
                    folder, error ? error : std::error_code(errno, std::generic_category()));
                return;
            }
            take(name, attempt + 1 == kAttempts);
        }
    }
    StagingFolder(const StagingFolder&) = delete;
    StagingFolder& operator=(const StagingFolder&) = delete;
    ~StagingFolder() {
        std::error_code ignored;
        if (!path_.empty()) {
            fs::remove_all(path_, ignored);
        }
        if (lock_ >= 0) {
            (void)::close(lock_);
        }
        for (const fs::path& each : made_) {
            fs::remove(each, ignored);  // where it is empty
        }
    }

    [[nodiscard]] const fs::path& path() const { return path_; }
    [[nodiscard]] const std::string& trouble() const { return trouble_; }

private:
    /// Another writer may take the new folder for a dead one's before it is locked.
    void take(const std::string& name, bool isLast) {
        lock_ = lockFolder(name);
        std::error_code error;
        if (lock_ >= 0 || isLast || fs::exists(name, error)) {
            path_ = name;  // also on a file system without locks
        }
    }

    fs::path path_;
    int lock_ = -1;
    std::vector<fs::path> made_;  ///< the innermost first
    std::string trouble_;
};

/// One file on its way from the staging folder to its place.
struct Move {
    std::string_view text;
    fs::path staged;
    fs::path place;
    fs::path aside;  ///< for the older file, or a copy of it
    enum class Older { None, Aside, WrittenOver } older = Older::None;
};

std::error_code lastError() {
    return {errno, std::generic_category()};
}

/// Whether the staged file may take the older one's place: it then has its owner, group and mode.
bool takesPlaceOf(const struct stat& old, const fs::path& staged) {
    if (hasOtherNames(old)) {
        return false;
    }
    const int file = ::open(staged.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool taken = file >= 0 && takeRights(file, old);
    if (file >= 0) {
        (void)::close(file);
    }
    return taken;
}

std::error_code writeInto(Move& move) {
    std::error_code error;
    if (fs::copy_file(move.place, move.aside, error) &&
        !writeOver(move.place.string(), move.text)) {
        error = lastError();
    }
    move.older = error ? Move::Older::None : Move::Older::WrittenOver;
    return error;
}

/// The older file moves aside, the new one takes its place. Nothing has changed where it fails.
std::error_code replaceBy(Move& move) {
    std::error_code error;
    fs::rename(move.place, move.aside, error);
    if (error == std::errc::device_or_resource_busy) {
        return writeInto(move);  // a file of its own mount
    }
    if (!error) {
        fs::rename(move.staged, move.place, error);
        std::error_code ignored;
        if (error) {
            fs::rename(move.aside, move.place, ignored);
        }
    }
    move.older = error ? Move::Older::None : Move::Older::Aside;
    return error;
}

std::error_code takePlace(Move& move) {
    std::error_code error;
    struct stat old {};
    if (::lstat(move.place.c_str(), &old) != 0) {
        fs::rename(move.staged, move.place, error);
        return error;
    }
    if (S_ISLNK(old.st_mode)) {
        return replaceBy(move);  // whoever made it chose where it leads
    }
    if (!S_ISREG(old.st_mode)) {
        return std::make_error_code(std::errc::file_exists);
    }
    return takesPlaceOf(old, move.staged) ? replaceBy(move) : writeInto(move);
}

/// What a link leads to, on whatever disk that is. Returns why it could not, or nothing.
std::string replaceTarget(Move& move) {
    move.place = destinationOf(move.place.string()).path;
    std::error_code error;
    if (fs::exists(move.place, error)) {
        if (!fs::is_regular_file(move.place, error)) {
            return failedAt(move.place, std::make_error_code(std::errc::file_exists));
        }
        if (!fs::copy_file(move.place, move.aside, error)) {
            return failedAt(move.place, error);
        }
        move.older = Move::Older::WrittenOver;
    }
    const std::string trouble = replaceFile(move.place.string(), move.text);
    return trouble.empty() ? trouble : move.place.string() + ": " + trouble;
}

std::string moveInto(Move& move, FolderLinks links) {
    std::error_code error;
    fs::create_directories(move.place.parent_path(), error);
    std::error_code none;
    if (!error && links == FolderLinks::Followed &&
        fs::is_symlink(fs::symlink_status(move.place, none))) {
        return replaceTarget(move);
    }
    error = error ? error : takePlace(move);
    return error ? failedAt(move.place, error) : std::string();
}

void moveBack(const Move& move) {
    std::error_code ignored;
    switch (move.older) {
        case Move::Older::None:
            fs::remove(move.place, ignored);
            break;
        case Move::Older::Aside:
            fs::rename(move.aside, move.place, ignored);
            break;
        case Move::Older::WrittenOver:
            fs::copy_file(move.aside, move.place, fs::copy_options::overwrite_existing, ignored);
            break;
    }
}

std::string moveAll(std::span<const FolderText> files,
                    const fs::path& folder,
                    FolderLinks links,
                    const fs::path& staging) {
    std::vector<Move> moved;
    for (const FolderText& file : files) {
        Move move{.text = file.text,
                  .staged = staging / file.path,
                  .place = folder / file.path,
                  .aside = staging / (std::string(kAside) + std::to_string(moved.size()))};
        if (std::string trouble = moveInto(move, links); !trouble.empty()) {
            std::for_each(moved.rbegin(), moved.rend(), moveBack);
            return trouble;
        }
        moved.push_back(std::move(move));
    }
    return {};
}

}  // namespace

std::string publishFiles(std::span<const FolderText> files,
                         const std::string& folder,
                         FolderLinks links,
                         const std::function<std::string(const std::string&)>& accept) {
    const SignalsHeld held;
    const StagingFolder staging(folder);
    if (!staging.trouble().empty()) {
        return staging.trouble();
    }
    for (const FolderText& file : files) {
        const fs::path path = staging.path() / file.path;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        const std::string trouble =
            error ? "cannot be written: " + error.message() : replaceFile(path.string(), file.text);
        if (!trouble.empty()) {
            return (fs::path(folder) / file.path).string() + ": " + trouble;
        }
    }
    if (std::string refused = accept(staging.path().string()); !refused.empty()) {
        return refused;
    }
    return moveAll(files, folder, links, staging.path());
}

}  // namespace fabricast
