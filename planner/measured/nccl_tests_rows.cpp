#include "planner/measured/nccl_tests_rows.h"

#include "planner/base/median.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kTypes = {
    {{"float", "fp32"},
     {"half", "fp16"},
     {"bfloat16", "bf16"},
     {"double", "fp64"},
     {"fp8_e4m3", "fp8"},
     {"f8e4m3", "fp8"},
     {"fp8_e5m2", "fp8"},
     {"f8e5m2", "fp8"},
     {"char", "int8"},
     {"int", "int32"},
     {"int8", "int8"},
     {"uint8", "uint8"},
     {"int32", "int32"},
     {"uint32", "uint32"},
     {"int64", "int64"},
     {"uint64", "uint64"},
     {"", ""}}};

/// Nothing where nccl-tests has no such type.
std::optional<std::string> typeName(const std::string& type) {
    const auto* const found = std::ranges::find(
        kTypes, std::string_view(type), [](const auto& entry) { return entry.first; });
    return found == kTypes.end() ? std::nullopt : std::optional<std::string>(found->second);
}

/// Rows of one size in one run differ by less, where nothing else runs.
constexpr double kMostApart = 3.0;

void summarise(RecordedPoint& point) {
    point.median = median(point.samples);
    std::vector<double> distances;
    distances.reserve(point.samples.size());
    for (const double sample : point.samples) {
        distances.push_back(std::abs(sample - point.median));
    }
    point.deviation = median(std::move(distances));
}

/// busbw / algbw says of how many ranks a row is, within the digits that were printed.
Result<void> checkBusRate(const NcclTestsRow& row,
                          const std::string& operation,
                          std::int64_t ranks,
                          bool listed) {
    if (!row.algbw || !row.busbw || row.microseconds.empty()) {
        return {};
    }
    const double factor = ncclBusFactor(operation, ranks);
    const auto [rate, digit] = *row.algbw;
    const auto [bus, busDigit] = *row.busbw;
    if (bus + busDigit >= factor * (rate - digit) && bus - busDigit <= factor * (rate + digit)) {
        return {};
    }
    return fail(Error::Code::BadInput,
                row.where,
                fmt::format("busbw of {} GB/s is not {:.4g} times algbw of {} GB/s, as {} of {} {} "
                            "has it",
                            bus,
                            factor,
                            rate,
                            operation,
                            ranks,
                            ranks == 1 ? "rank" : "ranks"),
                listed ? kWholeLog : "--ranks with the number of ranks that ran");
}

/// Forecasts tell groups over hosts apart by how many ranks each has.
Result<void> checkEven(const NcclTestsJob& job, const std::string& where) {
    const auto counts = [](const auto& host) { return host.second; };
    const auto [least, most] = std::ranges::minmax_element(job.hosts, {}, counts);
    return job.hosts.empty() || least->second == most->second
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      where,
                      fmt::format("is of {} ranks on {} and {} on {}: collectives over hosts are "
                                  "modelled with as many ranks on each",
                                  most->second,
                                  most->first,
                                  least->second,
                                  least->first),
                      "run the test with as many ranks on each host");
}

/// What the log lists is what is typed, where both are there.
Result<void> checkTyped(const std::string& where,
                        const std::string& what,
                        std::int64_t listed,
                        std::int64_t typed) {
    return listed == 0 || typed == 0 || listed == typed
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      where,
                      fmt::format(
                          "is of {} {} by its list, and --{} says {}", listed, what, what, typed),
                      "leave out --" + what);
}

}  // namespace

Result<void> checkRate(const std::string& where,
                       std::int64_t bytes,
                       const PrintedNumber& microseconds,
                       const PrintedNumber& algbw) {
    constexpr double kGigabytesPerMicrosecond = 1e-3;
    const auto within = [&](double time) {
        return static_cast<double>(bytes) * kGigabytesPerMicrosecond / time;
    };
    const double least = within(microseconds.value + microseconds.lastDigit);
    const double shortest = microseconds.value - microseconds.lastDigit;
    if (algbw.value + algbw.lastDigit >= least &&
        (shortest <= 0.0 || algbw.value - algbw.lastDigit <= within(shortest))) {
        return {};
    }
    return fail(Error::Code::BadInput,
                where,
                fmt::format("its time and its rate contradict each other: {} bytes in {} us are "
                            "{:.4g} GB/s, and algbw is {} GB/s",
                            bytes,
                            microseconds.value,
                            within(microseconds.value),
                            algbw.value),
                "use the log as nccl-tests wrote it, with times in microseconds");
}

NcclTestsRecord::NcclTestsRecord(const std::string& source, const NcclTestsHint& hint)
    : hint_(hint), record_{.source = source, .program = "nccl-tests"} {}

void NcclTestsRecord::say(const std::string& name, const std::string& value) {
    if (!value.empty()) {
        record_.machine.emplace(name, value);
    }
}

void NcclTestsRecord::sayBegun(const std::string& time) {
    said_ = time;
    if (run_ && !isDated_) {
        record_.begun = time;
        isDated_ = true;
    }
}

void NcclTestsRecord::beginRun(std::int64_t run) {
    if (run_ != run) {
        run_ = run;
        record_.begun = said_.value_or("");
        isDated_ = said_.has_value();
    }
}

Result<void> NcclTestsRecord::sayGpu(const std::string& gpu, const std::string& where) {
    if (gpu.empty()) {
        return {};
    }
    const auto [said, isFirst] = record_.machine.emplace("gpu", gpu);
    if (!isFirst && said->second != gpu) {
        return fail(
            Error::Code::BadInput,
            where,
            "is a rank on \"" + gpu + "\", and earlier ones are on \"" + said->second + "\"",
            "run the test on GPUs of one kind");
    }
    if (isFirst) {
        record_.gpuAt = where;
    }
    return {};
}

Result<void> NcclTestsRecord::add(const NcclTestsJob& job, const NcclTestsRow& row) {
    const std::string operation =
        job.operation.empty() ? ncclOperationOfFile(record_.source) : job.operation;
    FABRICAST_TRY(checkNcclOperation(row.where, operation, row.kind));
    const std::int64_t ranks = job.ranks > 0 ? job.ranks : hint_.ranks;
    const auto hosts = static_cast<std::int64_t>(job.hosts.size());
    const std::int64_t nodes = hosts > 0 ? hosts : std::max<std::int64_t>(hint_.nodes, 1);
    if (ranks < 1) {
        return fail(Error::Code::BadInput,
                    row.where,
                    "does not list the ranks",
                    "--ranks 8, and --hosts a,b for several hosts");
    }
    FABRICAST_TRY(job.list.checkWhole());
    FABRICAST_TRY(checkEven(job, row.where));
    FABRICAST_TRY(checkTyped(row.where, "ranks", job.ranks, hint_.ranks));
    FABRICAST_TRY(checkTyped(row.where, "hosts", hosts, hint_.nodes));
    FABRICAST_TRY(checkBusRate(row, operation, ranks, job.ranks > 0));
    if (row.bytes <= 0) {
        return {};
    }
    if (row.microseconds.empty()) {
        drop(row.where, "it has no time");
        return {};
    }
    const std::optional<std::string> type = typeName(row.type);
    if (!type) {
        drop(row.where, "nccl-tests has no type \"" + row.type + "\"");
        return {};
    }
    RecordedPoint point{.what = operation, .unit = "s", .where = row.where};
    point.settings = {{"bytes", std::to_string(row.bytes)},
                      {"ranks", std::to_string(ranks)},
                      {"nodes", std::to_string(nodes)}};
    if (!type->empty()) {
        point.settings["dtype"] = *type;
    }
    point.text = operation;
    for (const auto& [name, value] : point.settings) {
        point.text.append(" ").append(name).append("=").append(value);
    }
    beginRun(job.run);
    RecordedPoint& kept = pointOf(std::move(point), job.run);
    for (const double time : row.microseconds) {
        kept.samples.push_back(time * 1e-6);
    }
    kept.facts["algbw"] = row.algbw.value_or(PrintedNumber{}).value;
    kept.facts["busbw"] = row.busbw.value_or(PrintedNumber{}).value;
    kept.facts["wrong"] += row.wrong;
    return {};
}

RecordedPoint& NcclTestsRecord::pointOf(RecordedPoint point, std::int64_t run) {
    const auto [place, isNew] = places_.emplace(point.text, record_.points.size());
    const std::size_t at = place->second;
    if (isNew) {
        record_.points.push_back(std::move(point));
        runs_.push_back(run);
    } else if (runs_[at] != run) {
        drop(record_.points[at].where,
             "a later run in this log measures the same again, at " + point.where);
        record_.points[at] = std::move(point);
        runs_[at] = run;
    }
    return record_.points[at];
}

void NcclTestsRecord::nameContradictions() {
    for (const RecordedPoint& point : record_.points) {
        const auto [least, most] = std::ranges::minmax(point.samples);
        if (most > kMostApart * least) {
            record_.dropped.push_back(
                fmt::format("{}: {} bytes took {:.4g} us and {:.4g} us in one run: something else "
                            "ran beside it; their median counts",
                            point.where,
                            point.setting("bytes", ""),
                            least * 1e6,
                            most * 1e6));
        }
    }
}

void NcclTestsRecord::drop(const std::string& where, const std::string& why) {
    constexpr std::size_t kMostNamed = 20;
    if (record_.dropped.size() < kMostNamed) {
        record_.dropped.push_back(where + ": left out: " + why);
    } else {
        ++unnamed_;
    }
}

Result<MeasurementRecord> NcclTestsRecord::take() && {
    if (record_.points.empty()) {
        return fail(Error::Code::BadInput,
                    record_.source,
                    "has no row of nccl-tests" +
                        (record_.dropped.empty() ? "" : "; " + record_.dropped.front()),
                    "use the output of all_reduce_perf, or the file of its -J option");
    }
    // Once for all: a size may be met a hundred thousand times.
    std::ranges::for_each(record_.points, &summarise);
    nameContradictions();
    if (unnamed_ > 0) {
        record_.dropped.push_back(
            fmt::format("{}: left out: {} more rows like these", record_.source, unnamed_));
    }
    return std::move(record_);
}

}  // namespace fabricast
