#include "planner/memory/nccl_buffers.h"

#include "planner/spec/setting_fields.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace fabricast {
namespace {

/// "buffer=1048576 nvls=0", by the names of a scenario.
NcclSettings ncclSettingsOf(const std::string& text) {
    NcclSettings settings;
    for (const auto& [name, value] : splitPairs(text)) {
        bool isKnown = false;
        eachField(settings, [&, &name = name, &value = value](const auto& field, auto& member) {
            if (field.name == name) {
                member = static_cast<std::remove_reference_t<decltype(member)>>(std::stoll(value));
                isKnown = true;
            }
        });
        EXPECT_TRUE(isKnown) << name;
    }
    return settings;
}

NcclGroup ncclGroupOf(const CsvTable& table, std::size_t row) {
    const auto flag = [&](const char* column) { return table.integer(row, column) != 0; };
    const std::string link = table.text(row, "link");
    NcclGroup group{.name = "row", .ranks = table.integer(row, "ranks")};
    group.nodes = table.integer(row, "nodes");
    group.perNode = table.integer(row, "per_node");
    group.boardGpus = 8;
    group.link = link == "nvlink" ? NcclLink::NvLink
                 : link == "pci"  ? NcclLink::Pci
                                  : NcclLink::Host;
    group.reads = flag("reads");
    group.channels = table.integer(row, "channels");
    group.nics = table.number(row, "nics");
    group.gpuDirect = flag("gpu_direct");
    group.nvlsChannels = table.integer(row, "nvls_channels");
    group.collectives = flag("collectives");
    group.large = flag("large");
    group.allReduces = flag("all_reduces");
    group.peers = table.integer(row, "peers");
    return group;
}

TEST(NcclBuffers, AreWhatNcclsOwnRulesSay) {
    constexpr std::int64_t kMebi = 1 << 20;
    const CsvTable table =
        CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/memory/nccl_buffers.csv");
    ASSERT_GE(table.rows(), 20U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const NcclBuffers buffers =
            ncclBuffers(ncclGroupOf(table, row), ncclSettingsOf(table.text(row, "settings")));
        const auto holds = [&](const char* column, Bytes bytes) {
            EXPECT_EQ(bytes, Bytes(table.integer(row, column) * kMebi))
                << table.text(row, "what") << ": " << column;
        };
        holds("ring", buffers.ring);
        holds("tree", buffers.tree);
        holds("nvls", buffers.nvls);
        holds("pairs", buffers.pairs);
        holds("shared", buffers.shared);
        if (!table.text(row, "seen").empty()) {
            holds("seen", buffers.total());
        }
    }
}

}  // namespace
}  // namespace fabricast
