// A window that was killed leaves what it had not saved.
#include "gui/document/recovery.h"

#include "gui/pages/elided_label.h"
#include "gui/window/notice_bar.h"
#include "gui/window/study_files.h"
#include "study/said_value.h"
#include "tests/gui/used_window.h"

#include <sys/stat.h>

#include <QAction>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>

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

TEST(Recovery, WhatOneWindowOffersNoOtherDoes) {
    const QTemporaryDir folder;
    { ASSERT_TRUE(Recovery(folder.path()).keep(R"({"model": "gpt2"})")); }
    {
        Recovery first(folder.path());
        ASSERT_EQ(first.left().size(), 1);
        const QString file = first.left().front();
        ASSERT_TRUE(first.claim(file));
        EXPECT_EQ(first.left().size(), 1);
        Recovery second(folder.path());
        EXPECT_TRUE(second.left().isEmpty());
        EXPECT_FALSE(second.claim(file));
    }
    EXPECT_EQ(Recovery(folder.path()).left().size(), 1) << "it was neither taken nor discarded";
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

/// A study in a file, of which a change was not saved when its window was killed.
QString killWithFile(const QString& folder) {
    const QString path = folder + "/mine.json";
    EXPECT_TRUE(saveStudy({smallQuestion(), {.failed = "node0"}}, path.toStdString()));
    editAndKill(folder);
    return path;
}

TEST(Recovery, WhatIsRecoveredIsOfItsFile) {
    const QTemporaryDir folder;
    const QString path = killWithFile(folder.path());
    MainWindow next(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    const QString offer = next.findChild<QLabel*>("notice.words")->text();
    EXPECT_TRUE(offer.contains("mine.json, gpt2 on 4x-rtx-4090")) << offer.toStdString();
    next.findChild<QPushButton*>("notice.recover")->click();
    EXPECT_TRUE(next.windowTitle().startsWith("mine.json")) << next.windowTitle().toStdString();
    EXPECT_TRUE(next.isWindowModified());
    EXPECT_EQ(next.findChild<ElidedLabel*>("command")->words(), "fabricast plan " + path + " -n 4");
    EXPECT_TRUE(next.files().save()) << "nobody is asked for a name";
    const SavedStudy saved = openStudy(path.toStdString()).value();
    EXPECT_EQ(saidValue(saved.question, "cluster.nodes"), "4");
    EXPECT_EQ(saved.view.file, "") << "a file does not say where it lies";
}

TEST(Recovery, ShowsThePageThatWasLookedAt) {
    const QTemporaryDir folder;
    MainWindow window(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    window.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "Servers 2"});
    window.files().keep();
    window.showPage("memory");
    const auto kept = [&folder] {
        return openStudy(folder.filePath("study-1.json").toStdString()).value().view.page;
    };
    EXPECT_TRUE(QTest::qWaitFor([&kept] { return kept() == "memory"; }, 5000)) << kept();
}

TEST(Recovery, IsUndoneToWhatTheFileHas) {
    const QTemporaryDir folder;
    const QString path = killWithFile(folder.path());
    const QString before = QDir::currentPath();
    ASSERT_TRUE(QDir::setCurrent(folder.path()));
    MainWindow next(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    next.findChild<QPushButton*>("notice.recover")->click();
    EXPECT_EQ(next.findChild<ElidedLabel*>("command")->words(), "fabricast plan mine.json -n 4");
    auto* undo = next.findChild<QAction*>("action.undo");
    ASSERT_TRUE(undo->isEnabled());
    undo->trigger();
    EXPECT_EQ(next.findChild<QSpinBox*>("number.cluster.nodes")->value(), 1);
    EXPECT_EQ(next.findChild<ElidedLabel*>("command")->words(), "fabricast plan mine.json");
    EXPECT_FALSE(next.isWindowModified());
    next.findChild<QAction*>("action.redo")->trigger();
    EXPECT_EQ(next.findChild<QSpinBox*>("number.cluster.nodes")->value(), 4);
    EXPECT_TRUE(next.isWindowModified());
    QDir::setCurrent(before);
}

TEST(Recovery, AsksBeforeAFileGoesThatChangedAfterTheCrash) {
    const QTemporaryDir folder;
    const QString path = killWithFile(folder.path());
    const Question other = smallQuestion({{"cluster.nodes", "7", "-n"}});
    ASSERT_TRUE(saveStudy({other, {}}, path.toStdString()));
    MainWindow next(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    ASSERT_TRUE(next.files().recover(next.files().left().front()));
    QTimer::singleShot(50, [] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        ASSERT_NE(box, nullptr);
        box->button(QMessageBox::Cancel)->click();
    });
    EXPECT_FALSE(next.files().save());
}

/// The next box that asks something is answered in this way; false where none came.
class Answered {
public:
    explicit Answered(QMessageBox::StandardButton button) {
        timer_.setInterval(10);
        QObject::connect(&timer_, &QTimer::timeout, [this, button] {
            if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
                timer_.stop();
                came = true;
                box->button(button)->click();
            }
        });
        timer_.start();
    }
    bool came = false;

private:
    QTimer timer_;
};

/// What a window of a file kept of it before it was killed.
void keepOf(const QString& file, const std::vector<Edit>& edits, const QString& folder) {
    SavedStudy study = openStudy(file.toStdString()).value();
    study.question = with(study.question, edits).value();
    study.view.file = file.toStdString();
    ASSERT_TRUE(Recovery(folder).keep(studyText(study).value()));
}

TEST(Recovery, NothingIsDiscardedUnasked) {
    const QTemporaryDir folder;
    keepOf("", {}, folder.path());
    MainWindow next(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    next.show();
    for (const auto button : {QMessageBox::Cancel, QMessageBox::Discard}) {
        EXPECT_EQ(next.files().left().size(), 1);
        const Answered answered(button);
        next.findChild<QPushButton*>("notice.discard")->click();
        EXPECT_TRUE(answered.came);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    EXPECT_TRUE(next.files().left().isEmpty());
    EXPECT_FALSE(next.findChild<QWidget*>("notice")->isVisible());
}

TEST(Recovery, WhatIsWrongIsWrongInTheUsersFile) {
    const QTemporaryDir folder;
    const QString path = folder.path() + "/mine.json";
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\n  \"model\": \"gpt2\",\n  \"cluster\": \"no-such-cluster\"\n}\n");
    file.close();
    keepOf(path, {{"workload.global_batch", "64", "--global-batch"}}, folder.path());
    MainWindow next(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    ASSERT_TRUE(next.files().recover(next.files().left().front()));
    ASSERT_TRUE(QTest::qWaitFor(
        [&next] { return next.session().answers().stage == AnswerStage::Failed; }, 30'000));
    const std::string where = next.session().answers().error->where;
    EXPECT_EQ(where, path.toStdString() + ":3:14");
    EXPECT_EQ(next.findChild<ElidedLabel*>("command")->words(),
              "fabricast plan " + path + " --global-batch 64");
}

TEST(Recovery, OffersOneStudyAfterTheOther) {
    const QTemporaryDir folder;
    {
        Recovery one(folder.path());
        Recovery two(folder.path());
        ASSERT_TRUE(
            one.keep(studyText({smallQuestion({{"cluster.nodes", "2", "-n"}}), {}}).value()));
        ASSERT_TRUE(
            two.keep(studyText({smallQuestion({{"cluster.nodes", "3", "-n"}}), {}}).value()));
    }
    MainWindow next(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    next.show();
    const auto* words = next.findChild<QLabel*>("notice.words");
    EXPECT_TRUE(words->text().contains("1 more")) << words->text().toStdString();
    next.findChild<QPushButton*>("notice.recover")->click();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    const int first = next.findChild<QSpinBox*>("number.cluster.nodes")->value();
    auto* recover = next.findChild<QPushButton*>("notice.recover");
    ASSERT_NE(recover, nullptr) << "the other is offered in this window";
    EXPECT_TRUE(recover->isVisible());
    EXPECT_FALSE(words->text().contains("more")) << words->text().toStdString();
    {
        const Answered kept(QMessageBox::Cancel);  // the first has changes that are not saved
        recover->click();
        EXPECT_TRUE(kept.came);
    }
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    recover = next.findChild<QPushButton*>("notice.recover");
    ASSERT_NE(recover, nullptr);
    EXPECT_TRUE(recover->isVisible()) << "it is offered until something becomes of it";
    ASSERT_TRUE(next.files().saveTo(folder.filePath("first.json")));
    recover->click();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(next.findChild<QSpinBox*>("number.cluster.nodes")->value(), 5 - first);
    EXPECT_FALSE(words->isVisible());
    EXPECT_TRUE(next.files().left().isEmpty());
}

TEST(Recovery, AsksBeforeAStudyWithChangesGoes) {
    const QTemporaryDir folder;
    editAndKill(folder.path());
    MainWindow next(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    next.show();
    next.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "Servers 2"});
    const Answered answered(QMessageBox::Cancel);
    next.findChild<QPushButton*>("notice.recover")->click();
    EXPECT_TRUE(answered.came);
    EXPECT_EQ(next.findChild<QSpinBox*>("number.cluster.nodes")->value(), 2);
    EXPECT_EQ(next.files().left().size(), 1) << "it is still there";
}

TEST(SavedStudy, OfAPipeIsNotWaitedFor) {
    const QTemporaryDir folder;
    SavedStudy study{smallQuestion(), {}};
    study.question.file = folder.filePath("pipe").toStdString();
    ASSERT_EQ(::mkfifo(study.question.file.c_str(), 0600), 0);
    MainWindow window(openBench(), study, {.recoveryFolder = folder.path()});
    EXPECT_EQ(window.session().question().file, study.question.file);
}

TEST(SavedStudy, IsNotReplacedUnaskedWhereAnotherChangedIt) {
    const QTemporaryDir folder;
    const QString path = folder.filePath("study.json");
    MainWindow one(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    ASSERT_TRUE(one.files().saveTo(path));
    MainWindow other(openBench(), {smallQuestion(), {}}, {.recoveryFolder = folder.path()});
    ASSERT_TRUE(other.files().openFrom(path));
    one.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "Servers 2"});
    EXPECT_TRUE(one.files().save());
    other.session().edit({{"cluster.nodes", "3", "-n"}}, {.title = "Servers 3"});
    const Answered kept(QMessageBox::Cancel);
    EXPECT_FALSE(other.files().save());
    EXPECT_TRUE(kept.came);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("\"nodes\": 2"));
    const Answered replaced(QMessageBox::Save);
    EXPECT_TRUE(other.files().save());
    EXPECT_TRUE(replaced.came);
    EXPECT_TRUE(other.files().save()) << "its own again, and nobody is asked";
}

}  // namespace
}  // namespace fabricast
