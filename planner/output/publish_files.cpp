#include "planner/output/publish_files.h"

#include "planner/output/destination.h"
#include "planner/output/replace_file.h"
#include "planner/output/signals_held.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

std::string failedAt(const fs::path& path, const std::error_code& error) {
    return path.string() + ": cannot be written: " + error.message();
}

/// A folder that is gone with its owner, and those above it that were made for it.
class StagingFolder {
public:
    explicit StagingFolder(const fs::path& folder) {
        std::error_code error;
        for (fs::path each = folder; !each.empty() && !fs::exists(each, error);
             each = each.parent_path()) {
            made_.push_back(each);
        }
        fs::create_directories(folder, error);
        std::string name = (folder / ".staged-XXXXXX").string();
        if (error || ::mkdtemp(name.data()) == nullptr) {
            trouble_ =
                failedAt(folder, error ? error : std::error_code(errno, std::generic_category()));
            return;
        }
        path_ = name;
    }
    StagingFolder(const StagingFolder&) = delete;
    StagingFolder& operator=(const StagingFolder&) = delete;
    ~StagingFolder() {
        std::error_code ignored;
        if (!path_.empty()) {
            fs::remove_all(path_, ignored);
        }
        for (const fs::path& each : made_) {
            fs::remove(each, ignored);  // where it is empty
        }
    }

    [[nodiscard]] const fs::path& path() const { return path_; }
    [[nodiscard]] const std::string& trouble() const { return trouble_; }

private:
    fs::path path_;
    std::vector<fs::path> made_;  ///< the innermost first
    std::string trouble_;
};

/// One file on its way from the staging folder to its place.
struct Move {
    fs::path staged;
    fs::path place;
    fs::path kept;  ///< where the older file waits; empty where there was none
};

/// The older file moves aside, the new one takes its place. Nothing has changed where it fails.
std::error_code moveInto(Move& move, const fs::path& aside) {
    std::error_code error;
    fs::create_directories(move.place.parent_path(), error);
    std::error_code ignored;
    if (!error && fs::exists(move.place, ignored)) {
        fs::rename(move.place, aside, error);
        if (!error) {
            move.kept = aside;
        }
    }
    if (!error) {
        fs::rename(move.staged, move.place, error);
    }
    if (error && !move.kept.empty()) {
        fs::rename(move.kept, move.place, ignored);
    }
    return error;
}

void moveBack(const std::vector<Move>& moves) {
    for (auto move = moves.rbegin(); move != moves.rend(); ++move) {
        std::error_code ignored;
        fs::remove(move->place, ignored);
        if (!move->kept.empty()) {
            fs::rename(move->kept, move->place, ignored);
        }
    }
}

std::string moveAll(std::span<const FolderText> files,
                    const fs::path& folder,
                    const fs::path& staging) {
    std::vector<Move> moved;
    for (const FolderText& file : files) {
        Move move{.staged = staging / file.path,
                  .place = destinationOf((folder / file.path).string()).path};
        const fs::path aside = staging / ("older-" + std::to_string(moved.size()));
        if (const std::error_code error = moveInto(move, aside)) {
            moveBack(moved);
            return failedAt(move.place, error);
        }
        moved.push_back(std::move(move));
    }
    return {};
}

}  // namespace

std::string publishFiles(std::span<const FolderText> files,
                         const std::string& folder,
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
    return moveAll(files, folder, staging.path());
}

}  // namespace fabricast
