#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

class JsonValue;

/// Seconds that something takes on a machine; of records and of tables.
inline constexpr double kLeastMeasured = 1e-12;
inline constexpr double kMostMeasured = 1e10;

/// The measurement of one point: a line of a record file.
struct RecordedPoint {
    std::string text;  ///< the point's name: "gemm dtype=bf16 k=4096 layout=tn m=8192 n=4096"
    std::string what;  ///< "gemm"
    std::map<std::string, std::string> settings;
    std::string unit;  ///< of the samples: "s", "B", "W"
    std::vector<double> samples;
    double median = 0.0;     ///< of the samples; 0 of none
    double deviation = 0.0;  ///< the median of their distances from it
    std::map<std::string, double> facts;
    std::map<std::string, std::string> words;
    std::string refused;      ///< why the machine cannot do it; no samples then
    std::string where;        ///< "run.jsonl:17:1"
    std::size_t sitting = 0;  ///< of those that were joined: which one it is of

    [[nodiscard]] std::string setting(const std::string& name, std::string otherwise) const;
    [[nodiscard]] double fact(const std::string& name, double otherwise) const;
    [[nodiscard]] std::string word(const std::string& name) const;  ///< empty: not given
};

/// A setting that must be there, as a whole number of at least `least`; K, M, G and T are powers of
/// 1,024.
Result<std::int64_t> wholeSetting(const RecordedPoint& point,
                                  const std::string& name,
                                  std::int64_t least);

/// The operations of a product or of attention, from the sizes in the point's name; 0 of a point
/// that is neither, or whose name lacks one of them.
Result<double> namedFlop(const RecordedPoint& point);

/// One sitting of a probe: the machine it found, and what it measured there. `machine` holds every
/// value by its path ("gpu.name", "nics[0].speed"), as text.
struct MeasurementRecord {
    std::string source;   ///< the file
    std::string program;  ///< "fabricast-probe-cuda"
    std::string begun;    ///< "2026-11-22T19:00:00Z"
    std::map<std::string, std::string> machine;
    std::vector<RecordedPoint> points;
    std::string gpuAt{};                 ///< where its "gpu" is said; empty: not known
    std::vector<std::string> dropped{};  ///< lines that could not be read, each with why
};

/// Reads a record file ("fabricast.measurements/1", JSON lines). Of a duplicate point
/// the last line counts.
Result<MeasurementRecord> parseMeasurements(std::string_view text, const std::string& source);

/// An error where a line of a record is none that `program` writes: it contradicts itself (a median
/// that its samples do not have), names what the program does not measure, or has a setting, a type
/// or a unit that it does not have there. Such a line is damaged or was edited, and its point would
/// become a number of a profile. Without a program it may be of any.
Result<void> checkRecordedPoint(const JsonValue& line,
                                const RecordedPoint& point,
                                std::string_view program);

/// What a line has beside its samples, under "facts". An error where it is not what the point's
/// name and the median make of it: the bytes of a copy, the operations of a product, the rates of a
/// collective.
Result<void> readRecordedFacts(const JsonValue& line,
                               RecordedPoint& point,
                               std::string_view program);

/// What several sittings measured on one machine, in the order in which points were first met.
struct MergedMeasurements {
    std::map<std::string, std::string> machine;  ///< what any of them records about it
    std::vector<MeasurementRecord> sittings;     ///< oldest first, without their points
    std::vector<RecordedPoint> points;
};

/// Those sittings of a record that points of a kind are of, without any points.
MergedMeasurements sittingsOf(const MergedMeasurements& record,
                              bool (*isOfKind)(const RecordedPoint&));

/// Joins records: of a point measured more than once the latest sitting counts. What two sittings
/// of one program record about the machine and its versions must be the same ("ranks" and "nodes"
/// aside); of two programs, "gpu" and "cpu".
///     FABRICAST_ASSIGN(const MergedMeasurements all, readMeasurements(paths));
Result<MergedMeasurements> mergeMeasurements(std::vector<MeasurementRecord> records);
Result<MergedMeasurements> readMeasurements(std::span<const std::string> paths);

}  // namespace fabricast
