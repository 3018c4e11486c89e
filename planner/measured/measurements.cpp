#include "planner/measured/measurements.h"

#include "planner/text/text_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

namespace fabricast {
namespace {

/// A thousand samples of ten thousand points.
constexpr std::size_t kMostRecordBytes = std::size_t{256} << 20;

void keep(RecordedPoint point,
          std::map<std::string, std::size_t>& places,
          std::vector<RecordedPoint>& points) {
    const auto [place, isNew] = places.emplace(point.text, points.size());
    if (isNew) {
        points.push_back(std::move(point));
    } else {
        points[place->second] = std::move(point);
    }
}

/// The number of ranks is not a property of the machine.
constexpr std::array<std::string_view, 2> kFree = {"ranks", "nodes"};
/// Facts that mean the same in all programs.
constexpr std::array<std::string_view, 2> kCommon = {"gpu", "cpu"};

/// Ranks on CPUs become a cluster of their own; a GPU's numbers are not theirs.
bool isOfCpuRanks(const MeasurementRecord& record) {
    const auto kind = record.machine.find("kind");
    return kind != record.machine.end() && kind->second == "cpu";
}

Result<void> checkAlike(const MeasurementRecord& known, const MeasurementRecord& record) {
    if (isOfCpuRanks(known) != isOfCpuRanks(record) &&
        (known.machine.contains("gpu") || record.machine.contains("gpu"))) {
        return fail(Error::Code::BadInput,
                    record.source,
                    std::string("measures ") +
                        (isOfCpuRanks(record) ? "ranks on CPUs, " : "a GPU, ") + known.source +
                        (isOfCpuRanks(record) ? " a GPU" : " ranks on CPUs"),
                    "fit them separately");
    }
    const bool sameProgram = known.program == record.program;
    for (const auto& [name, value] : record.machine) {
        const auto other = known.machine.find(name);
        const bool judged = sameProgram ? std::ranges::find(kFree, name) == kFree.end()
                                        : std::ranges::find(kCommon, name) != kCommon.end();
        if (judged && other != known.machine.end() && other->second != value) {
            return fail(Error::Code::BadInput,
                        record.source,
                        "was measured on another machine or with other versions than " +
                            known.source + ": " + name + " is \"" + value + "\", not \"" +
                            other->second + "\"",
                        "fit them separately");
        }
    }
    return {};
}

}  // namespace

std::string RecordedPoint::setting(const std::string& name, std::string otherwise) const {
    const auto found = settings.find(name);
    return found == settings.end() ? std::move(otherwise) : found->second;
}

double RecordedPoint::fact(const std::string& name, double otherwise) const {
    const auto found = facts.find(name);
    return found == facts.end() ? otherwise : found->second;
}

std::string RecordedPoint::word(const std::string& name) const {
    const auto found = words.find(name);
    return found == words.end() ? std::string() : found->second;
}

Result<std::int64_t> wholeSetting(const RecordedPoint& point,
                                  const std::string& name,
                                  std::int64_t least) {
    const auto found = point.settings.find(name);
    if (found == point.settings.end()) {
        return fail(Error::Code::BadInput, point.where, "'" + point.text + "' lacks " + name + "=");
    }
    const std::string& text = found->second;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    const std::size_t power = unit.empty() ? 0 : std::string_view("KMGT").find(unit) + 1;
    const auto shift = static_cast<unsigned>(10 * power);
    if (error != std::errc() || unit.size() > 1 || power > 4 || value < 0 ||
        value > (std::int64_t{1} << 62) >> shift || value << shift < least) {
        return fail(Error::Code::BadInput,
                    point.where,
                    "'" + point.text + "': " + name + " must be a whole number of at least " +
                        std::to_string(least));
    }
    return value << shift;
}

Result<MergedMeasurements> mergeMeasurements(std::vector<MeasurementRecord> records) {
    // At one time the later name counts, in whatever order they are given; without one, the order.
    std::ranges::stable_sort(records, {}, [](const MeasurementRecord& record) {
        return std::pair(
            std::string_view(record.begun),
            record.begun.empty() ? std::string_view() : std::string_view(record.source));
    });
    MergedMeasurements merged;
    std::map<std::string, std::size_t> places;
    for (std::size_t number = 0; number < records.size(); ++number) {
        MeasurementRecord& record = records[number];
        for (std::size_t before = 0; before < number; ++before) {
            FABRICAST_TRY(checkAlike(records[before], record));
        }
        merged.machine.insert(record.machine.begin(), record.machine.end());
        for (RecordedPoint& point : std::exchange(record.points, {})) {
            point.sitting = number;
            keep(std::move(point), places, merged.points);
        }
    }
    merged.sittings = std::move(records);
    return merged;
}

MergedMeasurements sittingsOf(const MergedMeasurements& record,
                              bool (*isOfKind)(const RecordedPoint&)) {
    MergedMeasurements part{.machine = record.machine};
    for (std::size_t number = 0; number < record.sittings.size(); ++number) {
        if (std::ranges::any_of(record.points, [&](const RecordedPoint& point) {
                return point.sitting == number && isOfKind(point);
            })) {
            part.sittings.push_back(record.sittings[number]);
        }
    }
    return part;
}

Result<MergedMeasurements> readMeasurements(std::span<const std::string> paths) {
    std::vector<MeasurementRecord> records;
    for (const std::string& path : paths) {
        FABRICAST_ASSIGN(const std::string text, readTextFile(path, kMostRecordBytes));
        FABRICAST_ASSIGN(MeasurementRecord record, parseMeasurements(text, sourceName(path)));
        records.push_back(std::move(record));
    }
    return mergeMeasurements(std::move(records));
}

}  // namespace fabricast
