#include "planner/measured/nccl_estimates.h"

#include "planner/base/words.h"
#include "planner/text/json_document.h"
#include "planner/text/json_lines.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kCostsSchema = "fabricast.nccl_costs/1";
constexpr const char* kWriteOne =
    "write one: NCCL_TUNER_PLUGIN=libnccl-tuner-fabricast.so FABRICAST_TUNER_DUMP=costs.jsonl";
constexpr std::array<std::string_view, 2> kHeadKeys = {"schema", "nccl"};
constexpr std::array<std::string_view, 7> kCallKeys = {
    "collective", "bytes", "ranks", "nodes", "operations", "registered", "us"};
constexpr std::int64_t kMostRanks = 1 << 24;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMostOperations = 1 << 20;
constexpr double kMostEstimatedMicroseconds = 1e15;

/// Kinds that NCCL's tuner is asked about.
std::optional<CollectiveKind> kindOf(std::string_view name) {
    for (const CollectiveKind kind : {CollectiveKind::AllReduce,
                                      CollectiveKind::AllGather,
                                      CollectiveKind::ReduceScatter,
                                      CollectiveKind::Broadcast,
                                      CollectiveKind::Reduce}) {
        if (collectiveName(kind) == name) {
            return kind;
        }
    }
    return std::nullopt;
}

Result<void> readWays(const JsonValue& table, NcclEstimate& call) {
    FABRICAST_TRY(table.expect(JsonValue::Kind::Object));
    for (const JsonValue& algorithm : table.members()) {
        FABRICAST_TRY(algorithm.expect(JsonValue::Kind::Object));
        for (const JsonValue& protocol : algorithm.members()) {
            FABRICAST_ASSIGN(const double time, protocol.number(0.0, kMostEstimatedMicroseconds));
            call.ways.push_back({algorithm.name(), protocol.name(), Seconds(time * 1e-6)});
        }
    }
    return {};
}

/// A whole number that must be there.
Result<std::int64_t> wholeOf(const JsonValue& line, std::string_view key, std::int64_t most) {
    FABRICAST_ASSIGN(const JsonValue* const value, line.require(key));
    return value->integer({key == "bytes" ? 0 : 1, most});
}

/// Keeps the version; two versions are an error.
Result<void> sameVersion(const std::string& where, const std::string& said, std::string& kept) {
    if (!said.empty() && !kept.empty() && said != kept) {
        return fail(Error::Code::BadInput,
                    where,
                    "is from NCCL " + said + ", the previous lines are from " + kept,
                    "use dumps of one version at a time");
    }
    kept = said.empty() ? kept : said;
    return {};
}

class DumpReader {
public:
    explicit DumpReader(std::string source) : source_(std::move(source)) {}

    Result<NcclEstimates> read(std::string_view text) && {
        std::int64_t number = 0;
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            ++number;
            if (line.find_first_not_of(kBlanks) != std::string_view::npos) {
                FABRICAST_TRY(take(line, number));
            }
        }
        if (!headed_) {
            return fail(
                Error::Code::BadInput, source_, "is empty: NCCL selected no algorithm", kWriteOne);
        }
        if (unknown_ > 0) {
            dump_.leftOut.push_back(
                source_ + ": " + std::to_string(unknown_) +
                (unknown_ == 1 ? " call of a collective" : " calls of collectives") +
                " not modelled here, or without a choice of algorithm in NCCL");
        }
        return std::move(dump_);
    }

private:
    Result<void> take(std::string_view text, std::int64_t number) {
        FABRICAST_ASSIGN(const JsonValue line, parseJsonFrom(text, source_, number));
        FABRICAST_TRY(line.expect(JsonValue::Kind::Object));
        // Each process that adds to a file begins with a head of its own.
        return !headed_ || line.find("schema") != nullptr ? takeHead(line) : takeCall(line);
    }

    Result<void> takeHead(const JsonValue& line) {
        FABRICAST_ASSIGN(const JsonValue* const schema, line.require("schema"));
        FABRICAST_ASSIGN(const std::string name, schema->text());
        if (name != kCostsSchema) {
            return tl::unexpected(schema->problem(
                "is not \"" + std::string(kCostsSchema) + "\"",
                name == "fabricast.measurements/1" ? "use --from-record for records" : kWriteOne));
        }
        FABRICAST_TRY(line.onlyKeys(kHeadKeys));
        FABRICAST_ASSIGN(const std::string version, line.textOr("nccl", ""));
        headed_ = true;
        return sameVersion(line.where(), version, dump_.version);
    }

    Result<void> takeCall(const JsonValue& line) {
        FABRICAST_TRY(line.onlyKeys(kCallKeys));
        FABRICAST_ASSIGN(const JsonValue* const name, line.require("collective"));
        FABRICAST_ASSIGN(const std::string collective, name->text());
        NcclEstimate call;
        FABRICAST_ASSIGN(const std::int64_t bytes, wholeOf(line, "bytes", kMostBytes));
        call.bytes = Bytes(bytes);
        FABRICAST_ASSIGN(call.ranks, wholeOf(line, "ranks", kMostRanks));
        FABRICAST_ASSIGN(call.nodes, wholeOf(line, "nodes", call.ranks));
        FABRICAST_ASSIGN(call.operations, line.integerOr("operations", 1, {1, kMostOperations}));
        FABRICAST_ASSIGN(call.registered, line.booleanOr("registered", false));
        FABRICAST_ASSIGN(const JsonValue* const table, line.require("us"));
        FABRICAST_TRY(readWays(*table, call));
        const auto kind = kindOf(collective);
        if (!kind || call.ways.empty()) {
            ++unknown_;
            return {};
        }
        call.kind = *kind;
        dump_.calls.push_back(std::move(call));
        return {};
    }

    std::string source_;
    NcclEstimates dump_;
    std::size_t unknown_ = 0;
    bool headed_ = false;
};

/// "allreduce,0,65536,tree,simple,2,1,-1,-1,1", optionally below its titles.
bool isTunerConfiguration(std::string_view line) {
    constexpr std::array<std::string_view, 6> kFirst = {
        "allreduce,", "allgather,", "reducescatter,", "broadcast,", "reduce,", "collective_type,"};
    return std::ranges::any_of(kFirst,
                               [&](std::string_view word) { return line.starts_with(word); }) &&
           std::ranges::count(line, ',') >= 7;
}

/// Other files of NCCL's tuner, recognised by their first line; empty: none.
std::string otherKind(std::string_view text) {
    constexpr std::size_t kLook = std::size_t{1} << 20;
    text = text.substr(0, kLook);
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (isTunerConfiguration(line)) {
            return "is a configuration of NCCL's example tuner: it has choices, but no "
                   "times";
        }
        if (line.find(" Bytes -> Algo ") != std::string_view::npos) {
            return "is a log of NCCL_DEBUG: it has NCCL's choices, but neither times nor "
                   "ranks";
        }
        if (line.starts_with('{')) {
            return "";
        }
    }
    return "";
}

auto orderOf(const NcclEstimate& call) {
    return std::tuple(call.kind,
                      call.nodes,
                      call.ranks,
                      call.bytes,
                      call.operations,
                      call.registered,
                      call.choice().time);
}

}  // namespace

const NcclEstimate::Way& NcclEstimate::choice() const {
    return *std::ranges::min_element(ways, {}, &Way::time);
}

Result<NcclEstimates> parseNcclEstimates(std::string_view text, const std::string& source) {
    if (const std::string kind = otherKind(text); !kind.empty()) {
        return fail(Error::Code::BadInput, source, kind, kWriteOne);
    }
    return DumpReader(source).read(text);
}

Result<NcclEstimates> mergeNcclEstimates(std::vector<NcclEstimates> dumps) {
    NcclEstimates all;
    for (NcclEstimates& dump : dumps) {
        FABRICAST_TRY(sameVersion("a dump", dump.version, all.version));
        std::ranges::move(dump.calls, std::back_inserter(all.calls));
        std::ranges::move(dump.leftOut, std::back_inserter(all.leftOut));
    }
    std::ranges::stable_sort(all.calls, {}, orderOf);
    all.calls.erase(std::unique(all.calls.begin(), all.calls.end()), all.calls.end());
    return all;
}

}  // namespace fabricast
