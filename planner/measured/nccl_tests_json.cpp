#include "planner/measured/nccl_tests_rows.h"
#include "planner/profiles/read_measured_collectives.h"
#include "planner/text/json_document.h"

#include <charconv>
#include <cmath>

namespace fabricast {
namespace {

/// Numbers may be strings, and "nan" and "N/A" are missing.
std::optional<double> numberIn(const JsonValue& object, std::string_view key) {
    const JsonValue* const value = object.find(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    double number = 0.0;
    if (value->isNumber()) {
        number = value->number(-1e18, 1e18).value_or(0.0);
    } else {
        std::string text = value->text().value_or("");
        text.erase(0, text.find_first_not_of(' '));  // "    -1", as in the table
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size()) {
            return std::nullopt;
        }
    }
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> wholeIn(const JsonValue& object, std::string_view key) {
    constexpr double kMostNumber = 1e9;
    const std::optional<double> number = numberIn(object, key);
    return number && *number >= 0 && *number <= kMostNumber
               ? std::optional<std::int64_t>(std::llround(*number))
               : std::nullopt;
}

std::string textIn(const JsonValue& object, std::string_view key) {
    const JsonValue* const value = object.find(key);
    return value == nullptr ? std::string() : value->text().value_or("");
}

std::string jsonVersionText(const JsonValue& root) {
    const std::string text = textIn(root, "nccl_version");
    const auto code = static_cast<std::int64_t>(numberIn(root, "nccl_version").value_or(0.0));
    if (!text.empty() || code < 10'000) {
        return text;
    }
    return std::to_string(code / 10'000) + "." + std::to_string(code % 10'000 / 100) + "." +
           std::to_string(code % 100);
}

Result<NcclTestsJob> readJob(const JsonValue& root, NcclTestsRecord& record) {
    NcclTestsJob job;
    if (const JsonValue* arguments = root.find("args")) {
        for (const JsonValue& argument : arguments->items()) {
            const std::string operation = ncclOperation(argument.text().value_or(""));
            job.operation = operation.empty() ? job.operation : operation;
        }
    }
    if (const JsonValue* config = root.find("config");
        config != nullptr && config->is(JsonValue::Kind::Object)) {
        job.list.sayPerProcess(
            ranksPerProcess(wholeIn(*config, "nthreads"), wholeIn(*config, "ngpus")));
    }
    if (const JsonValue* devices = root.find("devices")) {
        FABRICAST_TRY(devices->expect(JsonValue::Kind::Array));
        std::int64_t place = 0;
        for (const JsonValue& device : devices->items()) {
            FABRICAST_TRY(device.expect(JsonValue::Kind::Object));
            const std::int64_t group = wholeIn(device, "group").value_or(0);
            const std::int64_t rank = wholeIn(device, "rank").value_or(place++);
            FABRICAST_TRY(job.list.add(group, rank, device.where()));
            if (group == 0) {
                ++job.ranks;
                const std::string host = textIn(device, "hostname");
                if (!host.empty()) {
                    ++job.hosts[host];
                }
                FABRICAST_TRY(record.sayGpu(textIn(device, "device_info"), device.where()));
            }
        }
    }
    return job;
}

/// The root is a number or its text.
NcclTestsKind kindIn(const JsonValue& result) {
    const std::optional<double> root = numberIn(result, "root");
    return {.redop = textIn(result, "redop"), .root = root ? ncclRoot(*root) : std::nullopt};
}

/// Versions differ in how many digits they write: at least those of the table.
constexpr double kLastDigit = 0.01;

std::optional<PrintedNumber> jsonPrinted(const JsonValue& object, std::string_view key) {
    const std::optional<double> value = numberIn(object, key);
    return value ? std::optional(PrintedNumber{*value, kLastDigit}) : std::nullopt;
}

Result<void> readTimes(const JsonValue& result, std::string_view place, NcclTestsRow& row) {
    const JsonValue* const measured = result.find(place);
    if (measured == nullptr || !measured->is(JsonValue::Kind::Object)) {
        return {};
    }
    row.wrong += numberIn(*measured, "nwrong").value_or(0.0);
    const auto time = numberIn(*measured, "time");
    if (!row.microseconds.empty() || !time || !(*time > 0) || *time > kMostCollectiveMicroseconds) {
        return {};
    }
    row.algbw = jsonPrinted(*measured, "alg_bw");
    row.busbw = jsonPrinted(*measured, "bus_bw");
    if (row.algbw) {
        FABRICAST_TRY(checkRate(measured->where(), row.bytes, {*time, kLastDigit}, *row.algbw));
    }
    const JsonValue* const each = result.find(std::string(place) + "_per_iter");
    const JsonValue* const times = each == nullptr ? nullptr : each->find("times_us");
    if (times != nullptr) {
        for (const JsonValue& item : times->items()) {
            const double sample = item.number(0.0, kMostCollectiveMicroseconds).value_or(0.0);
            if (sample > 0) {
                row.microseconds.push_back(sample);
            }
        }
    }
    if (row.microseconds.empty()) {
        row.microseconds.push_back(*time);
    }
    return {};
}

constexpr std::size_t kDay = 10;  // letters

}  // namespace

Result<MeasurementRecord> parseNcclTestsJson(std::string_view text,
                                             const std::string& source,
                                             const NcclTestsHint& hint) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, source));
    NcclTestsRecord record(source, hint);
    FABRICAST_ASSIGN(const NcclTestsJob job, readJob(root, record));
    record.say("nccl", jsonVersionText(root));
    FABRICAST_ASSIGN(const JsonValue* const results, root.require("results"));
    FABRICAST_TRY(results->expect(JsonValue::Kind::Array));
    for (const JsonValue& result : results->items()) {
        FABRICAST_TRY(result.expect(JsonValue::Kind::Object));
        NcclTestsRow row{.type = textIn(result, "type"), .where = result.where()};
        row.kind = kindIn(result);
        FABRICAST_ASSIGN(const JsonValue* const size, result.require("size"));
        FABRICAST_ASSIGN(row.bytes,
                         size->integer({0, static_cast<std::int64_t>(kMostCollectiveBytes)}));
        FABRICAST_TRY(readTimes(result, "out_of_place", row));
        FABRICAST_TRY(readTimes(result, "in_place", row));
        FABRICAST_TRY(record.add(job, row));
    }
    FABRICAST_ASSIGN(MeasurementRecord all, std::move(record).take());
    // "2026-11-20 13:05:00", of the machine's own clock.
    const std::string begun = textIn(root, "start_time");
    if (isDay(std::string_view(begun).substr(0, kDay))) {
        all.begun = begun;
    }
    return all;
}

}  // namespace fabricast
