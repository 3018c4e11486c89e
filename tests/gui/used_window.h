#pragma once
#include "gui/window/main_window.h"
#include "study/question.h"
#include "study/workbench.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <QTest>
#include <stdexcept>
#include <string>
#include <vector>

namespace fabricast {

/// A question that is answered at once.
inline Question smallQuestion(std::vector<Edit> more = {}) {
    std::vector<Edit> edits = {{"model", "gpt2", "-m"},
                               {"cluster.name", "4x-rtx-4090", "-c"},
                               {"cluster.nodes", "1", "-n"},
                               {"workload.global_batch", "64", "--global-batch"},
                               {"search.stacks", "megatron", "--stack"}};
    edits.insert(edits.end(), more.begin(), more.end());
    return with(readQuestion("", "").value(), edits).value();
}

inline const Workbench& openBench() {
    static const Workbench kBench = Workbench::open({}).value();
    return kBench;
}

/// A window that is used by the names of its widgets.
class UsedWindow {
public:
    explicit UsedWindow(const SavedStudy& study)
        : window(openBench(),
                 study,
                 {.recoveryFolder = folder.path(), .measuredFolder = folder.filePath("measured")}) {
        window.show();
        EXPECT_TRUE(waits());
    }
    [[nodiscard]] bool waits() {
        constexpr int kLongestMilliseconds = 60'000;
        return QTest::qWaitFor([this] { return window.isIdle(); }, kLongestMilliseconds);
    }
    template <class Widget>
    Widget& find(const char* name) {
        auto* found = window.findChild<Widget*>(name);
        if (found == nullptr) {
            throw std::runtime_error(std::string("no widget is called ") + name);
        }
        return *found;
    }

    QTemporaryDir folder;
    MainWindow window;
};

}  // namespace fabricast
