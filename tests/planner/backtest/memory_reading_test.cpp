#include "planner/backtest/run_readings.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

PublishedRun withNotes(const std::string& notes) {
    PublishedRun run;
    run.notes = notes;
    return run;
}

TEST(MemoryReading, IsWhatTheColumnOrTheNotesSay) {
    EXPECT_EQ(memoryReading(withNotes("memory=max_allocated (PyTorch), reserved 47 GiB")),
              MemoryReading::Allocated);
    EXPECT_EQ(memoryReading(withNotes("memory=max over ranks (torch reserved peak)")),
              MemoryReading::Reserved);
    EXPECT_EQ(memoryReading(withNotes("from nvidia-smi")), MemoryReading::Device);
    EXPECT_EQ(memoryReading(withNotes("memory printed as GB")), MemoryReading::Unsaid);
    PublishedRun run = withNotes("from nvidia-smi");
    run.memoryKind = "allocated";
    EXPECT_EQ(memoryReading(run), MemoryReading::Allocated);
}

TEST(MemoryReading, IsComparedWithItsOwnForecast) {
    StageMemory stage;
    stage.allocated = Bytes(10);
    stage.reserved.value = Bytes(12);
    stage.context = Bytes(2);
    stage.collectives = Bytes(1);
    EXPECT_EQ(forecastReading(stage, MemoryReading::Allocated), Bytes(10));
    EXPECT_EQ(forecastReading(stage, MemoryReading::Unsaid), Bytes(10));
    EXPECT_EQ(forecastReading(stage, MemoryReading::Reserved), Bytes(12));
    EXPECT_EQ(forecastReading(stage, MemoryReading::Device), Bytes(15));
}

TEST(MemoryReading, WhatTorchtuneDoesInItsOwnWayIsSaid) {
    PublishedRun run = withNotes("Baseline + Chunked Cross Entropy; peak memory active");
    EXPECT_EQ(unknownMemory(run), "");
    run.stack = "torchtune";
    EXPECT_NE(unknownMemory(run), "");
    run.notes = "packed";
    EXPECT_EQ(unknownMemory(run), "");
}

}  // namespace
}  // namespace fabricast
