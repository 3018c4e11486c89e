#include "tests/programs/real_rows/software_of_its_day.h"

namespace fabricast {

namespace {

bool isWithin(const MemoryReport& report, std::string_view from, std::string_view until) {
    const std::string date = report.text("date");
    return !date.empty() && date >= from && date < until;
}

bool isLlamaFactory(const MemoryReport& report) {
    return report.says("stack", "llama-factory") || report.says("stack", "llamafactory");
}

}  // namespace

bool keepsScoresOfSinks(const MemoryReport& report, const std::string& stack) {
    const bool megatron = stack == "megatron" || stack == "nemo";
    return megatron && report.says("model", "gpt-oss") && isWithin(report, "", "2025-10");
}

bool forgetsItsLength(const MemoryReport& report) {
    return report.says("stack", "open-r1") && isWithin(report, "2025-02-20", "2025-03-01");
}

bool recomputesAllLayers(const MemoryReport& report) {
    return isLlamaFactory(report);
}

bool fillsInBuckets(const MemoryReport& report, const std::string& stack) {
    return stack == "deepspeed" && isLlamaFactory(report);
}

}  // namespace fabricast
