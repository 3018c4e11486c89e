#include "gui/models/table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

namespace fabricast {
namespace {

Table twoPlans() {
    return {{{"stack"}, {"tok/s", Align::Right}}, {{"megatron", "6,577"}, {"fsdp2", "812"}}};
}

TEST(TableModel, IsAWellBehavedModel) {
    TableModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Warning);
    model.setTable(twoPlans());
    model.setMarks(0, 1);
    Table longer = twoPlans();
    longer.rows.push_back({"ddp", "-"});
    model.setTable(longer);
    model.setTable({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(TableModel, ShowsTheWordsOfTheReport) {
    TableModel model;
    model.setTable(twoPlans());
    EXPECT_EQ(model.data(model.index(0, 1), Qt::DisplayRole).toString(), "6,577");
    EXPECT_EQ(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), "tok/s");
}

TEST(TableModel, SortsNumbersAsNumbers) {
    TableModel model;
    model.setTable(twoPlans());
    EXPECT_EQ(model.data(model.index(0, 1), TableModel::kSortRole).toDouble(), 6577.0);
    EXPECT_EQ(leadingNumber("$0.125"), 0.125);
    EXPECT_EQ(leadingNumber("79.9??"), 79.9);
    EXPECT_EQ(leadingNumber("-4.5 %"), -4.5);
    EXPECT_FALSE(leadingNumber("-"));
    EXPECT_FALSE(leadingNumber("memory"));
}

TEST(TableModel, KeepsItsRowsWhereOnlyTheirWordsChange) {
    TableModel model;
    model.setTable(twoPlans());
    const QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    const QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    Table other = twoPlans();
    other.rows[0][1] = "7,000";
    model.setTable(other);
    EXPECT_EQ(resets.count(), 0);
    EXPECT_EQ(changes.count(), 1);
    EXPECT_EQ(model.data(model.index(0, 1), Qt::DisplayRole).toString(), "7,000");
}

}  // namespace
}  // namespace fabricast
