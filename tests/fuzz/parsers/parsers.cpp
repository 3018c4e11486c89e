#include "tests/fuzz/parsers/parsers.h"

#include "planner/backtest/published_run.h"
#include "planner/base/quantity_text.h"
#include "planner/launch/import_launch.h"
#include "planner/measured/measurements.h"
#include "planner/measured/nccl_estimates.h"
#include "planner/measured/nccl_tests.h"
#include "planner/measured/parse_memory_message.h"
#include "planner/measured/parse_memory_snapshot.h"
#include "planner/models/model_file.h"
#include "planner/output/printable_text.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/read_records.h"
#include "planner/report/report.h"
#include "planner/report/sweep_report.h"
#include "planner/text/csv_text.h"
#include "planner/text/edit_json.h"
#include "planner/text/json_builder.h"
#include "planner/text/json_text.h"
#include "simulator/topology/topology_matrix.h"
#include "simulator/topology/topology_report.h"
#include "study/check_lock.h"
#include "study/measured_trace.h"
#include "study/question.h"
#include "study/requirements.h"
#include "study/stragglers.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// Of a result: an error has to say why.
template <class T>
std::string saidWhy(const Result<T>& result) {
    return result || !result.error().why.empty() ? "" : "an error without a reason";
}

const ProfileStore& builtIn() {
    static const ProfileStore store = ProfileStore::builtIn();
    return store;
}

/// A text that is edited says what is wanted, wherever its comments stand.
std::string takeEdit(const std::string& bytes) {
    const Result<JsonValue> said = parseJson(bytes, "run.json");
    if (!said || said->members().empty()) {
        return "";
    }
    const JsonBuilder build("");
    JsonValue wanted = build.object();
    for (const JsonValue& member : said->members()) {
        if (&member != &said->members().front()) {
            JsonBuilder::appendMember(wanted, build.string(member.name()), member);
        }
    }
    JsonBuilder::appendMember(wanted, build.string("a new one"), build.integer(1, "1"));
    const Result<std::string> edited = editedJson(bytes, *said, wanted);
    const Result<JsonValue> again = edited ? parseJson(*edited, "edited.json") : JsonValue();
    return again && isSameJson(*again, wanted) ? "" : "its edited text says something else";
}

/// What is written of a question reads back as the same.
std::string takeScenario(const std::string& bytes) {
    if (std::string trouble = takeEdit(bytes); !trouble.empty()) {
        return trouble;
    }
    const Result<Question> question = parseQuestion(bytes, "run.json", {});
    if (!question) {
        return saidWhy(question);
    }
    const std::string written = documentText(*question);
    const Result<Question> again = parseQuestion(written, "again.json", {});
    if (!again) {
        return "its own text is refused: " + again.error().text();
    }
    return documentText(*again) == written ? "" : "it reads back as something else";
}

/// What is kept of a sweep's file is shown in every form.
std::string takeSweepLine(const std::string& bytes) {
    const Result<JsonValue> line = parseJson(bytes, "points.jsonl");
    const Result<void> sound = line ? checkSweepLine(*line) : tl::unexpected(line.error());
    const JsonValue* const point = sound ? line->find("point") : nullptr;
    const bool isPoint = point != nullptr && !point->members().empty() &&
                         std::ranges::all_of(point->members(), [](const JsonValue& one) {
                             return one.text().has_value();
                         });
    if (!isPoint) {
        return saidWhy(sound);
    }
    const Result<Report> report = sweepReport({&bytes, 1});
    const Result<Table> numbers = sweepNumbers({&bytes, 1});
    return saidWhy(report) + saidWhy(numbers) +
           (report && reportText(*report).empty() ? "a report without a word" : "");
}

std::string takeEdits(const std::string& bytes) {
    const Result<Edit> edit = assignment(bytes, "--set");
    const Result<std::vector<Edit>> layout = layoutEdits(bytes, "--layout");
    const std::string trouble = saidWhy(edit) + saidWhy(layout);
    if (!trouble.empty() || !edit) {
        return trouble;
    }
    return saidWhy(with(Question{}, std::span(&*edit, 1)));
}

std::string takeQuantity(const std::string& bytes) {
    return saidWhy(parseQuantity<Bytes>(bytes, "x")) + saidWhy(parseQuantity<Seconds>(bytes, "x")) +
           saidWhy(parseQuantity<Tokens>(bytes, "x")) +
           saidWhy(parseQuantity<BytesPerSecond>(bytes, "x"));
}

/// What a text becomes in JSON is JSON, and the same text but for what is no text.
std::string takeJson(const std::string& bytes) {
    const Result<JsonValue> quoted = parseJson(jsonQuoted(bytes), "quoted");
    if (!quoted) {
        return "a quoted text is no JSON: " + quoted.error().text();
    }
    if (printableText(jsonQuoted(bytes)) != jsonQuoted(bytes)) {
        return "a quoted text changes where it is shown";
    }
    return saidWhy(parseJson(bytes, "x.json"));
}

template <auto Read>
std::string takeProfile(const std::string& bytes) {
    const Result<JsonValue> root = parseJson(bytes, "x.json");
    return root ? saidWhy(Read(*root)) : saidWhy(root);
}

Result<FabricSpec> readFabric(const JsonValue& root) {
    return readFabricProfile(root, {});
}

Result<SiteProfile> readOneSite(const JsonValue& root) {
    return readSite(root, {});
}

std::string takeRuns(const std::string& bytes) {
    const Result<CsvText> table = parseCsv(bytes, "runs.csv");
    return table ? saidWhy(readRuns(*table)) : saidWhy(table);
}

std::string takeNcclTopology(const std::string& bytes) {
    static const NcclModel model = builtIn().ncclModel("nccl").value();
    return saidWhy(ncclTopology(bytes, "topo.xml", model));
}

std::string takeTopologyMatrix(const std::string& bytes) {
    static const GpuSpec gpu = builtIn().gpu("h100-sxm5-80gb").value();
    return saidWhy(topoMatrix(bytes, "topo.txt", gpu));
}

/// A launch file of this name; what it names is there, and empty.
template <const char* Source>
std::string takeLaunch(const std::string& bytes) {
    const ImportContext context{.read = [](const std::string&) { return std::string("{}"); },
                                .layers = [](const std::string&) { return 32; }};
    return saidWhy(importLaunch(bytes, Source, context));
}
constexpr char kToml[] = "train.toml";
constexpr char kYaml[] = "train.yaml";
constexpr char kJson[] = "ds_config.json";
constexpr char kScript[] = "train.sh";
constexpr char kProgram[] = "train.py";

constexpr std::array kParsers = {
    FuzzedParser{"json", "cases/scenarios", &takeJson},
    FuzzedParser{"scenario", "cases/scenarios", &takeScenario},
    FuzzedParser{"edits", "fuzz/corpus/edits", &takeEdits},
    FuzzedParser{"quantity", "fuzz/corpus/quantity", &takeQuantity},
    FuzzedParser{"requirement",
                 "fuzz/corpus/requirement",
                 [](const std::string& bytes) { return saidWhy(readRequirement(bytes, "x")); }},
    FuzzedParser{"stragglers",
                 "fuzz/corpus/stragglers",
                 [](const std::string& bytes) { return saidWhy(stragglersOf(bytes)); }},
    FuzzedParser{
        "config",
        "cases/params",
        [](const std::string& bytes) { return saidWhy(parseModel(bytes, "config.json")); }},
    FuzzedParser{
        "model",
        "../hardware_profiles/models",
        [](const std::string& bytes) { return saidWhy(parseModelProfile(bytes, "x.json")); }},
    FuzzedParser{"gpu", "../hardware_profiles/gpus", &takeProfile<&readGpuProfile>},
    FuzzedParser{"node", "../hardware_profiles/nodes", &takeProfile<&readNodeProfile>},
    FuzzedParser{"fabric", "../hardware_profiles/fabrics", &takeProfile<&readFabric>},
    FuzzedParser{"cluster", "../hardware_profiles/clusters", &takeProfile<&readClusterProfile>},
    FuzzedParser{"price", "../hardware_profiles/prices", &takeProfile<&readPrice>},
    FuzzedParser{"site", "../hardware_profiles/sites", &takeProfile<&readOneSite>},
    FuzzedParser{"runs", "cases/published/few_runs.csv", &takeRuns},
    FuzzedParser{"nccl_tests",
                 "fuzz/corpus/nccl_tests",
                 [](const std::string& bytes) {
                     return saidWhy(parseNcclTests(bytes, "all_reduce_perf.log", {})) +
                            saidWhy(parseNcclTests(bytes, "x.json", {.ranks = 8, .nodes = 1}));
                 }},
    FuzzedParser{"nccl_estimates",
                 "fuzz/corpus/nccl_estimates",
                 [](const std::string& bytes) { return saidWhy(parseNcclEstimates(bytes, "x")); }},
    FuzzedParser{"record",
                 "fuzz/corpus/record",
                 [](const std::string& bytes) { return saidWhy(parseMeasurements(bytes, "x")); }},
    FuzzedParser{"memory_message",
                 "cases/memory/real/message.txt",
                 [](const std::string& bytes) { return saidWhy(parseMemoryMessage(bytes, "x")); }},
    FuzzedParser{"memory_snapshot",
                 "fuzz/corpus/memory_snapshot",
                 [](const std::string& bytes) { return saidWhy(parseMemorySnapshot(bytes, "x")); }},
    FuzzedParser{"nccl_topology", "cases/topology/four_h100.xml", &takeNcclTopology},
    FuzzedParser{"topology_matrix", "cases/topology/eight_h100.txt", &takeTopologyMatrix},
    FuzzedParser{
        "topology_json",
        "cases/topology/two_boxes.json",
        [](const std::string& bytes) { return saidWhy(readTopologyJson(bytes, "x.json")); }},
    FuzzedParser{"lock",
                 "fuzz/corpus/lock",
                 [](const std::string& bytes) { return saidWhy(parseLock(bytes, "x.lock")); }},
    FuzzedParser{
        "measured_trace",
        "fuzz/corpus/measured_trace",
        [](const std::string& bytes) { return saidWhy(parseMeasuredTrace(bytes, "trace.json")); }},
    FuzzedParser{"sweep_line", "fuzz/corpus/sweep_line", &takeSweepLine},
    FuzzedParser{"launch_toml", "fuzz/corpus/launch_toml", &takeLaunch<kToml>},
    FuzzedParser{"launch_yaml", "cases/launch_files/examples/qlora.yaml", &takeLaunch<kYaml>},
    FuzzedParser{"launch_json", "fuzz/corpus/launch_json", &takeLaunch<kJson>},
    FuzzedParser{"launch_python", "cases/launch_files/examples/loop.py", &takeLaunch<kProgram>},
    FuzzedParser{
        "launch_script", "cases/launch_files/examples/pretrain_70b.sh", &takeLaunch<kScript>}};

}  // namespace

std::span<const FuzzedParser> fuzzedParsers() {
    return kParsers;
}

const FuzzedParser* fuzzedParser(std::string_view name) {
    const auto* const found = std::ranges::find(kParsers, name, &FuzzedParser::name);
    return found == kParsers.end() ? nullptr : &*found;
}

}  // namespace fabricast
