#include "tests/programs/comm_rows/comm_row.h"

#include "tests/programs/oracle_rows/oracle_row.h"

#include <cstdlib>

namespace fabricast {
namespace {

struct Default {
    const char* column;
    std::int64_t value;
};
constexpr Default kDefaults[] = {{"world", 8},
                                 {"rank", 0},
                                 {"replicate", 1},
                                 {"tp", 1},
                                 {"sp", 1},
                                 {"cp", 1},
                                 {"pp", 1},
                                 {"vpp", 1},
                                 {"ep", 1},
                                 {"etp", 1},
                                 {"b", 1},
                                 {"s", 2048},
                                 {"accumulate", 1},
                                 {"log", 0},
                                 {"clip", 1},
                                 {"dist_opt", 1},
                                 {"overlap", 0},
                                 {"overlap_param", 0},
                                 {"optim_instances", 1},
                                 {"qk_norm", 0},
                                 {"aux_loss", 0},
                                 {"expert_bias", 0},
                                 {"bucket", 0},
                                 {"shared_expert", 0},
                                 {"stage", 0},
                                 {"prefetch", -1},
                                 {"persist", -1},
                                 {"max_live", 0},
                                 {"max_reuse", 0},
                                 {"shard_group", 0}};

/// The part of "h/ffn/heads/kv/d/vocab/layers/tied/experts/…" before its ninth number.
std::string denseDims(const std::string& dims) {
    std::size_t end = 0;
    for (int numbers = 0; numbers < 8 && end != std::string::npos; ++numbers) {
        end = dims.find('/', end + 1);
    }
    return dims.substr(0, end);
}

Result<std::vector<std::int64_t>> expertDims(const std::string& dims) {
    std::vector<std::int64_t> numbers;
    std::size_t at = denseDims(dims).size();
    while (at < dims.size()) {
        const std::size_t end = std::min(dims.find('/', at + 1), dims.size());
        numbers.push_back(std::strtoll(dims.substr(at + 1, end - at - 1).c_str(), nullptr, 10));
        at = end;
    }
    if (!numbers.empty() && numbers.size() != 5) {
        return fail(
            Error::Code::BadInput, "dims", "'" + dims + "' has not five numbers of experts");
    }
    return numbers;
}

/// topk of experts; dense layers first; shared experts' width in experts.
void setExperts(ModelSpec& model, const std::vector<std::int64_t>& numbers) {
    model.moe = MoeSpec{.experts = numbers[0],
                        .topK = numbers[1],
                        .expertWidth = numbers[2],
                        .sharedWidth = numbers[2] * numbers[3]};
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        model.sparse.push_back(layer >= numbers[4]);
    }
}

}  // namespace

std::int64_t setting(const CsvTable& table, std::size_t row, const char* column) {
    for (const auto& [name, value] : kDefaults) {
        if (std::string(name) == column) {
            return table.text(row, column).empty() ? value : table.integer(row, column, value);
        }
    }
    return table.integer(row, column);
}

Result<CommRow> commRow(const CsvTable& table, std::size_t row) {
    CommRow out;
    const std::string dims =
        table.text(row, "dims").empty() ? table.text(row, "model") : table.text(row, "dims");
    FABRICAST_ASSIGN(out.scenario.model, denseModel(denseDims(dims)));
    FABRICAST_ASSIGN(const std::vector<std::int64_t> experts, expertDims(dims));
    if (!experts.empty()) {
        setExperts(out.scenario.model, experts);
    }
    out.rank = RankId(setting(table, row, "rank"));
    out.scenario.workload.sequence = setting(table, row, "s");
    const std::string framework = table.text(row, "framework");
    if (framework == "titan") {
        FABRICAST_TRY(readTitan(table, row, out));
    } else if (framework == "megatron") {
        FABRICAST_TRY(readMegatron(table, row, out));
    } else {
        FABRICAST_TRY(readHuggingFace(table, row, out));
    }
    const Layout& layout = out.scenario.layout;
    const std::int64_t world = setting(table, row, "world");
    if (layout.dp < 1 || layout.world() != world || out.rank.index() >= world) {
        return fail(Error::Code::BadInput, "world", "the ranks do not divide");
    }
    out.where.stage = out.rank.index() / (world / layout.pp);
    out.where.tensorRank = out.rank.index() % layout.tp;
    return out;
}

}  // namespace fabricast
