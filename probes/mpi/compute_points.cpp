#include "probes/cpu/adam.h"
#include "probes/cpu/products.h"
#include "probes/mpi/memory_work.h"
#include "probes/mpi/mpi_points.h"
#include "probes/mpi/timed_together.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>
#include <utility>

namespace fabricast::probe {

namespace {

constexpr std::array<const char*, 3> kLayouts = {"tn", "nn", "nt"};
constexpr std::int64_t kMostElements = std::int64_t{1} << 30;

SampleRule computeRule() {
    return {.least = 5, .most = 60, .error = 0.01, .seconds = 0.6};
}

BlasLayout layoutOf(const Point& point) {
    const std::string name = wordOr(point, "layout", "tn");
    return name == "nn" ? BlasLayout::Nn : name == "nt" ? BlasLayout::Nt : BlasLayout::Tn;
}

int sideOf(const Point& point, const char* name) {
    return static_cast<int>(*wholeOf(point, name, 1));
}

/// Small whole numbers, whose products' sums fp32 holds exactly while k is below a million.
float given(std::size_t i) {
    return static_cast<float>(static_cast<int>(i * 7 % 9) - 4);
}

/// Element (i, j) of the product of such factors, by its definition.
float productAt(
    const BlasProduct& p, const std::vector<float>& a, const std::vector<float>& b, int i, int j) {
    float sum = 0.0F;
    for (int x = 0; x < p.k; ++x) {
        const int left = p.layout == BlasLayout::Nt ? x * p.m + i : i * p.k + x;
        const int right = p.layout == BlasLayout::Tn ? j * p.k + x : x * p.n + j;
        sum += a[static_cast<std::size_t>(left)] * b[static_cast<std::size_t>(right)];
    }
    return sum;
}

/// Elements that are wrong among some spread over the result.
double wrongProducts(const BlasProduct& p,
                     const std::vector<float>& a,
                     const std::vector<float>& b,
                     std::span<const float> c) {
    constexpr int kChecked = 61;
    double wrong = 0.0;
    for (int check = 0; check < kChecked; ++check) {
        const int i = static_cast<int>(static_cast<std::int64_t>(p.m - 1) * check / (kChecked - 1));
        const int j = (check * 37) % p.n;
        const auto at = static_cast<std::size_t>(i) * static_cast<std::size_t>(p.n) +
                        static_cast<std::size_t>(j);
        wrong += c[at] == productAt(p, a, b, i, j) ? 0.0 : 1.0;
    }
    return wrong;
}

/// A product's factors and results, so many sets of them that none waits in a near cache: in a
/// step no product meets the same numbers twice.
class Factors {
public:
    explicit Factors(const BlasProduct& product)
        : product_(product),
          left_(size(product.m, product.k)),
          right_(size(product.k, product.n)),
          out_(size(product.m, product.n)) {
        constexpr std::size_t kAll = std::size_t{8} << 20U;  // elements
        sets_ = std::clamp<std::size_t>(kAll / (left_ + right_ + out_), 1, 64);
        for (const auto& [factor, one] : {std::pair(&a_, left_), std::pair(&b_, right_)}) {
            factor->resize(sets_ * one);
            for (std::size_t i = 0; i < factor->size(); ++i) {
                (*factor)[i] = given(i % one);
            }
        }
        c_.resize(sets_ * out_);
    }

    void multiplyNext() {
        next_ = (next_ + 1) % sets_;
        multiply(product_, &a_[next_ * left_], &b_[next_ * right_], &c_[next_ * out_]);
    }

    [[nodiscard]] double wrong() const {
        return wrongProducts(product_, a_, b_, std::span(c_).subspan(next_ * out_));
    }

private:
    static std::size_t size(int rows, int columns) {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    }

    BlasProduct product_;
    std::size_t left_;
    std::size_t right_;
    std::size_t out_;
    std::size_t sets_ = 1;
    std::size_t next_ = 0;
    std::vector<float> a_;
    std::vector<float> b_;
    std::vector<float> c_;
};

std::string sidesFault(const Point& point, std::initializer_list<const char*> names) {
    std::int64_t elements = 1;
    for (const char* name : names) {
        const Answer<std::int64_t> side = wholeOf(point, name, 1);
        if (!side) {
            return side.trouble().why;
        }
        if (*side > kMostElements || elements > kMostElements / *side) {
            return std::string(name) + "=" + std::to_string(*side) +
                   " makes a tensor of more than 2^30 elements";
        }
        elements *= *side;
    }
    return "";
}

}  // namespace

std::string gemmFault(const Point& point) {
    for (const auto& sides : {std::array{"m", "n"}, {"m", "k"}, {"k", "n"}}) {
        const std::string fault = sidesFault(point, {sides[0], sides[1]});
        if (!fault.empty()) {
            return fault;
        }
    }
    const std::string type = wordOr(point, "dtype", "fp32");
    const std::string layout = wordOr(point, "layout", "tn");
    if (std::ranges::find(kLayouts, layout) == kLayouts.end()) {
        return "layout=" + layout + " is none of tn, nn and nt";
    }
    return type == "fp32" ? "" : "no " + type + " in a CBLAS: fp32";
}

Measurement measureGemm(Wire& wire, const RankGroup& group, const Point& point) {
    const BlasProduct product{.layout = layoutOf(point),
                              .m = sideOf(point, "m"),
                              .n = sideOf(point, "n"),
                              .k = sideOf(point, "k")};
    Factors factors(product);
    const double flop = 2.0 * product.m * static_cast<double>(product.n) * product.k;
    // One call of a small product is too short for a clock, and for the others to be there too.
    constexpr double kFlopPerSample = 1e9;
    const int calls = static_cast<int>(std::ceil(std::min(1000.0, kFlopPerSample / flop)));
    Measurement measurement{.point = point};
    measurement.samples = timedTogether(wire, group, computeRule(), 1, [&] {
        for (int call = 0; call < calls; ++call) {
            factors.multiplyNext();
        }
    });
    for (double& sample : measurement.samples) {
        sample /= calls;
    }
    measurement.facts["flop"] = flop;
    measurement.facts["calls"] = calls;
    measurement.facts["wrong"] = summed(wire, group, factors.wrong());
    return measurement;
}

std::string memoryFault(const Point& point) {
    const std::string op = wordOr(point, "op", "");
    if (op == "copy") {
        const std::string fault = sidesFault(point, {"bytes"});
        return fault;
    }
    if (!RowWork::knows(op)) {
        return "op=" + op + " is none of copy, norm, swiglu, softmax, cross_entropy and add";
    }
    return sidesFault(point, {"rows", "columns"});
}

Measurement measureMemory(Wire& wire, const RankGroup& group, const Point& point) {
    RowWork work(point);
    Measurement measurement{.point = point};
    measurement.samples = timedTogether(wire, group, computeRule(), 1, [&] { work.run(); });
    for (double& sample : measurement.samples) {
        sample /= work.calls();
    }
    measurement.facts["bytes"] = work.bytes();
    measurement.facts["wrong"] = summed(wire, group, work.wrong());
    return measurement;
}

std::string adamFault(const Point& point) {
    const std::string form = wordOr(point, "form", "flat");
    return form == "flat" ? sidesFault(point, {"parameters"})
                          : "form=" + form + " is a GPU's: flat";
}

Measurement measureAdam(Wire& wire, const RankGroup& group, const Point& point) {
    const auto parameters = static_cast<std::size_t>(*wholeOf(point, "parameters", 1));
    std::vector<float> weights(parameters, 1.0F);
    const std::vector<float> gradient(parameters, 1.0F);
    Adam adam(parameters);
    Measurement measurement{.point = point};
    double norm = 0.0;
    measurement.samples = timedTogether(wire, group, computeRule(), 1, [&] {
        norm = squares(gradient);
        adamStep(adam, weights, gradient, 1.0);
    });
    const bool counted = std::abs(norm / static_cast<double>(parameters) - 1.0) < 1e-6;
    // Gradients that are always alike move each weight by the rate, and the decay by its share.
    const bool moved = weights.front() < 1.0F && weights.front() == weights.back();
    measurement.facts["bytes"] = 32.0 * static_cast<double>(parameters);
    measurement.facts["wrong"] = summed(wire, group, counted && moved ? 0.0 : 1.0);
    return measurement;
}

}  // namespace fabricast::probe
