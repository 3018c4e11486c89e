// What the page of hardware says of prices that are not known, or are those of other GPUs.
#include "study/hardware.h"

#include "gui/models/page_views.h"
#include "tests/gui/used_window.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace hardware_test {

TEST(Hardware, WhoseGpuHasNoPriceToBuyIsNotSaidNeverToPayOff) {
    const std::array<std::string, 2> names = {"4x-rtx-4090", "dgx-h100"};
    const HardwareAnswer answer =
        whichHardware(smallQuestion({{"price.profile", "2.10", "--price"}}), names, openBench(), {})
            .value();
    const Table rows = hardwareRows(answer);
    EXPECT_EQ(rows.rows[0][7], "not known");
    const std::vector<std::string> notes = hardwareNotes(answer);
    const auto says = [&notes](const char* words) {
        return std::ranges::any_of(notes, [words](const std::string& note) {
            return note.find(words) != std::string::npos;
        });
    };
    EXPECT_TRUE(says("Not known: what it costs to buy rtx-4090"));
    EXPECT_TRUE(says("the price that was given is that of every GPU here: "));
}

}  // namespace hardware_test
}  // namespace fabricast
