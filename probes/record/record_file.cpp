#include "probes/record/record_file.h"

#include "planner/output/replace_file.h"
#include "probes/record/json_check.h"

#include <fstream>

namespace fabricast::probe {

namespace {

constexpr const char* kSchema = "fabricast.measurements/1";
constexpr std::string_view kPoint = "{\"point\":\"";

/// The text of a line's point; empty where the line is damaged.
std::string pointOf(std::string_view line) {
    if (!line.starts_with(kPoint) || !isJsonObject(line)) {
        return "";
    }
    line.remove_prefix(kPoint.size());
    // A point's own words have nothing to escape.
    const std::string text(line.substr(0, line.find('"')));
    const Answer<Point> point = parsePoint(text);
    return point && textOf(*point) == text ? text : "";
}

std::string headStart(const JsonLine& identity) {
    return JsonLine().add("schema", kSchema).add("machine", identity).text();
}

Trouble ofAnother(const std::filesystem::path& path) {
    return {path.string() +
            ":1: is no record of this machine with these versions; give --out another name"};
}

/// A first line that names no program, or none where no program is asked for, is of any.
bool isBegunBy(std::string_view program, std::string_view head) {
    const std::string named = JsonLine().add("program", program).text();
    return program.empty() || head.find("\"program\":") == std::string_view::npos ||
           head.find(std::string_view(named).substr(1, named.size() - 2)) != std::string_view::npos;
}

}  // namespace

RecordFile::RecordFile(std::filesystem::path path, std::string head)
    : path_(std::move(path)),
      replaceable_(!path_.empty() && isReplaceable(path_.string())),
      head_(std::move(head)) {}

Answer<RecordFile> RecordFile::open(std::filesystem::path path,
                                    FileLock lock,
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
    if (!record.replaceable_) {
        return record;
    }
    record.lock_ = std::move(lock);
    const Done known = record.read(start.substr(0, start.size() - 1));
    return known ? Answer<RecordFile>(std::move(record)) : known.trouble();
}

Done RecordFile::check(const std::filesystem::path& path,
                       const JsonLine& identity,
                       std::string_view program) {
    RecordFile record(path, "");
    if (!record.replaceable_) {
        return std::monostate();
    }
    const std::string start =
        identity.empty() ? JsonLine().add("schema", kSchema).text() : headStart(identity);
    const Done known = record.read(start.substr(0, start.size() - 1));
    return known && !isBegunBy(program, record.head_) ? ofAnother(path) : known;
}

Done RecordFile::read(const std::string& headStart) {
    std::ifstream file(path_, std::ios::binary);
    std::string line;
    if (!std::getline(file, line)) {
        return file.eof() ? Done(std::monostate()) : Trouble{path_.string() + ": cannot be read"};
    }
    if (!line.starts_with(headStart) || !isJsonObject(line)) {
        return ofAnother(path_);
    }
    head_ = line;
    for (std::size_t number = 2; std::getline(file, line); ++number) {
        const std::string point = pointOf(line);
        if (point.empty()) {
            return Trouble{path_.string() + ":" + std::to_string(number) +
                           ": is no measured point; mend or remove the line"};
        }
        if (!lines_.contains(point)) {
            order_.push_back(point);
        }
        lines_[point] = line;
        if (line.find("\",\"refused\":\"" + std::string(kFailed)) != std::string::npos) {
            failed_.insert(point);
        } else {
            failed_.erase(point);
        }
    }
    return std::monostate();
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
    return path_.empty() ? Done(std::monostate()) : write(point);
}

Done RecordFile::write(const std::string& point) {
    const std::string begin = order_.size() == 1 ? head_ + "\n" : "";
    const std::string trouble =
        replaceable_ ? replaceFile(path_.string(), text(), [&](int file) { lock_.moveTo(file); })
                     : writeThrough(path_.string(), begin + lines_.at(point) + "\n");
    return trouble.empty() ? Done(std::monostate()) : Trouble{path_.string() + ": " + trouble};
}

std::string RecordFile::text() const {
    std::string text = head_ + "\n";
    for (const std::string& point : order_) {
        text += lines_.at(point) + "\n";
    }
    return text;
}

}  // namespace fabricast::probe
