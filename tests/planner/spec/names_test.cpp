#include "planner/spec/names.h"

#include "planner/spec/setting_names.h"

#include <gtest/gtest.h>

#include <set>

namespace fabricast {
namespace {

// `fromName` inverts `nameOf` for every row, and no two values share a name.
template <class T>
void expectRoundTrip() {
    std::set<std::string_view> seen;
    for (const auto& entry : namesOf(T{})) {
        EXPECT_EQ(nameOf(entry.value), entry.name);
        EXPECT_EQ(fromName<T>(entry.name), entry.value);
        EXPECT_TRUE(seen.insert(entry.name).second) << entry.name;
    }
    EXPECT_FALSE(fromName<T>("no such name").has_value());
}

TEST(Names, EveryTableReadsBackWhatItPrints) {
    expectRoundTrip<Shard>();
    expectRoundTrip<CpKind>();
    expectRoundTrip<ScheduleKind>();
    expectRoundTrip<Offload>();
    expectRoundTrip<RankPlacement>();
    expectRoundTrip<Dtype>();
    expectRoundTrip<OptimizerKind>();
    expectRoundTrip<Quantization>();
}

TEST(Names, NoValueIsForgotten) {
    EXPECT_EQ(nameOf(Shard::Hsdp), "hsdp");
    EXPECT_EQ(namesOf(Shard{}).size(), static_cast<std::size_t>(Shard::Hsdp) + 1);
    EXPECT_EQ(namesOf(ScheduleKind{}).size(),
              static_cast<std::size_t>(ScheduleKind::DualPipeV) + 1);
    EXPECT_EQ(namesOf(Offload{}).size(), static_cast<std::size_t>(Offload::Activations) + 1);
    EXPECT_EQ(namesOf(RankPlacement{}).size(),
              static_cast<std::size_t>(RankPlacement::PpInside) + 1);
    EXPECT_EQ(namesOf(OptimizerKind{}).size(), static_cast<std::size_t>(OptimizerKind::Muon) + 1);
    EXPECT_EQ(namesOf(Quantization{}).size(), static_cast<std::size_t>(Quantization::NvFp4) + 1);
}

/// The table is in the order of the values and ends with the last one.
template <class T>
void expectAllNamed(T last) {
    expectRoundTrip<T>();
    EXPECT_EQ(namesOf(T{}).size(), static_cast<std::size_t>(last) + 1);
}

TEST(Names, EverySettingIsNamed) {
    expectAllNamed(ModelCode::TransformerEngine);
    expectAllNamed(Engine::MegatronFsdp);
    expectAllNamed(NormKernel::Liger);
    expectAllNamed(RopeKernel::Liger);
    expectAllNamed(AttentionKernel::Unfused);
    expectAllNamed(ActivationKernel::Liger);
    expectAllNamed(LossKernel::Liger);
    expectAllNamed(ExpertKernel::AutoEp);
    expectAllNamed(Dispatcher::AllGather);
    expectAllNamed(AuxLoss::Global);
    expectAllNamed(Checkpointing::Modules);
    expectAllNamed(GradientSync::LastMicroBatch);
    expectAllNamed(Reshard::Never);
    expectAllNamed(OptimizerKernel::BitsAndBytes);
    expectAllNamed(BackwardPrefetch::Pre);
    expectAllNamed(LowBitLibrary::TorchAo);
    expectAllNamed(Tuning::Lora);
    expectAllNamed(AllocatorKind::ExpandableSegments);
}

TEST(Names, HyphensAndUnderscoresDoNotMatter) {
    EXPECT_EQ(fromName<ScheduleKind>("zbv"), ScheduleKind::ZbV);
    EXPECT_EQ(fromName<ScheduleKind>("looped-bfs"), ScheduleKind::LoopedBfs);
    EXPECT_EQ(fromName<ScheduleKind>("dual_pipe_v"), ScheduleKind::DualPipeV);
    EXPECT_FALSE(fromName<ScheduleKind>("zb"));
    EXPECT_FALSE(fromName<ScheduleKind>(""));
    EXPECT_FALSE(fromName<ScheduleKind>("1f1bb"));
}

}  // namespace
}  // namespace fabricast
