#include "planner/memory/engines/torch/fsdp2_engine.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// Layers of a dense weight of 64 elements and six stacked experts of 10; fp32 shards, bf16
/// compute, fp32 reduce; 4 ranks share the dense weights, `expertShards` the experts.
class Fsdp2EngineTest : public testing::Test {
protected:
    static std::vector<Unit> layers(int count) {
        Unit layer;
        layer.weights.push_back({.name = "dense", .elements = 64});
        layer.weights.push_back({.name = "experts", .elements = 60, .expert = true, .experts = 6});
        return std::vector<Unit>(static_cast<std::size_t>(count), layer);
    }
    static Fsdp2Options options(std::int64_t expertShards) {
        Fsdp2Options options;
        options.shards = 4;
        options.expertShards = expertShards;
        return options;
    }
    void takeGradients(Fsdp2Engine& engine, int unit) {
        engine.takeGradient(unit, 0, device_.take(2 * 64, MemoryKind::Backward));
        engine.takeGradient(unit, 1, device_.take(2 * 60, MemoryKind::Backward));
    }
    std::int64_t of(MemoryKind kind) const { return device_.now().of(kind).count(); }
    Device device_;
};

// Six experts over four ranks: two each, and eight once gathered.
TEST_F(Fsdp2EngineTest, ExpertsAreDealtOutWhole) {
    Fsdp2Engine engine(device_, layers(1), options(4));
    engine.holdStates();
    EXPECT_EQ(of(MemoryKind::Weights), 4 * (16 + 2 * 10));
    engine.beginForward();
    engine.beforeForward(0);
    // The experts' all-gather output, the last, stays until the next module's.
    EXPECT_EQ(of(MemoryKind::Gathered), 2 * (64 + 80) + 2 * 80);
}

// More ranks than experts: the ten rows of every expert are split over twelve ranks, a row each.
TEST_F(Fsdp2EngineTest, ExpertsAreCutWhereRanksAreMore) {
    Fsdp2Options cut = options(12);
    cut.cutsExpertRows = true;
    Fsdp2Engine engine(device_, layers(1), cut);
    engine.holdStates();
    EXPECT_EQ(of(MemoryKind::Weights), 4 * (16 + 6));
    const std::int64_t states = device_.live();
    engine.beginForward();
    engine.beforeForward(0);
    EXPECT_EQ(of(MemoryKind::Gathered), 2 * (64 + 72) + 2 * 72);
    // Both copies of the experts and the all-gather's output.
    EXPECT_EQ(device_.peak(), states + 2 * 64 + 3 * 2 * 72);
}

// Backward gathers the module before ahead, but not weights that this rank has whole.
TEST_F(Fsdp2EngineTest, ExpertsOfOneRankAreNotGatheredAhead) {
    for (const std::int64_t expertShards : {1, 2}) {
        device_ = Device();
        Fsdp2Engine engine(device_, layers(2), options(expertShards));
        engine.beginForward();
        for (const int unit : {0, 1}) {
            engine.beforeForward(unit);
            engine.afterForward(unit);
        }
        engine.endForward();
        EXPECT_EQ(device_.live(), 0);
        engine.beforeBackward(1);
        const std::int64_t ahead = expertShards == 1 ? 64 : 64 + 60;
        EXPECT_EQ(device_.live(), 2 * (64 + 60) + 2 * ahead);
    }
}

// The experts are reduced first, and their gradients are gone before the dense ones are copied.
TEST_F(Fsdp2EngineTest, GroupsAreReducedOneAfterAnother) {
    Fsdp2Engine engine(device_, layers(1), options(2));
    engine.beginMicroStep(0, 1);
    engine.beforeBackward(0);
    takeGradients(engine, 0);
    engine.afterBackward(0);
    EXPECT_EQ(of(MemoryKind::Communication), 4 * (60 + 64));  // until the next module's
    EXPECT_EQ(of(MemoryKind::Gradients), 4 * (30 + 16));
    // At the peak, the experts' input and shard are live, the dense input just made, and the table
    // of its copy.
    EXPECT_EQ(device_.peak(), 4 * (60 + 30) + 2 * 64 + 4 * 64 + 8 * (6 + 1 + 2));
    engine.endBackward();
    EXPECT_EQ(device_.live(), 4 * (30 + 16));
}

// An evaluation leaves the unit gathered that is kept between forward and backward.
TEST_F(Fsdp2EngineTest, StateDictsHaveTheShardsAlone) {
    Fsdp2Options kept = options(2);
    kept.keptUnit = 0;
    Fsdp2Engine engine(device_, layers(1), kept);
    engine.beginForward();
    engine.beforeForward(0);
    engine.afterForward(0);
    engine.endForward();
    EXPECT_EQ(of(MemoryKind::Gathered), 2 * (64 + 60));
    engine.beginSaving();
    EXPECT_EQ(device_.live(), 0);
}

// Without gradient sync the first micro-step's gradients are cast; later ones are added as they
// come.
TEST_F(Fsdp2EngineTest, LaterGradientsAreAddedInPlace) {
    Fsdp2Options lazy = options(2);
    lazy.syncEachMicroStep = false;
    Fsdp2Engine engine(device_, layers(1), lazy);
    for (const std::int64_t step : {0, 1}) {
        engine.beginMicroStep(step, 3);
        engine.beforeBackward(0);
        takeGradients(engine, 0);
        EXPECT_EQ(of(MemoryKind::Gradients), (step == 0 ? 2 : 4) * (64 + 60));
        engine.afterBackward(0);
        EXPECT_EQ(of(MemoryKind::Gradients), 4 * (64 + 60));
    }
}

}  // namespace
}  // namespace fabricast
