#pragma once
#include "gui/document/recovery.h"
#include "gui/document/saved_study.h"
#include "planner/base/result.h"

#include <QByteArray>
#include <QObject>
#include <QTimer>
#include <functional>

class QWidget;

namespace fabricast {

class StudySession;

/// Why a file is not opened, and what can be done about it.
QString openTrouble(const QString& path, const Error& error);

/// This opens and saves the window's study, and keeps what is not saved for after a crash.
class StudyFiles : public QObject {
    Q_OBJECT

public:
    /// What the window shows, for the saved file.
    using ViewOf = std::function<ViewState()>;

    StudyFiles(StudySession& session, const QString& recoveryFolder, ViewOf view, QWidget* window);

    void openWithDialog();
    /// False where it was not saved.
    bool save();
    bool saveAs();
    Result<void> saveTo(const QString& path);
    Result<void> openFrom(const QString& path);
    /// In place of the open study, unless that has changes that are to be kept; the config.json of
    /// a model becomes that of the open study.
    Result<void> openAsked(const QString& path);
    /// Whether the window may go: saved, or not wanted.
    bool mayClose();

    [[nodiscard]] QStringList left() const { return recovery_.left(); }
    /// The newest of these, which no other window offers then; empty where there is none.
    [[nodiscard]] QString claimNewest();
    /// What would be recovered: "study.json, gpt2 on dgx-h100, changed 2026-05-01 12:00".
    [[nodiscard]] static QString wordsOf(const QString& file);
    Result<void> recover(const QString& file);
    /// In place of the open study, unless that has changes that are to be kept.
    void recoverAsked(const QString& file);
    void discard(const QString& file) { recovery_.discard(file); }
    /// False where it is not meant.
    bool discardAsked(const QString& file);
    /// Now, not after the next pause.
    void keep();
    void keepSoon() { pause_.start(); }

signals:
    void opened(const fabricast::ViewState& view);
    /// The study has the model of this file now, and is the same study.
    void modelTaken(const QString& file);

private:
    void say(const Error& error);
    /// Whether the study's file is as it was when it was opened or saved, or may go.
    bool mayReplace(const QString& path);
    /// Whether every comment of the file can stay, or may go.
    bool mayLoseComments(const QString& path);
    void remember(const std::string& path);

    StudySession& session_;
    Recovery recovery_;
    ViewOf view_;
    QWidget* window_ = nullptr;
    QTimer pause_;
    QByteArray onDisk_;  ///< a digest of the study's file, as this window left it
};

}  // namespace fabricast
