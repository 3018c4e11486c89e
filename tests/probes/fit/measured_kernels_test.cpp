#include "planner/compute/kernel_times.h"
#include "planner/profiles/profile_store.h"
#include "planner/spec/kernel_names.h"
#include "planner/text/text_files.h"
#include "probes/fit/fit_gemm.h"
#include "probes/fit/measured_tables.h"
#include "probes/fit/residuals.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace fabricast {
namespace {

constexpr RateState kBurst{.sustained = false};

const MeasuredTables& measured() {
    static const MeasuredTables tables = [] {
        MeasuredTables read;
        for (const char* name : {"gemm", "attention", "grouped_gemm", "memory"}) {
            const std::string path =
                FABRICAST_SOURCE_DIR "/tests/cases/kernels/measured_" + std::string(name) + ".csv";
            const Result<std::string> text = readTextFile(path);
            const Result<void> added = text ? addMeasuredTable(*text, path, read)
                                            : Result<void>(tl::unexpected(text.error()));
            if (!added) {
                throw std::runtime_error(added.error().text());
            }
        }
        return read;
    }();
    return tables;
}

/// The shipped kernels of a GPU by any of its names.
const KernelProfile& kernelsOf(const std::string& gpu) {
    static std::map<std::string, KernelProfile> known;
    if (!known.contains(gpu)) {
        known[gpu] = *ProfileStore::builtIn().gpu(gpu)->kernels;
    }
    return known.at(gpu);
}

/// "aic", "simumax:a100_pcie", "fa"
std::string sourceOf(const std::string& source) {
    return source.starts_with("aic") || source.starts_with("fa")
               ? source.substr(0, source.find(':'))
               : source;
}

using Groups = std::map<std::string, std::vector<Residual>>;

std::string typeName(GemmType type) {
    return std::string(nameOf(type));
}

void addGemms(Groups& groups) {
    constexpr double kLeastWork = 1e9;
    const std::map<GemmLayout, std::string> layouts = {
        {GemmLayout::Tn, ""}, {GemmLayout::Nn, " NN"}, {GemmLayout::Nt, " NT"}};
    for (const MeasuredGemm& row : measured().gemms) {
        if (row.gemm.m < 128 || row.gemm.flops().count() < kLeastWork) {
            continue;
        }
        const std::string group = "gemm " + row.gpu + " " + typeName(row.gemm.type) + " " +
                                  sourceOf(row.source) + layouts.at(row.gemm.layout);
        groups[group].push_back({row.gemm.flops().count(),
                                 row.time.count(),
                                 gemmTime(kernelsOf(row.gpu), row.gemm, kBurst).count()});
    }
}

void addAttentions(Groups& groups) {
    for (const MeasuredAttention& row : measured().attentions) {
        const KernelProfile& kernels = kernelsOf(row.gpu);
        Attention attention = row.attention;
        double time = attentionTime(kernels, attention, kBurst).count();
        if (row.both) {
            attention.pass = AttentionPass::Backward;
            time += attentionTime(kernels, attention, kBurst).count();
        }
        const bool latent = attention.headDim != attention.valueDim;
        const std::string pass = row.both                                    ? " both"
                                 : attention.pass == AttentionPass::Backward ? " backward"
                                                                             : "";
        const std::string group = "attention " + row.gpu + " " + typeName(attention.type) + " " +
                                  sourceOf(row.source) + " " + std::string(nameOf(attention.code)) +
                                  (latent ? " latent" : "") + pass;
        groups[group].push_back({attention.flops().count(), row.time.count(), time});
    }
}

void addExperts(Groups& groups) {
    for (const MeasuredExperts& row : measured().experts) {
        if (row.group) {
            const Seconds time = groupedGemmTime(kernelsOf(row.gpu), *row.group, kBurst);
            groups["grouped " + row.gpu + " " + typeName(row.type)].push_back(
                {row.group->flops().count(), row.time.count(), time.count()});
        }
    }
}

void addMemories(Groups& groups) {
    // Below this, the caches of Ada and of RTX Blackwell (96 and 128 MB) serve what was just read.
    constexpr double kBeyondCaches = 2e8;
    for (const MeasuredMemory& row : measured().memories) {
        const bool cached = row.gpu == "l40s" || row.gpu == "rtxpro6000_server";
        if (cached && row.bytes < kBeyondCaches) {
            continue;
        }
        const Seconds time = memoryTime(kernelsOf(row.gpu), row.op, row.bytes, kBurst);
        groups["memory " + row.gpu + " " + std::string(nameOf(row.op))].push_back(
            {row.bytes, row.time.count(), time.count()});
    }
}

// The bars are the errors of the shipped parameters over these rows plus a tenth: a changed
// parameter or equation that fits worse shows here. Groups of another host than the fit's (simumax)
// are off by that host's clock; see docs/kernels.md.
TEST(MeasuredKernels, StayWithinTheirErrors) {
    Groups groups;
    addGemms(groups);
    addAttentions(groups);
    addExperts(groups);
    addMemories(groups);
    std::map<std::string, double> bars;
    for (const CaseRow& row : readCases("kernels/measured_bars.csv")) {
        bars[row.at("group")] = std::stod(row.at("mean_error"));
    }
    for (const auto& [group, residuals] : groups) {
        const ErrorSummary summary = summarise(residuals);
        std::cout << group << "," << summary.rows << "," << std::round(1000 * summary.mean) / 10
                  << "," << std::round(1000 * summary.p90) / 10 << ","
                  << std::round(1000 * summary.bias) / 10 << "\n";
        ASSERT_TRUE(bars.contains(group)) << group << " has no bar in measured_bars.csv";
        EXPECT_LE(summary.mean, bars.at(group)) << group;
        EXPECT_GT(summary.rows, 1U) << group;
    }
    EXPECT_EQ(groups.size(), bars.size());
}

}  // namespace
}  // namespace fabricast
