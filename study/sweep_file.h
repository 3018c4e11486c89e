#pragma once
#include "planner/base/result.h"
#include "planner/output/file_lock.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// Places of points by what tells them from those of other points and questions: `sweepKey`.
using SweepPlaces = std::map<std::string, std::size_t>;

inline constexpr std::size_t kMostSweepBytes = std::size_t{1} << 30;

/// Of a digest of the question, and of what each axis is at the point.
std::string sweepKey(const std::string& digest,
                     const std::vector<std::pair<std::string, std::string>>& point);

/// A line with a sum of all of it as its last member, by which `takeSweepFile` finds a change.
std::string withSum(std::string line);

/// This is the file that a sweep keeps its points in. No two write one file: what the other one
/// has computed would be lost.
///     FABRICAST_ASSIGN(SweepFile file, SweepFile::open("points.jsonl"));
///     FABRICAST_TRY(file.write(lines));
class SweepFile {
public:
    /// An empty path keeps nothing. An error where another sweep has the file, and where it is a
    /// pipe or a device, which keep nothing.
    static Result<SweepFile> open(const std::string& path);
    /// All of it anew.
    Result<void> write(std::string_view text);

private:
    explicit SweepFile(std::string path) : path_(std::move(path)) {}

    std::string path_;
    FileLock lock_;
};

/// A pipe, a device or a folder is an error.
Result<void> checkKeepsPoints(const std::string& path);

/// Takes the lines of a file, if there is one, to their places. A last line of a sweep that is cut,
/// as a kill or a full disk leaves it, is dropped: `note` says so. Other damage, numbers that no
/// sweep writes and lines of another sweep are errors with their number.
Result<void> takeSweepFile(const std::string& file,
                           const SweepPlaces& places,
                           std::vector<std::string>& lines,
                           std::string& note);

}  // namespace fabricast
