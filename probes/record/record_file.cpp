#include "probes/record/record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace fabricast::probe {

namespace {

constexpr std::string_view kPoint = "{\"point\":\"";

Trouble systemTrouble(const std::filesystem::path& path, const char* what) {
    return Trouble{path.string() + ": " + what + ": " + std::strerror(errno)};
}

/// The text of a line's point: our own words have nothing to escape.
std::string pointOf(std::string_view line) {
    if (line.substr(0, kPoint.size()) != kPoint || line.back() != '}') {
        return "";
    }
    line.remove_prefix(kPoint.size());
    return std::string(line.substr(0, line.find('"')));
}

std::string headStart(const JsonLine& identity) {
    return JsonLine().add("schema", "fabricast.measurements/1").add("machine", identity).text();
}

bool writeAll(int file, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t written = write(file, text.data() + done, text.size() - done);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        done += written < 0 ? 0 : static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

Done writeWhole(const std::filesystem::path& path, const std::string& text) {
    struct stat there = {};
    const bool special = stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
    // A device or a pipe has no place that a new file could take.
    const std::filesystem::path target =
        special ? path : std::filesystem::path(path.string() + ".part");
    const int file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        return systemTrouble(path, "cannot be written");
    }
    const bool written = writeAll(file, text) && (special || fsync(file) == 0);
    const int why = errno;
    const bool closed = close(file) == 0;
    if (!written || !closed || (!special && std::rename(target.c_str(), path.c_str()) != 0)) {
        errno = written ? errno : why;
        const Trouble trouble = systemTrouble(path, "cannot be written");
        if (!special) {
            unlink(target.c_str());
        }
        return trouble;
    }
    return std::monostate();
}

Answer<RecordFile> RecordFile::open(std::filesystem::path path,
                                    const JsonLine& identity,
                                    const JsonLine& more) {
    const std::string start = headStart(identity);
    std::string head = start.substr(0, start.size() - 1);
    if (!more.empty()) {
        head += ',';
        head += more.text().substr(1, more.text().size() - 2);
    }
    head += '}';
    RecordFile record(std::move(path), head);
    std::error_code error;
    if (record.path_.empty() || !std::filesystem::is_regular_file(record.path_, error)) {
        return record;
    }
    std::ifstream file(record.path_, std::ios::binary);
    std::string line;
    std::getline(file, line);
    if (!file && !line.empty()) {
        return Trouble{record.path_.string() + ": cannot be read"};
    }
    if (line.substr(0, start.size() - 1) != start.substr(0, start.size() - 1)) {
        return Trouble{
            record.path_.string() +
            ":1: is no record of this machine with these versions; give --out another name"};
    }
    record.head_ = line;
    for (std::size_t number = 2; std::getline(file, line); ++number) {
        const std::string point = line.empty() ? "" : pointOf(line);
        if (point.empty()) {
            return Trouble{record.path_.string() + ":" + std::to_string(number) +
                           ": is no measured point; mend or remove the line"};
        }
        record.order_.push_back(point);
        record.lines_[point] = line;
        if (line.find("\",\"refused\":\"" + std::string(kFailed)) != std::string::npos) {
            record.failed_.insert(point);
        }
    }
    return record;
}

bool RecordFile::has(const Point& point) const {
    const std::string text = textOf(point);
    return lines_.contains(text) && !failed_.contains(text);
}

Done RecordFile::add(const Measurement& measurement) {
    const std::string point = textOf(measurement.point);
    if (!lines_.contains(point)) {
        order_.push_back(point);
    }
    lines_[point] = lineOf(measurement);
    failed_.erase(point);
    return path_.empty() ? Done(std::monostate()) : writeWhole(path_, text());
}

std::string RecordFile::text() const {
    std::string text = head_ + "\n";
    for (const std::string& point : order_) {
        text += lines_.at(point) + "\n";
    }
    return text;
}

}  // namespace fabricast::probe
