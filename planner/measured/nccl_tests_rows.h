#pragma once
#include "planner/measured/nccl_tests.h"
#include "planner/measured/nccl_tests_operation.h"
#include "planner/measured/nccl_tests_ranks.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The participants of one run of nccl-tests: the ranks of its first group.
struct NcclTestsJob {
    std::string operation;  ///< "all_reduce"; empty: not known yet
    std::int64_t ranks = 0;
    std::map<std::string, std::int64_t> hosts;  ///< with how many of them
    NcclTestsRanks list;                        ///< of all groups
    std::int64_t run = 0;                       ///< which one of the log, by its headers
};

/// A number as it was printed.
struct PrintedNumber {
    double value = 0.0;
    double lastDigit = 0.0;  ///< what one more in it is worth: "12.50" has 0.01
};

/// One size of one run.
struct NcclTestsRow {
    std::int64_t bytes = 0;
    std::string type;  ///< "float"
    NcclTestsKind kind;
    std::vector<double> microseconds;
    std::optional<PrintedNumber> algbw;
    std::optional<PrintedNumber> busbw;
    double wrong = 0.0;
    std::string where;
};

/// An error where a row's rate is not size / time, whichever way its numbers were rounded.
Result<void> checkRate(const std::string& where,
                       std::int64_t bytes,
                       const PrintedNumber& microseconds,
                       const PrintedNumber& algbw);

/// Collects rows as points of a record. Sizes met again in one run are further samples; of several
/// runs the last counts, and the others are named.
class NcclTestsRecord {
public:
    NcclTestsRecord(const std::string& source, const NcclTestsHint& hint);
    Result<void> add(const NcclTestsJob& job, const NcclTestsRow& row);
    void say(const std::string& name, const std::string& value);
    /// What a rank runs on: an error where an earlier one runs on another.
    Result<void> sayGpu(const std::string& gpu, const std::string& where);
    /// A line of `date` in the log, "2026-11-27T09:00:00Z"; empty: one that is not read. The record
    /// began when its last run did: at the last that is said before it, else the first after it.
    void sayBegun(const std::string& time);
    /// The first ones are named, and the rest counted.
    void drop(const std::string& where, const std::string& why);
    /// An error where nothing came together.
    Result<MeasurementRecord> take() &&;

private:
    /// The point of that name, without what an earlier run measured of it.
    RecordedPoint& pointOf(RecordedPoint point, std::int64_t run);
    void nameContradictions();
    void beginRun(std::int64_t run);

    NcclTestsHint hint_;
    MeasurementRecord record_;
    std::map<std::string, std::size_t> places_;
    std::vector<std::int64_t> runs_;   ///< which one each point is of
    std::optional<std::int64_t> run_;  ///< the last that has a row
    std::optional<std::string> said_;  ///< the last date
    bool isDated_ = false;             ///< a date was said of that run
    std::size_t unnamed_ = 0;          ///< rows that were left out
};

Result<MeasurementRecord> parseNcclTestsJson(std::string_view text,
                                             const std::string& source,
                                             const NcclTestsHint& hint);

}  // namespace fabricast
