#include "gui/window/save_dialog.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(SaveDialog, AddsTheKindThatIsShown) {
    const QString pictures = "Pictures (*.png *.svg *.pdf)";
    const QString all = pictures + ";;Table (*.csv)";
    EXPECT_EQ(withKind("lay", pictures, all), "lay.png");
    EXPECT_EQ(withKind("lay", "Table (*.csv)", all), "lay.csv");
    EXPECT_EQ(withKind("llama-3.1", pictures, all), "llama-3.1.png");
    EXPECT_EQ(withKind("lay.SVG", pictures, all), "lay.SVG");
    EXPECT_EQ(withKind("lay.csv", pictures, all), "lay.csv") << "another kind that there is";
    EXPECT_EQ(withKind("32", "All files (*)", all), "32");
    EXPECT_EQ(withKind("", pictures, all), "");
}

}  // namespace
}  // namespace fabricast
