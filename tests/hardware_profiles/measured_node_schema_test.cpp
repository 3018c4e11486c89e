#include "probes/fit/fit_record.h"
#include "tests/hardware_profiles/json_schema.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

// Copies, footprints and the host's memory, as the probes write them.
constexpr const char* kRecord =
    R"({"schema":"fabricast.measurements/1","machine":{"gpu":"NVIDIA H200","capability":90},"program":"fabricast-probe-cuda","begun":"2026-11-22T18:00:00Z"}
{"point":"transfer bytes=256M kind=h2d","unit":"s","samples":[0.00512],"facts":{"bytes":268435456}}
{"point":"transfer bytes=256M kind=d2h","unit":"s","samples":[0.00533],"facts":{"bytes":268435456}}
{"point":"footprint of=context","unit":"B","samples":[451231744]}
{"point":"footprint of=cublaslt","unit":"B","samples":[41943041]}
)";
constexpr const char* kHostRecord =
    R"({"schema":"fabricast.measurements/1","machine":{"host":{"threads":224,"usable_threads":224}},"program":"fabricast-probe-host","begun":"2026-11-22T18:00:00Z"}
{"point":"memory op=triad threads=224","unit":"s","samples":[0.0023],"facts":{"bytes":1073741820}}
)";

TEST(MeasuredNodeSchema, AcceptsTheNodeAndTheMemoryBesideTensors) {
    auto record = parseMeasurements(kRecord, "run.jsonl");
    ASSERT_TRUE(record) << record.error().text();
    auto host = parseMeasurements(kHostRecord, "host.jsonl");
    ASSERT_TRUE(host) << host.error().text();
    const auto fitted = fitRecord(ProfileStore::builtIn(),
                                  mergeMeasurements({*std::move(record), *std::move(host)}).value(),
                                  {.name = "ours", .machine = "dgx-h200"});
    ASSERT_TRUE(fitted) << fitted.error().text();
    ASSERT_EQ(fitted->files.size(), 2U) << fitted->report;
    EXPECT_EQ(complaints(schemaOf("node"), json::parse(fitted->files[0].text)), "");
    EXPECT_EQ(complaints(schemaOf("runtime"), json::parse(fitted->files[1].text)), "");
}

}  // namespace
}  // namespace fabricast
