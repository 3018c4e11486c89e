#include "planner/base/short_list.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>
#include <vector>

namespace fabricast {
namespace {

using Ids = ShortList<int, 3>;

std::vector<int> valuesOf(const Ids& ids) {
    return {ids.begin(), ids.end()};
}

RC_GTEST_PROP(ShortList, HoldsWhatAVectorHolds, (const std::vector<int>& values)) {
    Ids ids;
    for (const int value : values) {
        ids.push_back(value);
    }
    RC_ASSERT(ids.size() == values.size());
    RC_ASSERT(ids.empty() == values.empty());
    RC_ASSERT(valuesOf(ids) == values);
    if (!values.empty()) {
        RC_ASSERT(ids.front() == values.front());
        RC_ASSERT(ids.back() == values.back());
    }
}

RC_GTEST_PROP(ShortList, AppendsARange, (const std::vector<int>& a, const std::vector<int>& b)) {
    Ids ids(a.begin(), a.end());
    ids.append(b.begin(), b.end());
    std::vector<int> both = a;
    both.insert(both.end(), b.begin(), b.end());
    RC_ASSERT(valuesOf(ids) == both);
}

RC_GTEST_PROP(ShortList, CopiesAndMovesKeepTheValues, (const std::vector<int>& values)) {
    Ids ids(values.begin(), values.end());
    Ids copy = ids;
    RC_ASSERT(copy == ids);
    Ids moved = std::move(ids);
    RC_ASSERT(valuesOf(moved) == values);
    Ids assigned{1, 2, 3, 4, 5};
    assigned = copy;
    RC_ASSERT(assigned == copy);
    assigned = std::move(copy);
    RC_ASSERT(valuesOf(assigned) == values);
}

RC_GTEST_PROP(ShortList,
              ACopyIsAListOfItsOwn,
              (const std::vector<int>& values, const std::vector<int>& further)) {
    Ids ids(values.begin(), values.end());
    Ids copy = ids;
    copy.append(further.begin(), further.end());
    std::vector<int> both = values;
    both.insert(both.end(), further.begin(), further.end());
    RC_ASSERT(valuesOf(copy) == both);
    RC_ASSERT(valuesOf(ids) == values);
    ids.clear();
    Ids empty = ids;  // of one that had more before
    empty.append(further.begin(), further.end());
    RC_ASSERT(valuesOf(empty) == further);
}

TEST(ShortList, MovedFromIsEmptyAndUsable) {
    Ids ids{1, 2, 3, 4};
    const Ids taken = std::move(ids);
    EXPECT_EQ(taken.size(), 4U);
    EXPECT_TRUE(ids.empty());  // NOLINT(bugprone-use-after-move): it is what is tested
    ids.push_back(7);
    EXPECT_EQ(valuesOf(ids), std::vector<int>{7});
}

TEST(ShortList, ClearedListIsFilledAgain) {
    Ids ids{1, 2, 3, 4};
    ids.clear();
    EXPECT_TRUE(ids.empty());
    ids.push_back(9);
    EXPECT_EQ(ids[0], 9);
}

}  // namespace
}  // namespace fabricast
