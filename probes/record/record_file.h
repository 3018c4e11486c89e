#pragma once
#include "planner/output/file_lock.h"
#include "probes/record/json_line.h"
#include "probes/record/statistics.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fabricast::probe {

/// Where measurements are kept: JSON, one object per line. The first describes the machine and the
/// program ("schema": "fabricast.measurements/1"), each other one point. The file is whole at any
/// time: a new one takes its place after each point. A file that is there already is gone on with,
/// where its first line speaks of the same machine and versions. No two probes write one record.
/// A pipe or a device gets each line once.
class RecordFile {
public:
    /// `identity` is the part of the first line that must not change between two sittings; `more`
    /// the part that may (date, command). An empty path keeps nothing on disk.
    static Answer<RecordFile> open(std::filesystem::path path,
                                   FileLock lock,
                                   const JsonLine& identity,
                                   const JsonLine& more);

    /// Whether the lines of a file that is gone on with are whole; where they are given, also
    /// whether it is of this machine, and was begun by this program.
    static Done check(const std::filesystem::path& path,
                      const JsonLine& identity = {},
                      std::string_view program = {});

    /// Whether a point needs no measuring; one that failed in an earlier sitting does.
    [[nodiscard]] bool has(const Point& point) const;
    [[nodiscard]] std::size_t points() const { return order_.size(); }

    /// Keeps a measurement, in place of an older one of the same point.
    Done add(const Measurement& measurement);

    /// Writes no more: others may. A file without a point that this one made is gone.
    void letGo() { const FileLock gone = std::move(lock_); }

    /// All lines, as they stand on disk.
    [[nodiscard]] std::string text() const;

private:
    RecordFile(std::filesystem::path path, std::string head);

    /// Takes over what the file contains.
    Done read(const std::string& headStart);
    Done write(const std::string& point);

    std::filesystem::path path_;
    bool replaceable_ = false;  ///< a file, not a pipe or a device
    FileLock lock_;
    std::string head_;
    std::vector<std::string> order_;            ///< the points' texts
    std::map<std::string, std::string> lines_;  ///< by point
    std::set<std::string> failed_;              ///< points of an earlier sitting
};

}  // namespace fabricast::probe
