#include "planner/memory/walk_stage.h"
#include "tests/programs/oracle_rows/oracle_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// Where a record has the peak of its step, and where the walk has it.
struct PeakPlaces {
    std::string phase;   ///< "backward"; empty if the record does not have it
    std::string module;  ///< "layers.7"; likewise
    std::string walked;  ///< "backward of layer 7"
};

/// How the walk begins what it calls a moment of a recorded phase.
std::vector<std::string_view> momentsOf(std::string_view phase) {
    if (phase == "activation" || phase == "all_gather") {
        return {"forward of "};
    }
    if (phase == "loss") {
        return {"forward of loss"};
    }
    if (phase == "optimizer") {
        return {"optimizer step"};
    }
    // Losses in chunks have their backwards inside.
    return {"backward", "end of backward", "chunked loss"};
}

bool samePhase(const PeakPlaces& places) {
    return std::ranges::any_of(momentsOf(places.phase), [&](std::string_view begin) {
        return places.walked.starts_with(begin);
    });
}

/// "model.layers.7.mlp.up_proj" is in layer 7.
bool sameModule(const PeakPlaces& places) {
    if (places.module == "tok_embeddings") {
        return places.walked.ends_with(" of embedding");
    }
    if (places.module.find("layers.") == std::string::npos) {  // the head, or the model's loss
        return places.walked.ends_with(places.module.ends_with("head") ? " of head" : " of loss");
    }
    const std::size_t at = places.module.find("layers.") + std::string_view("layers.").size();
    return places.walked.ends_with(" of layer " +
                                   places.module.substr(at, places.module.find('.', at) - at));
}

/// The recorder names the layer whose backward began last; behind the first one's come the
/// embedding's, which it does not see, and what is left to reduce.
bool behindTheFirstLayer(const PeakPlaces& places) {
    return places.module == "layers.0" &&
           (places.walked == "backward of embedding" || places.walked == "end of backward");
}

PeakPlaces placesOf(const CsvTable& table, std::size_t row, RowReader reader) {
    const OracleRow oracle = recordedRow(table, row, reader).value();
    const StageMemory memory =
        peakOfStage(oracle.scenario,
                    {.stage = oracle.stage, .rank = oracle.rank, .expertRank = oracle.expertRank})
            .value();
    const std::string recorded = table.text(row, "peak_at");
    const std::size_t bar = recorded.find('|');
    PeakPlaces places{recorded.substr(0, bar), recorded.substr(bar + 1), memory.peakAt};
    if (places.phase == "other") {
        places.phase.clear();
    }
    return places;
}

struct PeakFile {
    const char* name;
    int phases;   ///< rows that name one; the walk's is the same in all
    int modules;  ///< likewise of modules, but for
    int behind;   ///< those behind the first layer
};

class RecordedPeaks : public testing::TestWithParam<PeakFile> {};

TEST_P(RecordedPeaks, AreInTheSamePhaseAndModule) {
    const PeakFile& file = GetParam();
    const CsvTable table =
        CsvTable::read(std::string(FABRICAST_SOURCE_DIR "/tests/cases/memory/") + file.name);
    const RowReader reader = readerFor(table);
    ASSERT_NE(reader, nullptr);
    int phases = 0;
    int modules = 0;
    int behind = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const PeakPlaces places = placesOf(table, row, reader);
        const std::string text = places.phase + " " + places.module + ": " + places.walked +
                                 ", row " + std::to_string(row);
        if (!places.phase.empty()) {
            ++phases;
            EXPECT_TRUE(samePhase(places)) << text;
        }
        if (!places.module.empty()) {
            ++modules;
            behind += behindTheFirstLayer(places) ? 1 : 0;
            EXPECT_TRUE(sameModule(places) || behindTheFirstLayer(places)) << text;
        }
    }
    EXPECT_EQ(phases, file.phases);
    EXPECT_EQ(modules, file.modules);
    EXPECT_EQ(behind, file.behind);
}

INSTANTIATE_TEST_SUITE_P(,
                         RecordedPeaks,
                         testing::Values(PeakFile{"fsdp2_memory.csv", 80, 11, 0},
                                         PeakFile{"fsdp2_memory_more.csv", 62, 11, 0},
                                         PeakFile{"fsdp2_lora_memory.csv", 24, 0, 0},
                                         PeakFile{"fsdp2_one_unit_memory.csv", 27, 9, 0},
                                         PeakFile{"float8_memory.csv", 16, 8, 0},
                                         PeakFile{"megatron_memory.csv", 48, 0, 0},
                                         PeakFile{"megatron_memory_more.csv", 80, 0, 0},
                                         PeakFile{"peft_memory.csv", 53, 1, 1},
                                         PeakFile{"peft_memory_more.csv", 107, 6, 6},
                                         PeakFile{"zero_memory.csv", 132, 35, 16},
                                         PeakFile{"zero_memory_more.csv", 82, 20, 10}),
                         [](const auto& file) {
                             const std::string name = file.param.name;
                             return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace fabricast
