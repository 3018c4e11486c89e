// A window that was killed leaves what it had not saved.
#include "gui/document/recovery.h"

#include "gui/pages/elided_label.h"
#include "gui/window/notice_bar.h"
#include "gui/window/study_files.h"
#include "tests/gui/used_window.h"

#include <QFile>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>

namespace fabricast {
namespace {

TEST(Recovery, IsNothingAfterASave) {
    const QTemporaryDir folder;
    Recovery recovery(folder.path());
    ASSERT_TRUE(recovery.keep("{}"));
    recovery.forget();
    EXPECT_TRUE(Recovery(folder.path()).left().isEmpty());
}

TEST(Recovery, LeavesTheFileOfAWindowThatIsOpenAlone) {
    const QTemporaryDir folder;
    Recovery open(folder.path());
    ASSERT_TRUE(open.keep("{}"));
    Recovery other(folder.path());
    EXPECT_TRUE(other.left().isEmpty());
    ASSERT_TRUE(other.keep("{}"));
    EXPECT_TRUE(open.left().isEmpty());
}

TEST(Recovery, FindsWhatAClosedOneLeft) {
    const QTemporaryDir folder;
    { ASSERT_TRUE(Recovery(folder.path()).keep(R"({"model": "gpt2"})")); }
    Recovery next(folder.path());
    ASSERT_EQ(next.left().size(), 1);
    next.discard(next.left().front());
    EXPECT_TRUE(next.left().isEmpty());
}

/// A window in a process of its own, which edits its study and is then killed.
void editAndKill(const QString& folder) {
    QProcess process;
    process.start(QCoreApplication::applicationFilePath(), {"--edit-and-wait", folder});
    ASSERT_TRUE(
        QTest::qWaitFor([&folder] { return QFile::exists(folder + "/study-1.json"); }, 30'000));
    process.kill();  // SIGKILL: nothing of it runs any more
    ASSERT_TRUE(process.waitForFinished());
    EXPECT_EQ(process.exitStatus(), QProcess::CrashExit);
}

TEST(Recovery, AKilledWindowIsRecoveredByTheNext) {
    const QTemporaryDir folder;
    editAndKill(folder.path());
    MainWindow next(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    next.show();
    auto* recover = next.findChild<QPushButton*>("notice.recover");
    ASSERT_NE(recover, nullptr);
    recover->click();
    EXPECT_EQ(next.findChild<QSpinBox*>("number.cluster.nodes")->value(), 4);
    EXPECT_TRUE(next.isWindowModified()) << "it is not saved yet";
    EXPECT_EQ(next.findChild<ElidedLabel*>("command")->words(),
              "fabricast plan -m gpt2 -c 4x-rtx-4090 -n 4 --global-batch 64 --stack megatron");
    EXPECT_TRUE(next.files().left().isEmpty()) << "it is not offered twice";
}

}  // namespace
}  // namespace fabricast
