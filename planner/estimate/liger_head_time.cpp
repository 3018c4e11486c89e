#include "planner/base/integers.h"
#include "planner/compute/gemm_time.h"
#include "planner/compute/kernel_times.h"
#include "planner/estimate/op_kernels.h"
#include "planner/estimate/segment_time.h"
#include "planner/ops/liger.h"
#include "planner/ops/rank_shape.h"

namespace fabricast {

namespace {

constexpr double kLossWidth = 4.0;

/// Adds the kernels of one pass.
class LigerClock {
public:
    LigerClock(const Scenario& scenario, const KernelProfile& kernels)
        : kernels_(kernels),
          vocab_(scenario.model.vocab),
          hidden_(scenario.model.hidden),
          types_(ligerTypes(scenario)),
          product_(gemmTypeOf(scenario.settings, false, kernels)) {}

    /// `times` chunks of `rows` tokens.
    void chunk(PassTime& pass, double times, std::int64_t rows) const {
        PassTime one;
        multiply(one, {.m = rows, .n = vocab_, .k = hidden_, .type = product_});
        multiply(
            one,
            {.m = rows, .n = hidden_, .k = vocab_, .layout = GemmLayout::Nn, .type = product_});
        if (types_.trained) {
            weightProduct(one, rows);
        }
        const double logits = asDouble(types_.logits) * asDouble(rows * vocab_);
        constexpr double kPasses = 3.0;  // the row is read for its sum, read again and written
        move(one, MemoryOp::FusedCrossEntropy, kPasses * logits);
        move(one, MemoryOp::Elementwise, 2.0 * kLossWidth * asDouble(rows));  // the losses' slice
        casts(one, rows);
        one.device = one.device * times;
        one.launches *= times;
        pass += one;
    }

    /// Zeros of both gradients before the first chunk.
    void zeros(PassTime& pass, std::int64_t tokens) const {
        move(pass, MemoryOp::Elementwise, inputBytes(tokens));
        move(pass, MemoryOp::Elementwise, weightBytes());
    }

    void scale(PassTime& pass, std::int64_t tokens) const {
        move(pass, MemoryOp::Elementwise, 2.0 * inputBytes(tokens));
        move(pass, MemoryOp::Elementwise, 2.0 * weightBytes());
    }

    [[nodiscard]] const LigerTypes& types() const { return types_; }

private:
    void multiply(PassTime& pass, const Gemm& gemm) const {
        pass.device.gemm += gemmTime(kernels_, gemm, {}).count();
        pass.launches += 1.0;
    }

    void move(PassTime& pass, MemoryOp op, double bytes) const {
        if (bytes > 0) {
            pass.device.memory += memoryTime(kernels_, op, bytes, {}).count();
            pass.launches += 1.0;
        }
    }

    /// It is added to what the chunks before have made.
    void weightProduct(PassTime& pass, std::int64_t rows) const {
        const bool wide = types_.weight > types_.logits;
        multiply(pass,
                 {.m = vocab_,
                  .n = hidden_,
                  .k = rows,
                  .layout = GemmLayout::Nt,
                  .type = product_,
                  .accumulateFp32 = wide,
                  .addsToOutput = !types_.addsApart});
        if (types_.addsApart) {
            move(pass, MemoryOp::Elementwise, 3.0 * weightBytes());
        }
    }

    /// Autocast's: the weight for the first product, the rows for it and for the weight's gradient,
    /// and the rows' own gradient back. The copy for the second product is made once.
    void casts(PassTime& pass, std::int64_t rows) const {
        const double both = asDouble(types_.input + types_.logits);
        if (types_.castsWeight) {
            const double bytes = asDouble(types_.weight + types_.logits) * matrix();
            const double times = types_.trained ? 1.0 : 2.0;
            for (double made = 0.0; made < times; made += 1.0) {
                move(pass, MemoryOp::Cast, bytes);
            }
        }
        if (types_.castsInput) {
            const double bytes = both * asDouble(rows * hidden_);
            const double times = types_.trained ? 2.0 : 1.0;
            for (double made = 0.0; made < times; made += 1.0) {
                move(pass, MemoryOp::Cast, bytes);
            }
        }
        if (types_.castsInput || types_.castsWeight) {
            move(pass, MemoryOp::Cast, both * asDouble(rows * hidden_));
        }
    }

    [[nodiscard]] double matrix() const { return asDouble(vocab_ * hidden_); }
    [[nodiscard]] double inputBytes(std::int64_t tokens) const {
        return asDouble(types_.input) * asDouble(tokens * hidden_);
    }
    [[nodiscard]] double weightBytes() const {
        return types_.trained ? asDouble(types_.weight) * matrix() : 0.0;
    }

    const KernelProfile& kernels_;
    std::int64_t vocab_;
    std::int64_t hidden_;
    LigerTypes types_;
    GemmType product_;
};

}  // namespace

SegmentTime ligerHeadTime(const Scenario& scenario, const KernelProfile& kernels) {
    const LigerClock clock(scenario, kernels);
    const ModelSpec& model = scenario.model;
    const std::int64_t tokens = rankShape(scenario).tokens;
    const LigerChunks chunks = ligerChunks(tokens, model.vocab, model.hidden);
    SegmentTime total;
    clock.zeros(total.forward, tokens);
    clock.chunk(total.forward, asDouble(chunks.count - 1), chunks.rows);
    clock.chunk(total.forward, 1.0, chunks.last);
    clock.scale(total.input, tokens);
    const double elements =
        model.tiedEmbeddings ? 0.0 : asDouble(model.vocab) * asDouble(model.hidden);
    if (clock.types().trained) {
        total.trained = elements;
    } else {
        total.frozen = elements * asDouble(clock.types().weight);
    }
    return total;
}

}  // namespace fabricast
