#include "probes/fit/fit_kernels.h"

#include "planner/spec/kernel_names.h"
#include "probes/fit/fit_attention.h"
#include "probes/fit/fit_gemm.h"
#include "probes/fit/fit_tables.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fabricast {
namespace {

Error beside(const std::string& refused) {
    return {
        Error::Code::BadInput, "", "its times are judged beside " + refused + ", which was not"};
}

NumberChange changeOf(const char* name, double before, double now) {
    return {.name = name, .before = shortNumber(before), .now = shortNumber(now)};
}

/// Fits section after section into one profile; later ones see the earlier ones' fits.
class KernelFitter {
public:
    KernelFitter(KernelProfile start, const MeasuredTables& tables, const FitOptions& options)
        : tables_(tables),
          options_(options),
          result_{.kernels = std::move(start), .from = options.from} {
        result_.others = kernels().donor.empty() ? kernels().name : kernels().donor;
    }

    Result<FittedKernels> run() && {
        fitGemms();
        fitLayouts();
        fitAttentions();
        fitBackwards();
        fitExperts();
        fitMemories();
        if (result_.rows.empty()) {
            return fail(Error::Code::BadInput,
                        kernels().name,
                        "nothing could be fitted\n" + result_.report,
                        "--gpu and --source choose which rows are used");
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] KernelProfile& kernels() { return result_.kernels; }

    template <class Fit>
    void keep(const std::string& section, const Fitted<Fit>& fitted) {
        result_.rows[section] = fitted.rows;
        result_.sections.push_back(
            {.name = section, .errors = summarise(fitted.heldOut), .rows = fitted.rows});
        const bool held = fitted.heldOut.size() < fitted.rows;
        result_.report +=
            section + ": " + std::to_string(fitted.rows) + " points" +
            (held ? ", judged by " + std::to_string(fitted.heldOut.size()) + " that were held out"
                  : "") +
            "\n" + changeSentence(fitted.changes) +
            residualTable(fitted.heldOut, section.starts_with("memory") ? "bytes" : "operations");
    }
    void refuse(const std::string& section, const Error& error) {
        result_.sections.push_back({.name = section, .refused = error.text()});
        result_.report += section + ": not fitted: " + error.text() + "\n";
    }

    /// Whether a section's own measurements were not believed: nothing is judged beside it then.
    [[nodiscard]] bool wasRefused(const std::string& section) const {
        return std::ranges::any_of(result_.sections, [&](const FitSection& one) {
            return one.name == section && !one.refused.empty();
        });
    }

    template <class Row>
    [[nodiscard]] bool isUsed(const Row& row) const {
        return row.source.starts_with(options_.source);
    }

    void fitGemms() {
        for (const auto& [type, name] : namesOf(GemmType{})) {
            std::vector<MeasuredGemm> rows;
            std::ranges::copy_if(
                tables_.gemms, std::back_inserter(rows), [&, type = type](const auto& row) {
                    return row.gemm.type == type && isUsed(row);
                });
            std::optional<GemmFit>& fit = kernels().gemm[static_cast<std::size_t>(type)];
            const std::string section = "gemm." + std::string(name);
            if (rows.empty()) {
                continue;
            }
            if (!fit) {
                refuse(section,
                       {Error::Code::BadInput,
                        "",
                        "the GPU, or its donor, has no such type to start from"});
                continue;
            }
            auto fitted = fitGemm(kernels(), *fit, rows);
            if (!fitted && options_.scaleFew) {
                fitted = scaleGemm(kernels(), *fit, rows);
            }
            if (fitted) {
                fit = fitted->fit;
                keep(section, *fitted);
            } else {
                refuse(section, fitted.error());
            }
        }
    }

    void fitLayouts() {
        const double input = layoutFactor(tables_.gemms, GemmLayout::Nn);
        const double weight = layoutFactor(tables_.gemms, GemmLayout::Nt);
        if (input > 0 && weight > 0) {
            result_.report +=
                "layout: times beside those of the forward product\n" +
                changeSentence(
                    {changeOf("input_gradient", kernels().inputGradientFactor, input),
                     changeOf("weight_gradient", kernels().weightGradientFactor, weight)});
            kernels().inputGradientFactor = input;
            kernels().weightGradientFactor = weight;
            result_.rows["layout"] = tables_.gemms.size();
        }
    }

    /// A kernel that only a figure names starts as the native one, and backward likewise.
    void addNamedKernels() {
        for (const MeasuredAttention& row : tables_.attentions) {
            const AttentionCode code = row.attention.code;
            if (code == AttentionCode::Native || !isUsed(row) || kernels().attention.empty()) {
                continue;
            }
            auto& fits = kernels().attention;
            if (std::ranges::find(fits, code, &AttentionFit::code) == fits.end()) {
                fits.push_back(fits.front());
                fits.back().code = code;
                fits.back().paged = false;
                fits.back().keyTraffic = 1.0;
            }
            const BackwardRatio wanted{
                code, row.attention.headDim, row.attention.valueDim, 1.0, 1.0, 1.0};
            const auto same = [&](const BackwardRatio& ratio) {
                return ratio.code == code && ratio.headDim == wanted.headDim &&
                       ratio.valueDim == wanted.valueDim;
            };
            const bool backward = row.both || row.attention.pass == AttentionPass::Backward;
            if (backward && std::ranges::none_of(kernels().backward, same)) {
                kernels().backward.push_back(wanted);
            }
        }
    }

    /// A figure names its kernel; tables of servers run the GPU's native one.
    void fitAttentions() {
        addNamedKernels();
        for (AttentionFit& fit : kernels().attention) {
            const bool isFirst = &fit == &kernels().attention.front();
            std::vector<MeasuredAttention> rows;
            std::ranges::copy_if(
                tables_.attentions, std::back_inserter(rows), [&](const auto& row) {
                    const auto code = row.attention.code;
                    const bool fits =
                        code == AttentionCode::Native ? fit.paged || isFirst : code == fit.code;
                    return fits && isUsed(row) && row.attention.paged == fit.paged &&
                           sameWidth(row.attention.type, fit.type);
                });
            const std::string section = "attention." + std::string(nameOf(fit.code)) + "." +
                                        std::string(nameOf(fit.type)) + (fit.paged ? ".paged" : "");
            if (rows.empty()) {
                continue;
            }
            if (const auto fitted = fitAttention(kernels(), fit, rows)) {
                fit = fitted->fit;
                keep(section, *fitted);
            } else {
                refuse(section, fitted.error());
            }
        }
    }

    /// fp16 runs like bf16.
    static bool sameWidth(GemmType measured, GemmType fitted) {
        return measured == fitted || (measured == GemmType::Fp16 && fitted == GemmType::Bf16);
    }

    /// Of a kernel's sections, by type, one that was refused; empty: none.
    [[nodiscard]] std::string refusedAttention(AttentionCode code) const {
        const std::string begin = "attention." + std::string(nameOf(code)) + ".";
        const auto found = std::ranges::find_if(result_.sections, [&](const FitSection& one) {
            return one.name.starts_with(begin) && !one.refused.empty();
        });
        return found == result_.sections.end() ? std::string() : found->name;
    }

    void fitBackwards() {
        for (BackwardRatio& ratio : kernels().backward) {
            if (const std::string forward = refusedAttention(ratio.code); !forward.empty()) {
                refuse(backwardSection(ratio), beside(forward));
                continue;
            }
            std::vector<MeasuredAttention> rows;
            std::ranges::copy_if(tables_.attentions,
                                 std::back_inserter(rows),
                                 [&](const auto& row) { return isUsed(row); });
            const BackwardRatio found = backwardRatioOf(kernels(), ratio, rows);
            if (found.atShort > 0) {
                const BackwardRatio known = ratio;
                ratio.atShort = found.atShort;
                ratio.atLong = found.atLong > 0 ? found.atLong : found.atShort;
                result_.report += backwardSection(ratio) + ": times beside forward\n" +
                                  changeSentence({changeOf("short", known.atShort, ratio.atShort),
                                                  changeOf("long", known.atLong, ratio.atLong)});
                result_.rows[backwardSection(ratio)] = rows.size();
            }
        }
    }

    void fitExperts() {
        std::vector<MeasuredExperts> rows;
        std::ranges::copy_if(tables_.experts, std::back_inserter(rows), [&](const auto& row) {
            return isUsed(row);
        });
        if (rows.empty()) {
            return;
        }
        for (const MeasuredExperts& row : rows) {
            const std::string dense = "gemm." + std::string(nameOf(row.type));
            if (wasRefused(dense)) {
                refuse("grouped", beside(dense));
                return;
            }
        }
        // The host that timed the training passes, judged by its dense multiplies.
        std::vector<MeasuredGemm> same;
        const auto timed =
            std::ranges::find_if(rows, [](const auto& row) { return row.group.has_value(); });
        if (timed != rows.end()) {
            std::ranges::copy_if(tables_.gemms, std::back_inserter(same), [&](const auto& row) {
                return row.source.starts_with(timed->source);
            });
        }
        const auto fitted = fitGrouped(kernels(), rows, hostFactor(kernels(), same));
        if (fitted) {
            kernels().grouped = fitted->fit;
            keep("grouped", *fitted);
        } else {
            refuse("grouped", fitted.error());
        }
    }

    void fitMemories() {
        for (const auto& [op, name] : namesOf(MemoryOp{})) {
            const auto isThis = [op = op](const auto& row) { return row.op == op; };
            if (std::ranges::none_of(tables_.memories, isThis)) {
                continue;
            }
            const auto fitted =
                fitMemory(kernels(), op, tables_.memories, options_.leastMemoryBytes);
            const std::string section = "memory." + std::string(name);
            if (fitted) {
                kernels().memory[static_cast<std::size_t>(op)] = fitted->fit;
                keep(section, *fitted);
            } else {
                refuse(section, fitted.error());
            }
        }
    }

    const MeasuredTables& tables_;
    const FitOptions& options_;
    FittedKernels result_;
};

}  // namespace

std::string backwardSection(const BackwardRatio& ratio) {
    return "backward." + std::string(nameOf(ratio.code)) + "." + std::to_string(ratio.headDim) +
           "." + std::to_string(ratio.valueDim);
}

Result<FittedKernels> fitKernels(const KernelProfile& start,
                                 const MeasuredTables& tables,
                                 const FitOptions& options) {
    return KernelFitter(start, tables, options).run();
}

}  // namespace fabricast
