#include "planner/models/model_file.h"
#include "planner/text/text_files.h"
#include "tests/programs/oracle_rows/oracle_row.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

namespace fabricast {

Result<ModelSpec> denseModel(const std::string& text) {
    std::vector<std::int64_t> dims;
    const char* at = text.data();
    const char* end = at + text.size();
    while (at < end) {
        std::int64_t value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error != std::errc{}) {
            break;
        }
        dims.push_back(value);
        at = next + 1;
    }
    if (dims.size() != 8) {
        return fail(Error::Code::BadInput, "model", "'" + text + "' is not eight numbers");
    }
    ModelSpec model;
    model.name = text;
    model.family = "llama";
    model.hidden = dims[0];
    model.mlp.width = dims[1];
    model.attention.heads = dims[2];
    model.attention.kvHeads = dims[3];
    model.attention.headDim = dims[4];
    model.vocab = dims[5];
    model.layers = dims[6];
    model.tiedEmbeddings = dims[7] != 0;
    return model;
}

Result<void> setExtras(const CsvTable& table, std::size_t row, Scenario& scenario) {
    if (table.integer(row, "save_on_cpu") != 0) {
        scenario.layout.offload = Offload::Activations;
    }
    const std::string train = table.has("train") ? table.text(row, "train") : "all";
    const std::optional<TrainedPart> part = trainedPart(train);
    if (!part) {
        return fail(Error::Code::Unsupported, "train", train);
    }
    scenario.settings.train = *part;
    if (table.has("reference")) {
        const std::string copy = table.text(row, "reference");
        scenario.settings.reference = copy == "whole"     ? Reference::Whole
                                      : copy == "sharded" ? Reference::Sharded
                                                          : Reference::None;
    }
    return {};
}

namespace {

/// A family whose shape differs from Llama's, as transformers' default config has it.
struct DenseFamily {
    std::string_view name;
    QkNorm qkNorm = QkNorm::None;
    NormPlacement norms = NormPlacement::Before;
    bool qkvBias = false;
    bool fusedQkv = false;
    bool fusedGateUp = false;
};
constexpr std::array kDenseFamilies = {
    DenseFamily{.name = "mistral"},
    DenseFamily{.name = "smollm3"},
    DenseFamily{.name = "qwen2", .qkvBias = true},
    DenseFamily{.name = "qwen3", .qkNorm = QkNorm::PerHead},
    DenseFamily{.name = "seed_oss", .qkvBias = true},
    DenseFamily{.name = "gemma"},
    DenseFamily{.name = "gemma2", .norms = NormPlacement::Around},
    DenseFamily{.name = "gemma3_text", .qkNorm = QkNorm::PerHead, .norms = NormPlacement::Around},
    DenseFamily{.name = "olmo2", .qkNorm = QkNorm::FullWidth, .norms = NormPlacement::After},
    DenseFamily{.name = "phi3", .fusedQkv = true, .fusedGateUp = true},
    DenseFamily{.name = "glm", .qkvBias = true, .fusedGateUp = true},
    DenseFamily{
        .name = "glm4", .norms = NormPlacement::Around, .qkvBias = true, .fusedGateUp = true}};

void setFamily(const DenseFamily& family, ModelSpec& model) {
    model.attention.qkNorm = family.qkNorm;
    model.attention.qkvBias = family.qkvBias;
    model.attention.fusedQkv = family.fusedQkv;
    model.mlp.fusedGateUp = family.fusedGateUp;
    model.normPlacement = family.norms;
    model.normsPerLayer = family.norms == NormPlacement::Around ? 4 : 2;
    if (family.name == "gemma2") {  // every second layer attends to a window
        for (std::int64_t layer = 0; layer < model.layers; ++layer) {
            model.window.push_back(layer % 2 == 0 ? 4096 : 0);
        }
    }
}

/// As transformers' default configs of GPT-NeoX and OPT have it.
void setBiasedFamily(ModelSpec& model, std::int64_t positions) {
    model.norm = NormKind::Layer;
    model.mlp.kind = MlpKind::Plain;
    model.mlp.bias = model.attention.qkvBias = model.attention.outBias = true;
    if (model.family == "gpt_neox") {
        model.normOrder = NormOrder::First;
        model.attention.fusedQkv = true;
        model.parallelResidual = true;
        return;
    }
    model.normOrder = NormOrder::AfterEach;
    model.position = PositionKind::Learned;
    model.learnedPositions = positions + 2;
}

/// That of a config.json among the cases of parameters.
Result<ModelSpec> configuredModel(const std::string& name) {
    const std::string path = FABRICAST_SOURCE_DIR "/tests/cases/params/" + name + ".json";
    FABRICAST_ASSIGN(const std::string text, readTextFile(path));
    return parseModel(text, path);
}

}  // namespace

Result<ModelSpec> huggingFaceModel(const CsvTable& table, std::size_t row) {
    constexpr std::string_view kConfig = "config:";
    if (const std::string text = table.text(row, "model"); text.starts_with(kConfig)) {
        return configuredModel(text.substr(kConfig.size()));
    }
    FABRICAST_ASSIGN(ModelSpec model, denseModel(table.text(row, "model")));
    model.family = table.text(row, "kind");
    const auto* const family = std::ranges::find(kDenseFamilies, model.family, &DenseFamily::name);
    if (family != kDenseFamilies.end()) {
        setFamily(*family, model);
    } else if (model.family == "gpt_neox" || model.family == "opt") {
        setBiasedFamily(model, table.integer(row, "s"));
    } else if (model.family == "gpt2" || model.family == "bloom") {
        model.norm = NormKind::Layer;
        model.normOrder = NormOrder::BeforeEach;
        model.position = PositionKind::Alibi;
        model.embeddingNorm = model.family == "bloom";
        if (model.family == "gpt2") {
            model.position = PositionKind::Learned;
            model.learnedPositions = table.integer(row, "s");
        }
        model.mlp.kind = MlpKind::Plain;
        model.mlp.bias = model.attention.qkvBias = model.attention.outBias = true;
        model.attention.fusedQkv = true;
    } else if (model.family != "llama" && model.family != "mixtral" &&
               model.family != "qwen2_moe" && model.family != "qwen3_moe" &&
               model.family != "gpt_oss" && model.family != "glm4_moe" &&
               model.family != "deepseek_v2" && model.family != "deepseek_v3" &&
               model.family != "llama4") {
        return fail(Error::Code::Unsupported, "kind", "'" + model.family + "' is not supported");
    }
    return model;
}

}  // namespace fabricast
