#include "study/fits_as_surely.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(FitsAsSurely, HoldsAChangeToWhatItIsComparedWith) {
    EXPECT_TRUE(fitsAsSurely(Verdict::Fits, Verdict::Fits));
    EXPECT_FALSE(fitsAsSurely(Verdict::Likely, Verdict::Fits));
    EXPECT_TRUE(fitsAsSurely(Verdict::Likely, Verdict::Likely));
    EXPECT_TRUE(fitsAsSurely(Verdict::Fits, Verdict::Unlikely));
    EXPECT_FALSE(fitsAsSurely(Verdict::DoesNotFit, Verdict::Unlikely));
    // What does not fit at all is no measure.
    EXPECT_FALSE(fitsAsSurely(Verdict::DoesNotFit, Verdict::DoesNotFit));
    EXPECT_FALSE(fitsAsSurely(Verdict::Likely, Verdict::DoesNotFit));
}

}  // namespace
}  // namespace fabricast
