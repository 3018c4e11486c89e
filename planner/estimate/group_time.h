#pragma once
#include "planner/compute/gemm_time.h"
#include "planner/estimate/fused_groups.h"
#include "planner/estimate/op_kernels.h"
#include "planner/estimate/segment_time.h"

namespace fabricast {

/// Times single kernels of a list: a product, an attention, or a group of operations that only move
/// bytes. Collectives take no time here.
class GroupClock {
public:
    GroupClock(const Scenario& scenario,
               const OpList& list,
               const SegmentSetting& setting,
               const KernelProfile& kernels)
        : scenario_(scenario), list_(list), setting_(setting), kernels_(kernels) {}

    /// `recompute` stays empty: what runs again is the segment's matter. Of attention nothing is
    /// said.
    [[nodiscard]] SegmentTime timeOf(const FusedGroup& group) const;
    /// Attention, whose ranks exchange keys in this way.
    [[nodiscard]] SegmentTime attention(CpKind kind) const;

private:
    [[nodiscard]] SegmentTime moved(const FusedGroup& group) const;
    [[nodiscard]] double oneByOne(double elements, bool sameType) const;
    [[nodiscard]] double spread(const Op& op) const;
    [[nodiscard]] MemoryOp memoryOpOf(const FusedGroup& group) const;
    [[nodiscard]] GemmType productType(const Op& op, const Product& product) const;
    [[nodiscard]] SegmentTime productTime(const Op& op, const Product& product) const;
    [[nodiscard]] SegmentTime groupedTime(const Op& op, const Product& p, GemmType type) const;
    [[nodiscard]] bool isQuantised(const Op& op, const Product& product) const;
    [[nodiscard]] bool inDispatch(const Op& op) const;
    [[nodiscard]] bool addedInGemm(const Op& op) const;
    [[nodiscard]] double temps(const ByteList& bytes) const;
    [[nodiscard]] double move(MemoryOp op, double bytes) const;
    [[nodiscard]] bool inFusedExperts(const Op& op) const;
    [[nodiscard]] Quantising quantisingOf(const Op& op, GroupedPass pass, bool makesGradient) const;
    void addExpertBias(const Product& p, SegmentTime& time) const;
    void addPadding(const Op& op, const Product& p, GemmType type, SegmentTime& time) const;
    void addClamps(double elements, SegmentTime& time) const;
    void addWeightTraffic(const Op& op, SegmentTime& time) const;
    void addModule(const Op& op, bool quantised, SegmentTime& time) const;
    void addCasts(const Op& op, GemmType type, const Product& product, SegmentTime& time) const;

    const Scenario& scenario_;
    const OpList& list_;
    SegmentSetting setting_;
    const KernelProfile& kernels_;
};

}  // namespace fabricast
