#pragma once
#include "probes/cuda/gpu.h"
#include "probes/cuda/gpu_timer.h"
#include "probes/cuda/lt_product.h"
#include "probes/record/run_points.h"
#include "probes/record/statistics.h"

#include <initializer_list>
#include <optional>
#include <string>

namespace fabricast::probe {

/// A GPU that is taken, and what all measurements on it share.
class GpuBench {
public:
    GpuBench(GpuFacts facts, GpuTimer gpuTimer, double bytesOfContext)
        : gpu(std::move(facts)), timer(std::move(gpuTimer)), contextBytes(bytesOfContext) {}

    /// cuBLASLt, opened when it is first needed.
    Answer<const LtHome*> lt();
    [[nodiscard]] bool ltIsOpen() const { return lt_.has_value(); }

    /// Why so many bytes cannot be had ("needs 12 GiB, 10 GiB are free"); empty where they can.
    [[nodiscard]] static std::string tooLarge(double bytes);

    GpuFacts gpu;
    GpuTimer timer;
    double contextBytes = 0.0;  ///< of the GPU's memory that it took; 0 where it is not known
    SampleRule rule;
    bool evenIfBusy = false;  ///< another GPU is used although others compute there

private:
    std::optional<LtHome> lt_;
};

/// "This machine cannot do that point", for the record.
Measurement refusedPoint(const Point& point, std::string why);

/// Trouble with the first setting that such a point of this probe does not have.
Done onlySettings(const Point& point);

/// A size in a point: 1 to `most`.
Answer<std::int64_t> sizeOf(const Point& point,
                            const std::string& name,
                            std::int64_t most = std::int64_t{1} << 40);
/// A choice in a point, one of some words; the first where it is not said and `needed` is false.
Answer<std::string> choiceOf(const Point& point,
                             const std::string& name,
                             std::initializer_list<const char*> words,
                             bool needed = true);

}  // namespace fabricast::probe
