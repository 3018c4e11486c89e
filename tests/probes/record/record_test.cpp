#include "probes/record/json_check.h"
#include "probes/record/json_line.h"
#include "probes/record/point.h"
#include "probes/record/probe_flags.h"
#include "probes/record/probe_program.h"
#include "probes/record/record_file.h"
#include "probes/record/record_lock.h"
#include "probes/record/run_points.h"
#include "probes/record/statistics.h"
#include "tests/support/temp_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

namespace fabricast::probe {
namespace {

Point pointOf(const std::string& text) {
    const Answer<Point> point = parsePoint(text);
    EXPECT_TRUE(point) << text;
    return point ? *point : Point{};
}

std::string fileText(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path freshFile(const std::string& name) {
    const std::filesystem::path path = std::filesystem::path(tempFolder()) / name;
    std::filesystem::create_directories(path.parent_path());  // a child that ends takes it along
    std::filesystem::remove_all(path);
    return path;
}

TEST(Point, ReadsWhatItPrints) {
    const Point point = pointOf("  gemm  n=4096 dtype=bf16\tm=8K ");
    EXPECT_EQ(textOf(point), "gemm dtype=bf16 m=8K n=4096");
    EXPECT_EQ(pointOf(textOf(point)), point);
    EXPECT_EQ(*wholeOf(point, "m"), 8192);
    EXPECT_EQ(wholeOf(point, "k").trouble().why, "'gemm dtype=bf16 m=8K n=4096' lacks k=");
    EXPECT_EQ(wordOr(point, "layout", "tn"), "tn");
}

TEST(Point, SaysWhatIsWrong) {
    EXPECT_EQ(parsePoint("").trouble().why, "'' names nothing to measure");
    EXPECT_EQ(parsePoint("gemm m").trouble().why, "'m' is no setting: write NAME=VALUE");
    EXPECT_EQ(parsePoint("gemm m=").trouble().why, "'m=' is no setting: write NAME=VALUE");
    EXPECT_EQ(parsePoint("gemm m=1 m=2").trouble().why, "'m' is set twice");
    EXPECT_EQ(parsePoint("gemm m=\"").trouble().why, "'m=\"' is no setting: write NAME=VALUE");
    EXPECT_EQ(parsePoints("# all\ngemm m=1\n\ncopy x\n", "points.txt").trouble().why,
              "points.txt:4: 'x' is no setting: write NAME=VALUE");
    for (const char* text :
         {"", "-1", "1.5", "1E", "1KB", "9223372036854775808", "9T9", "8388608T"}) {
        EXPECT_FALSE(parseWhole(text)) << text;
    }
}

TEST(Statistics, StandOnTheMiddle) {
    EXPECT_EQ(median({3, 1, 2}), 2.0);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
    EXPECT_EQ(quantile({0, 10}, 0.95), 9.5);
    EXPECT_EQ(medianDeviation({1, 1, 2, 2, 4, 6, 9}), 1.0);
    EXPECT_EQ(medianError({5.0}), 0.0);
    // One wild value moves neither the median nor how well it is known.
    EXPECT_LT(medianError({1.0, 1.01, 0.99, 1.0, 1.01, 0.99, 1.0, 1.0, 50.0}), 0.01);
}

TEST(SampleLoop, StopsWhenTheMedianIsKnown) {
    int calls = 0;
    const auto steady = sampled({}, 2, [&]() -> Answer<double> { return ++calls, 1.0; });
    ASSERT_TRUE(steady);
    EXPECT_EQ(steady->size(), 10U);
    EXPECT_EQ(calls, 12);
    const auto wild = sampled({.most = 60, .seconds = 100.0}, 0, [&]() -> Answer<double> {
        return 1.0 + 0.5 * (++calls % 2);
    });
    ASSERT_TRUE(wild);
    EXPECT_EQ(wild->size(), 60U);
    EXPECT_FALSE(sampled({}, 0, []() -> Answer<double> { return Trouble{"gone"}; }));
}

TEST(JsonLine, IsJsonWhateverTheBytes) {
    JsonLine line;
    line.add("a", "x\"\\\n\xff\xc3\xa9")
        .add("b", 0.1)
        .add("c", std::numeric_limits<double>::quiet_NaN())
        .add("d", std::vector<double>{1, 2.5e-9})
        .add("e", true)
        .add("f", std::size_t{7});
    EXPECT_EQ(line.text(),
              "{\"a\":\"x\\\"\\\\\\u000a\xEF\xBF\xBD\xc3\xa9\",\"b\":0.1,\"c\":null,"
              "\"d\":[1,2.5e-09],\"e\":true,\"f\":7}");
}

Answer<RecordFile> open(const std::filesystem::path& path, const char* device = "H200") {
    Answer<FileLock> lock = lockRecord(path);
    return lock ? RecordFile::open(path,
                                   std::move(*lock),
                                   JsonLine().add("device", device),
                                   JsonLine().add("begun", "now"))
                : lock.trouble();
}

TEST(RecordFile, GoesOnWhereItStopped) {
    const std::filesystem::path path = freshFile("record.jsonl");
    auto first = open(path);
    ASSERT_TRUE(first);
    ASSERT_TRUE(first->add({.point = pointOf("gemm m=1"), .samples = {2, 1, 3}}));
    ASSERT_TRUE(first->add({.point = pointOf("gemm m=2"), .refused = "too small"}));
    const std::string kept = fileText(path);
    EXPECT_EQ(kept,
              "{\"schema\":\"fabricast.measurements/1\",\"machine\":{\"device\":\"H200\"},"
              "\"begun\":\"now\"}\n"
              "{\"point\":\"gemm m=1\",\"unit\":\"s\",\"median\":2,\"deviation\":1,\"n\":3,"
              "\"samples\":[2,1,3]}\n"
              "{\"point\":\"gemm m=2\",\"refused\":\"too small\"}\n");
    first = Trouble{"closed"};
    auto second = open(path);
    ASSERT_TRUE(second);
    EXPECT_TRUE(second->has(pointOf("gemm m=2")));
    EXPECT_FALSE(second->has(pointOf("gemm m=3")));
    EXPECT_EQ(second->text(), kept);
    first = Trouble{"closed"};
    second = Trouble{"closed"};
    EXPECT_FALSE(open(path, "H100")) << "another machine's numbers are not mixed in";
    std::ofstream(path, std::ios::app) << "{\"point\":\"gemm m=3\",\"uni";
    EXPECT_EQ(open(path).trouble().why,
              path.string() + ":4: is no measured point; mend or remove the line");
}

TEST(RecordFile, SaysWhyItCannotWrite) {
    EXPECT_EQ(open("/nowhere/a.jsonl").trouble().why,
              "/nowhere/a.jsonl: cannot be written: No such file or directory");
    auto full = open("/dev/full");
    ASSERT_TRUE(full);
    EXPECT_EQ(full->add({.point = pointOf("gemm m=1")}).trouble().why,
              "/dev/full: cannot be written: No space left on device");
}

TEST(RecordFile, HasOneWriter) {
    const std::filesystem::path path = freshFile("locked.jsonl");
    auto first = open(path);
    ASSERT_TRUE(first);
    const std::string taken =
        path.string() +
        ": another probe is writing it; wait for its end, or give --out another name";
    EXPECT_EQ(open(path).trouble().why, taken);
    ASSERT_TRUE(first->add({.point = pointOf("gemm m=1"), .samples = {1}}));
    EXPECT_EQ(open(path).trouble().why, taken) << "the lock moves to the file's successor";
    first = Trouble{"gone"};
    EXPECT_TRUE(open(path));
}

TEST(RecordFile, LeavesNoEmptyFileAndTakesOne) {
    const std::filesystem::path path = freshFile("empty.jsonl");
    EXPECT_TRUE(open(path));
    EXPECT_FALSE(std::filesystem::exists(path)) << "nothing was measured";
    std::ofstream(path).flush();
    auto record = open(path);
    ASSERT_TRUE(record) << "an empty file is a record to begin";
    ASSERT_TRUE(record->add({.point = pointOf("gemm m=1"), .samples = {1}}));
    EXPECT_TRUE(fileText(path).starts_with("{\"schema\""));
}

TEST(RecordFile, RefusesALineThatIsDamagedInside) {
    const std::filesystem::path path = freshFile("damaged.jsonl");
    {
        auto record = open(path);
        ASSERT_TRUE(record->add({.point = pointOf("gemm m=1"), .samples = {2, 1, 3}}));
        ASSERT_TRUE(record->add({.point = pointOf("gemm m=2"), .samples = {2, 1, 3}}));
    }
    std::string text = fileText(path);
    text[text.find("\"unit\"") + 2] = '"';
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(open(path).trouble().why,
              path.string() + ":2: is no measured point; mend or remove the line");
}

TEST(RecordFile, WritesEachLineOnceToAPipe) {
    const std::filesystem::path path = freshFile("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    auto record = open(path);
    ASSERT_TRUE(record->add({.point = pointOf("a"), .refused = "no"}));
    ASSERT_TRUE(record->add({.point = pointOf("b"), .refused = "no"}));
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(::read(reader, text.data(), text.size())));
    close(reader);
    EXPECT_EQ(text, record->text());
}

TEST(JsonCheck, TakesWholeObjectsOnly) {
    EXPECT_TRUE(isJsonObject(R"({"a":[1,-2.5e-9,null,true],"b":{"c":"x\"\\"},"d":[]})"));
    for (const char* const text : {"",
                                   "{",
                                   "{}x",
                                   "[]",
                                   R"({"a":})",
                                   R"({"a":1,})",
                                   R"({"a":1.})",
                                   R"({"a" 1})",
                                   R"({"a":"b)",
                                   R"({"a":-})",
                                   R"({"a":nul})"}) {
        EXPECT_FALSE(isJsonObject(text)) << text;
    }
    std::string deep;
    for (int level = 0; level < 100'000; ++level) {
        deep += R"({"a":)";
    }
    EXPECT_FALSE(isJsonObject(deep));
}

TEST(RecordFile, ListsNoMoreSamplesThanAReaderTakes) {
    const Answer<Point> point = parsePoint("sustained seconds=10");
    ASSERT_TRUE(point);
    Measurement one{.point = *point, .samples = std::vector<double>(300'001, 2.0)};
    one.samples.back() = 7.0;
    const std::string line = lineOf(one);
    EXPECT_NE(line.find("\"n\":300001"), std::string::npos);
    const auto commas = std::count(
        line.begin() + static_cast<std::ptrdiff_t>(line.find("samples")), line.end(), ',');
    EXPECT_EQ(commas, 75'000);  // every fourth
    EXPECT_NE(line.find(",7]"), std::string::npos);
}

TEST(RunPoints, MeasuresEachOnceAndSaysWhatIsLeft) {
    const std::vector<Point> points = {pointOf("a"), pointOf("b"), pointOf("c"), pointOf("d")};
    const std::filesystem::path path = freshFile("run.jsonl");
    std::string seen;
    const auto measure = [&](const Point& point) -> Answer<Measurement> {
        seen += point.what;
        if (point.what == "c" && seen == "abc") {
            return Trouble{"the device fell off the bus"};
        }
        return point.what == "b" ? Measurement{.point = point, .refused = "no b here"}
                                 : Measurement{.point = point, .samples = {1.0}};
    };
    constexpr double kEver = std::numeric_limits<double>::infinity();
    auto record = open(path);
    EXPECT_EQ(runPoints(points, measure, kEver, *record, {}).trouble().why,
              "c: the device fell off the bus");
    record = Trouble{"closed"};
    auto again = open(path);
    const auto outcome = runPoints(points, measure, kEver, *again, {});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(seen, "abccd");
    EXPECT_EQ(outcome->known, 2U);
    EXPECT_EQ(outcome->measured, 2U);
    EXPECT_EQ(outcome->left, 0U);
    auto none = open(freshFile("none.jsonl"));
    const auto stopped = runPoints(points, measure, 0.0, *none, {});
    EXPECT_EQ(stopped->left, 4U);
}

TEST(ProbeFlags, AreReadOrNamed) {
    const ProbeProgram program{
        .name = "probe", .flag = [](const std::string& flag, const std::string& value) {
            return flag != "--ranks" ? Answer<bool>(false)
                   : value == "two"  ? Answer<bool>(Trouble{"'two' is no number"})
                                     : Answer<bool>(true);
        }};
    const auto parsed = [&](std::vector<const char*> words) {
        return parseProbeFlags(program, words);
    };
    const auto flags =
        parsed({"--point", "a x=1", "--time-budget=5m", "--out", "f", "--ranks", "2"});
    ASSERT_TRUE(flags);
    EXPECT_EQ(flags->points.size(), 1U);
    EXPECT_EQ(flags->seconds, 300.0);
    EXPECT_EQ(flags->out, "f");
    EXPECT_EQ(parsed({"--point", "a", "--point-time", "0.5"})->pointSeconds, 0.5);
    EXPECT_EQ(parsed({"--point-time", "0"}).trouble().why,
              "--point-time: '0' is no time: write 90s, 5m or 1h");
    EXPECT_EQ(parsed({"--rank", "2"}).trouble().why,
              "unknown argument '--rank'; probe --help lists them");
    EXPECT_EQ(parsed({"--ranks", "two"}).trouble().why, "--ranks: 'two' is no number");
    EXPECT_EQ(parsed({"--out"}).trouble().why, "--out needs a value");
    EXPECT_EQ(parsed({"--time-budget", "-5"}).trouble().why,
              "--time-budget: '-5' is no time: write 90s, 5m or 1h");
    EXPECT_EQ(parsed({"--time-budget", "721h"}).trouble().why,
              "--time-budget: '721h' is longer than 30 days (720h)");
    EXPECT_EQ(parsed({"--time-budget", "1e308h"}).trouble().why,
              "--time-budget: '1e308h' is longer than 30 days (720h)");
    EXPECT_EQ(parsed({"--time-budget", "720h"})->seconds, 2592000.0);
    EXPECT_EQ(parsed({"--points", "/tmp"}).trouble().why, "--points: /tmp: is a folder");
    EXPECT_EQ(parsed({"--points", "/dev/zero"}).trouble().why,
              "--points: /dev/zero: is larger than 8 MiB");
    EXPECT_EQ(parsed({"--points", "/dev/null"}).trouble().why, "--points: names no point");
    EXPECT_EQ(parsed({"--point", ""}).trouble().why, "--point: names no point");
    const std::string longWord(1'000'000, 'x');
    EXPECT_LT(parsed({"--point", ("a " + longWord).c_str()}).trouble().why.size(), 300U);
    EXPECT_EQ(parsed({"--points", "/nowhere"}).trouble().why, "--points: /nowhere: cannot be read");
    const std::string pipe = tempFolder() + "points";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(parsed({"--points", pipe.c_str()}).trouble().why,
              "--points: " + pipe + ": is a pipe that nobody writes to; give a file, or -");
    std::thread writer([&pipe] { std::ofstream(pipe) << "\n"; });
    EXPECT_EQ(parsed({"--points", pipe.c_str()}).trouble().why, "--points: names no point");
    writer.join();
    (void)::unlink(pipe.c_str());
}

TEST(RunProbe, LetsOneRankLeadAndTheOthersFollow) {
    std::string seen;
    ProbeProgram program{.name = "probe",
                         .suite = [](const std::string&) { return std::vector<Point>(); },
                         .open = [] { return Done(std::monostate()); },
                         .identity = [] { return JsonLine(); },
                         .measure = [&](const Point& point) -> Answer<Measurement> {
                             seen += point.what;
                             return Measurement{.point = point, .samples = {1.0}};
                         },
                         .close = [&] { seen += " closed"; },
                         .speaks = [] { return false; }};
    const std::vector<const char*> words = {"--point", "a", "--quiet"};
    EXPECT_EQ(runProbe(program, words), kDone);
    EXPECT_EQ(seen, "a closed") << "whoever has nobody to follow goes through the points itself";
    seen.clear();
    program.follow = [&]() -> Done { return seen += "followed", Trouble{"rank 0 is gone"}; };
    EXPECT_EQ(runProbe(program, words), kEnvironment);
    EXPECT_EQ(seen, "followed closed");
}

/// Two points, of which the second never ends by itself; somebody asks to stop in its midst.
int runEndless(const std::string& out) {
    const ProbeProgram program{.name = "probe",
                               .open = [] { return Done(std::monostate()); },
                               .identity = [] { return JsonLine(); },
                               .measure = [](const Point& point) -> Answer<Measurement> {
                                   if (point.what == "b") {
                                       interrupt();
                                       std::this_thread::sleep_for(std::chrono::hours(1));
                                   }
                                   return Measurement{.point = point, .samples = {1.0}};
                               },
                               .endsInMidPoint = true};
    return runProbe(
        program,
        std::vector<const char*>{"--point", "a", "--point", "b", "--quiet", "--out", out.c_str()});
}

TEST(RunProbe, CtrlCEndsItInTheMidstOfAPoint) {
    const std::filesystem::path path = freshFile("endless.jsonl");
    EXPECT_EXIT(runEndless(path.string()),
                testing::ExitedWithCode(kInterrupted),
                "probe: interrupted: 1 measured, kept in .*endless.jsonl, 1 left; the same command "
                "goes on");
    EXPECT_TRUE(RecordFile::check(path));
    EXPECT_NE(fileText(path).find("\"point\":\"a\""), std::string::npos);
}

TEST(RunProbe, ItsCodeSaysWhichSignalEndedIt) {
    for (const int number : {SIGINT, SIGTERM}) {
        EXPECT_EXIT(
            {
                catchInterrupts();
                (void)std::raise(number);
                std::exit(runEndless(freshFile("signalled.jsonl").string()));
            },
            testing::ExitedWithCode(128 + number),
            "probe: interrupted: 0 measured, 2 left");
    }
}

/// Taking the device lasts a while, and the second point has no end.
int runOverTime(const std::string& out) {
    using std::chrono::milliseconds;
    const ProbeProgram program{.name = "probe",
                               .open =
                                   [] {
                                       std::this_thread::sleep_for(milliseconds(200));
                                       return Done(std::monostate());
                                   },
                               .identity = [] { return JsonLine(); },
                               .measure = [](const Point& point) -> Answer<Measurement> {
                                   if (point.what == "b") {
                                       std::this_thread::sleep_for(std::chrono::hours(1));
                                   }
                                   return Measurement{.point = point, .samples = {1.0}};
                               },
                               .endsInMidPoint = true};
    const std::vector<const char*> words = {
        "--point", "a", "--point", "b", "--time-budget", "0.5s", "--out", out.c_str()};
    return runProbe(program, words);
}

TEST(RunProbe, EndsInTimeInTheMidstOfAPoint) {
    const std::filesystem::path path = freshFile("over_time.jsonl");
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EXIT(runOverTime(path.string()),
                testing::ExitedWithCode(kDone),
                "probe: 1 measured, 1 left; the same command goes on");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500));
    EXPECT_TRUE(RecordFile::check(path));
    EXPECT_NE(fileText(path).find("\"point\":\"a\""), std::string::npos);
}

// Of a point that others are in, no process is left behind: its samples end.
TEST(RunPoints, TakesNoMoreSamplesOnceTheTimeIsUp) {
    const std::vector<Point> points = {*parsePoint("a"), *parsePoint("b"), *parsePoint("c")};
    const auto measure = [](const Point& point) -> Answer<Measurement> {
        if (point.what == "a") {  // the first of a sitting is waited for
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            return Measurement{.point = point, .samples = {1.0}};
        }
        const SampleRule rule{.least = 2, .most = 1'000'000, .error = -1.0, .seconds = 600.0};
        const auto samples = sampled(rule, 0, []() -> Answer<double> {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            return 1.0;
        });
        return Measurement{.point = point, .samples = *samples};
    };
    auto record = open(freshFile("in_time.jsonl"));
    const auto outcome = runPoints(points, measure, 0.3, *record, {});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->measured, 2U);
    EXPECT_EQ(outcome->left, 1U);
    EXPECT_FALSE(outcome->interrupted);
}

TEST(Sampled, TakesNoLongerThanAllPointsMay) {
    const SampleRule rule{.least = 2, .most = 1'000'000, .error = -1.0, .seconds = 600.0};
    limitSampling(0.05);
    const auto samples = sampled(rule, 0, []() -> Answer<double> {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return 1.0;
    });
    limitSampling(std::numeric_limits<double>::infinity());
    EXPECT_GE(samples->size(), rule.least);
    EXPECT_LE(samples->size(), 5U);
}

TEST(RunProbe, CtrlCLeavesNoRecordOfNothing) {
    const std::filesystem::path path = freshFile("endless_first.jsonl");
    EXPECT_EXIT(
        {
            interrupt();
            std::exit(runEndless(path.string()));
        },
        testing::ExitedWithCode(kInterrupted),
        "probe: interrupted: 0 measured, 2 left");
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(SampleLoop, AnInterruptedOneKeepsNoFewerThanTheRuleAsksFor) {
    const auto samplesUntil = [](int last) {
        int calls = 0;
        const auto samples = sampled({.least = 5}, 0, [&]() -> Answer<double> {
            if (++calls == last) {
                interrupt();
            }
            return 1.0;
        });
        std::exit(static_cast<int>(samples->size()));
    };
    EXPECT_EXIT(samplesUntil(4), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(samplesUntil(6), testing::ExitedWithCode(6), "");
}

TEST(RunProbe, ADryRunRefusesTheRecordOfAnotherProgram) {
    const std::filesystem::path path = freshFile("of_another.jsonl");
    const ProbeProgram program{.name = "probe",
                               .suite = [](const std::string&) -> Answer<std::vector<Point>> {
                                   return std::vector<Point>{*parsePoint("a")};
                               }};
    const std::string out = path.string();
    const std::vector<const char*> words = {"--out", out.c_str(), "--dry-run"};
    const auto endsWith = [&](const std::string& begun) {
        std::ofstream(path) << R"({"schema":"fabricast.measurements/1","machine":{})" << begun
                            << "}\n";
        return runProbe(program, words);
    };
    EXPECT_EQ(endsWith(""), kDone) << "it is of any program";
    EXPECT_EQ(endsWith(R"(,"program":"probe")"), kDone);
    EXPECT_EQ(endsWith(R"(,"program":"probe-2")"), kBadInput);
    EXPECT_EQ(endsWith(R"(,"program":"nccl-tests")"), kBadInput);
}

TEST(RunProbe, TellsTheProgramWhyItEnds) {
    std::string why;
    bool opened = false;
    bool measured = false;
    const ProbeProgram program{.name = "probe",
                               .check = [](const Point& point) -> Done {
                                   return point.what == "a" ? Done(std::monostate())
                                                            : Done(Trouble{"no such thing"});
                               },
                               .open = [&] { return opened = true, Done(std::monostate()); },
                               .identity = [] { return JsonLine(); },
                               .measure = [&](const Point& point) -> Answer<Measurement> {
                                   measured = true;
                                   return Measurement{.point = point, .samples = {1.0}};
                               },
                               .failed = [&](const std::string& text) { why = text; }};
    const std::vector<const char*> full = {"--point", "a", "--quiet", "--out", "/dev/full"};
    EXPECT_EQ(runProbe(program, full), kEnvironment);
    EXPECT_EQ(why, "/dev/full: cannot be written: No space left on device");
    measured = false;
    const std::vector<const char*> folder = {"--point", "a", "--quiet", "--out", "/"};
    EXPECT_EQ(runProbe(program, folder), kEnvironment);
    EXPECT_EQ(why, "--out: / is a folder; name a file");
    EXPECT_FALSE(measured) << "where the record goes is looked at before";
    opened = false;
    EXPECT_EQ(runProbe(program, std::vector<const char*>{"--point", "b"}), kBadInput);
    EXPECT_FALSE(opened) << "a point that makes no sense is refused first";
}

}  // namespace
}  // namespace fabricast::probe
