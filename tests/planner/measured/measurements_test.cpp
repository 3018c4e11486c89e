#include "planner/measured/measurements.h"

#include "planner/output/probe_points.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

const std::string kHead =
    R"({"schema":"fabricast.measurements/1","machine":{"gpu":{"name":"NVIDIA H200","memory":141},)"
    R"("nics":["mlx5_0","mlx5_1"],"busy":false},"program":"fabricast-probe-cuda",)"
    R"("begun":"2026-11-22T19:00:00Z","arguments":["--suite","quick"]})"
    "\n";

std::string headOf(const std::string& program) {
    return R"({"schema":"fabricast.measurements/1","machine":{},"program":")" + program + "\"}\n";
}

std::string lineOf(const std::string& point, double seconds) {
    return R"({"point":")" + point + R"(","unit":"s","n":3,"samples":[)" + std::to_string(seconds) +
           ",2e9," + std::to_string(seconds / 2) + "]}\n";
}

std::string errorOf(const std::string& text) {
    const auto record = parseMeasurements(text, "run.jsonl");
    return record ? "" : record.error().text();
}

TEST(Measurements, SayWhatToDoWithADamagedLine) {
    const std::string head = R"({"schema": "fabricast.measurements/1", "machine": {"gpu": "X"}})"
                             "\n";
    const auto hint = [](const std::string& text) {
        const auto record = parseMeasurements(text, "run.jsonl");
        return record ? "" : record.error().where + ": " + record.error().hint;
    };
    EXPECT_NE(hint(head + "{\"point\": \"a b=1\"\n").find("run.jsonl:2"), std::string::npos);
    EXPECT_NE(hint(head + "{\"point\": \"a b=1\"\n").find("remove that line"), std::string::npos);
    EXPECT_NE(hint("{\"schema\"\n").find("a file written by a probe"), std::string::npos);
    EXPECT_EQ(hint("{\"point\": \"a b=1\"}\n"),
              "run.jsonl:1:1: use the whole file that a probe wrote with --out");
}

TEST(Measurements, NamesALineThatIsTooLong) {
    const std::string line = R"({"point":")" + std::string(std::size_t{9} << 20, 'x') + "\"}\n";
    EXPECT_EQ(errorOf(kHead + line),
              "run.jsonl:2: is larger than 8 MiB (remove that line, and its point is measured "
              "again)");
}

TEST(Measurements, SaysWhereASecondRecordBegins) {
    const std::string point = lineOf("gemm m=8", 1.0);
    EXPECT_EQ(
        errorOf(kHead + point + kHead + point),
        "run.jsonl:3:1: begins another record, and a file holds one (head -n 2 and tail -n +3 "
        "to part them, and --from-record with both)");
}

TEST(Measurements, ATimeIsOneThatAMachineTakes) {
    const auto why = [](const std::string& sample) {
        const std::string head = R"({"schema":"fabricast.measurements/1","machine":{}})";
        const auto record = parseMeasurements(
            head + "\n" + R"({"point":"gemm m=8","unit":"s","samples":[)" + sample + "]}\n",
            "r.jsonl");
        return record ? std::string() : record.error().text();
    };
    EXPECT_EQ(why("0"), "");
    EXPECT_EQ(why("1e-9"), "");
    EXPECT_EQ(why("3600"), "");
    for (const char* const odd : {"1e-300", "1e-13", "1e11", "-1e300"}) {
        EXPECT_NE(why(odd).find("r.jsonl:2:"), std::string::npos) << odd << why(odd);
    }
}

TEST(Measurements, RefusesCountsThatNoMachineHas) {
    const auto why = [](const std::string& machine) {
        return errorOf(R"({"schema":"fabricast.measurements/1","machine":{)" + machine + "}}\n");
    };
    EXPECT_EQ(why(R"("gpu":"X","memory_bytes":85017493504,"numa":-1)"), "");
    EXPECT_EQ(why(R"("gpu":"X","memory_bytes":-85017493504)"),
              "run.jsonl:1:74: \"memory_bytes\" is out of range at -85017493504: at least 0 (use a "
              "file written by a probe with --out)");
    EXPECT_NE(why(R"("multiprocessors":-1)"), "");
    EXPECT_NE(why(R"("host":{"memory":-5})"), "");
}

TEST(Measurements, RefusesACopyOfOtherBytesThanItsNames) {
    const auto why = [](const std::string& kind, const std::string& bytes) {
        return errorOf(kHead + R"({"point":"transfer bytes=256M kind=)" + kind +
                       R"(","unit":"s","facts":{"bytes":)" + bytes + R"(},"samples":[0.01]})");
    };
    EXPECT_EQ(why("h2d", "268435456"), "");
    EXPECT_EQ(why("both", "536870912"), "");
    EXPECT_NE(why("h2d", "1e9").find("has 1e+09 bytes, and the point's name 2.68435e+08"),
              std::string::npos)
        << why("h2d", "1e9");
    EXPECT_NE(why("both", "268435456"), "");
}

TEST(Measurements, RefusesOperationsThatTheSizesDoNotMake) {
    const auto why = [](const std::string& point, const std::string& flop) {
        return errorOf(headOf("fabricast-probe-cuda") + R"({"point":")" + point +
                       R"(","unit":"s","samples":[0.01],"facts":{"flop":)" + flop + "}}\n");
    };
    const std::string gemm = "gemm dtype=bf16 k=8K layout=tn m=8192 n=8192";
    EXPECT_EQ(why(gemm, "1099511627776"), "");
    EXPECT_NE(
        why(gemm, "10995116277760")
            .find("\"flop\" is 1.09951e+13, and by the sizes of the point's name 1.09951e+12"),
        std::string::npos)
        << why(gemm, "10995116277760");
    const std::string attention =
        "attention batch=1 causal=1 dim=128 dtype=bf16 heads=32 kv_heads=8 sequence=4096 pass=";
    EXPECT_EQ(why(attention + "forward", "137472507904"), "");
    EXPECT_EQ(why(attention + "backward", "343681269760"), "");
    EXPECT_NE(why(attention + "backward", "137472507904"), "");
    const std::string experts =
        "grouped_gemm dtype=bf16 experts=8 k=4096 n=28672 layout=tn tokens=";
    EXPECT_EQ(why(experts + "16384", "3848290697216"), "");
    EXPECT_EQ(why(experts + "16377", "3848290697216"), "");
    EXPECT_NE(why(experts + "16376", "3848290697216"), "");
    EXPECT_NE(why("gemm dtype=bf16 k=0 layout=tn m=8192 n=8192", "1"), "");
}

TEST(Measurements, RefusesRatesThatBytesAndMedianDoNotMake) {
    const auto whyOf = [](const std::string& program,
                          const std::string& samples,
                          const std::string& point,
                          const std::string& facts) {
        return errorOf(headOf(program) + R"({"point":")" + point + R"(","unit":"s","samples":[)" +
                       samples + R"(],"facts":{)" + facts + "}}\n");
    };
    const auto why = [&](const std::string& point, const std::string& facts) {
        return whyOf("fabricast-probe-nccl", "1e-4", point, facts);
    };
    const std::string eight = "all_reduce bytes=100000000 nodes=1 ranks=8";
    const std::string bytes = R"("bytes":100000000,)";
    const std::string hint = " (remove that line, and its point is measured again)";
    EXPECT_EQ(why(eight, bytes + R"("algbw":1000,"busbw":1750)"), "");
    EXPECT_EQ(why(eight, R"("algbw":1000,"busbw":1750)"), "");
    EXPECT_EQ(why("send_recv bytes=100000000 nodes=1 ranks=1", R"("algbw":1000,"busbw":1000)"), "");
    // Parts of ranks are whole elements.
    EXPECT_EQ(why("all_gather bytes=1000 nodes=1 ranks=8",
                  R"("bytes":896,"algbw":0.00896,"busbw":0.00784)"),
              "");
    EXPECT_EQ(why(eight, R"("algbw":null,"busbw":null)"), "");
    EXPECT_EQ(
        why(eight, bytes + R"("algbw":-5)"),
        "run.jsonl:2:118: \"algbw\" is -5 GB/s, and by the bytes and the median it is 1000" + hint);
    EXPECT_NE(why(eight, bytes + R"("busbw":1000000000)").find("the median it is 1750"),
              std::string::npos);
    EXPECT_NE(why(eight, R"("busbw":1000000000)").find("the median it is 1750"), std::string::npos);
    EXPECT_NE(why(eight, R"("bytes":5e9,"algbw":50000)").find("and the point's name 1e+08"),
              std::string::npos);
    // Of a log one of the rows, as it prints.
    EXPECT_EQ(whyOf("nccl-tests", "1e-4,2e-4", eight, R"("algbw":998.1,"busbw":1746.7)"), "");
    EXPECT_NE(whyOf("nccl-tests", "1e-4,2e-4", eight, R"("algbw":1020)"), "");
    EXPECT_NE(whyOf("nccl-tests", "1e-4,2e-4", eight, R"("busbw":800)"), "");
    EXPECT_NE(why("footprint of=nccl_init", R"("busbw":9)").find("footprint is none"),
              std::string::npos);
}

/// A line that was edited or overwritten would become a number of a profile.
TEST(Measurements, RefusesALineThatContradictsItself) {
    const auto why = [](const std::string& settings, const std::string& said) {
        return errorOf(headOf("fabricast-probe-nccl") + R"({"point":"all_reduce bytes=1024)" +
                       settings + R"( ranks=8",)" + said + R"(,"samples":[3e-5,2e-5,5e-5]})");
    };
    const std::string sound = R"("unit":"s","median":3e-5,"deviation":1e-5,"n":3)";
    EXPECT_EQ(why(" dtype=bf16", sound), "");
    const std::string hint = " (remove that line, and its point is measured again)";
    EXPECT_EQ(why("", R"("median":-1)"),
              "run.jsonl:2:51: \"median\" is -1, and that of the samples is 3e-05" + hint);
    EXPECT_EQ(why("", R"("deviation":2e-5)"),
              "run.jsonl:2:54: \"deviation\" is 2e-05, and that of the samples is 1e-05" + hint);
    EXPECT_EQ(why("", R"("n":5000000)"),
              "run.jsonl:2:46: \"n\" is 5000000, and there are 3 samples" + hint);
    EXPECT_NE(why("", R"("median":null)"), "");
    EXPECT_NE(why("", R"("n":-5)"), "");
    EXPECT_EQ(why("", R"("unit":"h")"), "run.jsonl:2:49: \"unit\" is none of s, B, W" + hint);
    const std::string type = why(" dtype=zz", sound);
    EXPECT_EQ(
        type.find("run.jsonl:2:10: \"point\" is of type zz, which is none of bf16, bfloat16, "), 0U)
        << type;
    EXPECT_EQ(why(" foo=1", sound),
              "run.jsonl:2:10: \"point\" has a setting that all_reduce of fabricast-probe-nccl "
              "does not have: foo" +
                  hint);
}

TEST(Measurements, RefusesAPointThatItsProgramDoesNotMeasure) {
    const auto why = [](const std::string& program, const std::string& point) {
        return errorOf(headOf(program) + R"({"point":")" + point + R"(","samples":[1]})");
    };
    EXPECT_EQ(why("fabricast-probe-host", "memory op=triad threads=2"), "");
    EXPECT_EQ(why("fabricast-probe-host", "all_reduce bytes=8 nodes=1 ranks=2"),
              "run.jsonl:2:10: \"point\" names what fabricast-probe-host does not measure: "
              "all_reduce (remove that line, and its point is measured again)");
    EXPECT_NE(
        why("fabricast-probe-cuda", "memory op=triad threads=2").find("does not have: threads"),
        std::string::npos);
    EXPECT_NE(why("nccl-tests", "footprint of=nccl_init"), "");
    EXPECT_EQ(why("fabricast-probe-nccl", "footprint of=nccl_init"), "");
    // A record that does not say whose it is.
    EXPECT_EQ(why("", "memory op=triad threads=2"), "");
    EXPECT_NE(why("", "dream of=sheep").find("names what no probe measures: dream"),
              std::string::npos);
}

// Each kind has what it is refused for lacking, and no name twice.
TEST(ProbePoints, NameEachSettingOnce) {
    for (const ProbePoint& kind : probePoints()) {
        const std::vector<std::string_view> names = kind.settingNames();
        EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size()) << kind.what;
        EXPECT_FALSE(names.empty()) << kind.what;
    }
    EXPECT_EQ(probePoint("fabricast-probe-cuda", "memory", {{"op", "copy"}})->settings,
              "op=copy bytes");
    EXPECT_TRUE(probePoint("fabricast-probe-cuda", "memory", {{"op", "norm"}})->has("rows"));
    EXPECT_EQ(probePoint("fabricast-probe-cuda", "plain", {}), nullptr);
}

/// Of very many samples probes list some.
TEST(Measurements, TakesSomeOfVeryManySamples) {
    std::string samples = "1";
    for (int i = 1; i < 70'000; ++i) {
        samples += ",1";
    }
    EXPECT_EQ(errorOf(kHead + R"({"point":"launch kind=stream","unit":"s","median":2,"n":140000,)" +
                      R"("samples":[)" + samples + "]}"),
              "");
}

TEST(Measurements, ReadsWhatAProbeWrote) {
    const auto record = parseMeasurements(
        kHead +
            R"({"point":"gemm m=8K dtype=bf16","unit":"s","median":3,"deviation":2,"n":5,)"
            R"("facts":{"clock_mhz":1980,"power_w":null},"words":{"throttled":"no"},)"
            R"("samples":[5,1,2,100,3]})"
            "\n\n" +
            R"({"point":"gemm dtype=fp8 m=1","refused":"no fp8 on sm_80"})",
        "run.jsonl");
    ASSERT_TRUE(record) << record.error().text();
    EXPECT_EQ(record->program, "fabricast-probe-cuda");
    EXPECT_EQ(record->begun, "2026-11-22T19:00:00Z");
    EXPECT_EQ(record->machine.at("gpu.name"), "NVIDIA H200");
    EXPECT_EQ(record->machine.at("gpu.memory"), "141");
    EXPECT_EQ(record->machine.at("nics[1]"), "mlx5_1");
    EXPECT_EQ(record->machine.at("busy"), "false");
    ASSERT_EQ(record->points.size(), 2U);
    const RecordedPoint& gemm = record->points[0];
    EXPECT_EQ(gemm.text, "gemm dtype=bf16 m=8K");
    EXPECT_EQ(gemm.what, "gemm");
    EXPECT_EQ(gemm.where, "run.jsonl:2:1");
    // The samples count, not the line's summary.
    EXPECT_EQ(gemm.median, 3.0);
    EXPECT_EQ(gemm.deviation, 2.0);
    EXPECT_EQ(gemm.fact("clock_mhz", 0.0), 1980.0);
    EXPECT_EQ(gemm.fact("power_w", -1.0), -1.0);
    EXPECT_EQ(gemm.word("throttled"), "no");
    EXPECT_EQ(wholeSetting(gemm, "m", 1), 8192);
    EXPECT_EQ(wholeSetting(gemm, "n", 1).error().text(),
              "run.jsonl:2:1: 'gemm dtype=bf16 m=8K' lacks n=");
    EXPECT_EQ(wholeSetting(gemm, "m", 9000).error().why,
              "'gemm dtype=bf16 m=8K': m must be a whole number of at least 9000");
    EXPECT_FALSE(wholeSetting(gemm, "dtype", 0));
    EXPECT_EQ(record->points[1].refused, "no fp8 on sm_80");
}

TEST(Measurements, SaysWhereSomethingIsWrong) {
    EXPECT_EQ(
        errorOf(""),
        "run.jsonl: is empty: nothing was recorded (use a file written by a probe with --out)");
    EXPECT_EQ(
        errorOf(R"({"schema":"fabricast.plan/1"})"),
        "run.jsonl:1:11: \"schema\" is not \"fabricast.measurements/1\" (use a file written by a "
        "probe with --out)");
    for (const char* const day : {"yesterday", "2026-13-45T99:00:00Z", "26-11-20"}) {
        const std::string why =
            errorOf(R"({"schema":"fabricast.measurements/1","machine":{},"begun":")" +
                    std::string(day) + "\"}");
        EXPECT_EQ(why.find("run.jsonl:1:"), 0U) << why;
        EXPECT_NE(why.find("does not begin with a day of the calendar"), std::string::npos) << why;
    }
    EXPECT_EQ(errorOf("# nccl-tests\n").substr(0, 34), "run.jsonl:1:1: not valid JSON: inv");
    EXPECT_EQ(
        errorOf(kHead + "\n{\"point\":\"gemm m=1\",\"samples\":[1,null]}"),
        "run.jsonl:3:34: \"samples[1]\" must be a number, not null (remove that line, and its "
        "point is measured again)");
    EXPECT_EQ(errorOf(kHead + R"({"point":"gemm m","samples":[]})"),
              "run.jsonl:2:10: \"point\" has an invalid setting: 'm' (write NAME=VALUE)");
    EXPECT_EQ(errorOf(kHead + R"({"point":"gemm m=1 m=1","samples":[]})"),
              "run.jsonl:2:10: \"point\" sets 'm' twice (remove that line, and its point is "
              "measured again)");
    EXPECT_EQ(errorOf(kHead + R"({"point":"gemm"})"),
              "run.jsonl:2:1: the text has no \"samples\" (add \"samples\")");
    EXPECT_EQ(errorOf(kHead + R"({"point":"gemm","sample":[]})"),
              "run.jsonl:2:17: unknown key \"sample\" (did you mean \"samples\"?)");
    // A truncated file.
    EXPECT_EQ(errorOf(kHead + R"({"point":"gemm m=1","sam)").substr(0, 31),
              "run.jsonl:2:25: not valid JSON:");
}

MeasurementRecord recordOf(const std::string& text, const std::string& source) {
    auto record = parseMeasurements(text, source);
    EXPECT_TRUE(record) << record.error().text();
    return record ? *std::move(record) : MeasurementRecord{};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST(Measurements, TheLatestSittingOfAPointCounts) {
    const std::string later = replaced(kHead, "19:00:00", "20:00:00");
    const auto merged = mergeMeasurements(
        {recordOf(later + lineOf("gemm m=1", 5.0) + lineOf("gemm m=3", 6.0), "b.jsonl"),
         recordOf(
             kHead + lineOf("gemm m=1", 1.0) + lineOf("gemm m=2", 2.0) + lineOf("gemm m=1", 3.0),
             "a.jsonl")});
    ASSERT_TRUE(merged) << merged.error().text();
    ASSERT_EQ(merged->points.size(), 3U);
    EXPECT_EQ(merged->points[0].text, "gemm m=1");
    EXPECT_EQ(merged->points[0].median, 5.0);
    EXPECT_EQ(merged->points[1].text, "gemm m=2");
    EXPECT_EQ(merged->points[2].text, "gemm m=3");
    ASSERT_EQ(merged->sittings.size(), 2U);
    EXPECT_EQ(merged->sittings[0].source, "a.jsonl");
}

TEST(Measurements, DifferentMachinesAreRefusedByName) {
    const auto merged = mergeMeasurements(
        {recordOf(kHead, "a.jsonl"), recordOf(replaced(kHead, "H200", "H100"), "b.jsonl")});
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().text(),
              "b.jsonl: was measured on another machine or with other versions than a.jsonl: "
              "gpu.name is \"NVIDIA H100\", not \"NVIDIA H200\" (fit them separately)");
    const std::string small = "{\"schema\":\"fabricast.measurements/1\",\"machine\":{\"ranks\":2}}";
    EXPECT_TRUE(mergeMeasurements(
        {recordOf(small, "a.jsonl"), recordOf(replaced(small, ":2}", ":4}"), "b.jsonl")}));
    // Two probes record different facts about one machine, which is not a contradiction.
    const std::string other =
        R"({"schema":"fabricast.measurements/1","machine":{"nccl":"2.28.9"}})";
    const auto both = mergeMeasurements({recordOf(kHead, "a.jsonl"), recordOf(other, "c.jsonl")});
    ASSERT_TRUE(both) << both.error().text();
    EXPECT_EQ(both->machine.at("nccl"), "2.28.9");
}

RC_GTEST_PROP(Measurements,
              AnyBytesGiveAnAnswerOrAnError,
              (const std::string& bytes, bool headed)) {
    const auto record = parseMeasurements((headed ? kHead : "") + bytes, "run.jsonl");
    const bool clear = record || record.error().where.starts_with("run.jsonl");
    RC_ASSERT(clear);
}

TEST(Measurements, EveryCutOfAFileGivesAnAnswerOrAPlace) {
    const std::string text =
        kHead + lineOf("gemm m=1", 1.0) + lineOf("memory op=copy bytes=1G", 2.0);
    for (std::size_t size = 0; size < text.size(); ++size) {
        const auto record = parseMeasurements(text.substr(0, size), "run.jsonl");
        EXPECT_TRUE(record || record.error().where.starts_with("run.jsonl")) << size;
    }
}

}  // namespace
}  // namespace fabricast
