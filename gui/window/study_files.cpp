#include "gui/window/study_files.h"

#include "gui/jobs/study_session.h"
#include "gui/models/edit_words.h"
#include "gui/window/save_dialog.h"
#include "study/said_value.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

constexpr int kKeepAfterMilliseconds = 400;
const char* const kSaveFilter = "Scenarios (*.json *.jsonc *.fabricast);;All files (*)";
const char* const kOpenFilter =
    "All that opens (*.json *.jsonc *.fabricast *.yaml *.yml *.toml *.sh *.bash *.sbatch *.slurm "
    "*.py);;Scenarios (*.json *.jsonc *.fabricast);;"
    "Launch files (*.yaml *.yml *.toml *.json *.sh *.bash *.sbatch *.slurm *.py);;All files (*)";

/// Empty where there is no such file, and of pipes, which would be waited for.
QByteArray digestOf(const QString& path) {
    QFile file(path);
    return QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly)
               ? QCryptographicHash::hash(file.readAll(), QCryptographicHash::Sha256)
               : QByteArray();
}

/// As it is typed in the folder where the window was started, where it lies below that.
std::string typedHere(const std::string& path) {
    const QString seen = QDir::current().relativeFilePath(QString::fromStdString(path));
    return path.empty() || seen.startsWith("..") ? path : seen.toStdString();
}

/// What its file has now, where that is still there and can be read.
std::optional<SavedStudy> studyOfFile(const std::string& path) {
    const bool isThere = QFileInfo(QString::fromStdString(path)).isFile();
    const Result<SavedStudy> own =
        isThere ? openStudy(path) : fail(Error::Code::BadInput, path, "is not there", "");
    return own ? std::optional(*own) : std::nullopt;
}

/// "gpt2 on dgx-h100", as far as they are names.
QString subjectOf(const Question& question) {
    QStringList names;
    for (const char* path : {"model", "cluster.name"}) {
        const std::string name = saidValue(question, path).value_or("");
        if (!name.empty() && !name.starts_with('{')) {
            names << QString::fromStdString(name);
        }
    }
    return names.join(" on ");
}

}  // namespace

QString openTrouble(const QString& path, const Error& error) {
    const QString name = QFileInfo(path).fileName();
    const bool isThere = QFileInfo::exists(path);
    return name + " cannot be opened: " + QString::fromStdString(errorWords(error)) +
           (isThere ? ". Mend it in a text editor, or open another file." : ". Open another file.");
}

StudyFiles::StudyFiles(StudySession& session,
                       const QString& recoveryFolder,
                       ViewOf view,
                       QWidget* window)
    : QObject(window),
      session_(session),
      recovery_(recoveryFolder),
      view_(std::move(view)),
      window_(window) {
    pause_.setSingleShot(true);
    pause_.setInterval(kKeepAfterMilliseconds);
    connect(&pause_, &QTimer::timeout, this, &StudyFiles::keep);
    connect(&session, &StudySession::questionChanged, this, &StudyFiles::keepSoon);
    remember(session.question().file);
}

void StudyFiles::remember(const std::string& path) {
    onDisk_ = path.empty() ? QByteArray() : digestOf(QString::fromStdString(path));
}

void StudyFiles::keep() {
    if (session_.history().isSaved()) {
        recovery_.forget();
        return;
    }
    ViewState view = view_();
    if (const std::string& file = session_.question().file; !file.empty()) {
        view.file = QFileInfo(QString::fromStdString(file)).absoluteFilePath().toStdString();
        view.digest = onDisk_.toHex().toStdString();
    }
    const Result<std::string> text = studyText({session_.question(), view});
    if (text) {
        (void)recovery_.keep(*text);  // there is nobody to tell, and nothing lost yet
    }
}

void StudyFiles::say(const Error& error) {
    QMessageBox::warning(window_, "Fabricast", QString::fromStdString(error.text()));
}

Result<void> StudyFiles::openFrom(const QString& path) {
    FABRICAST_ASSIGN(SavedStudy study, openStudy(path.toStdString()));
    session_.open(std::move(study.question), study.view);
    remember(path.toStdString());
    keep();
    emit opened(study.view);
    return {};
}

Result<void> StudyFiles::recover(const QString& file) {
    FABRICAST_ASSIGN(SavedStudy study, openStudy(file.toStdString()));
    const std::string path = typedHere(study.view.file);
    const std::optional<SavedStudy> own = studyOfFile(path);
    FABRICAST_ASSIGN(const SavedStudy nothing, openStudy(""));
    study.question.folders.file = path.empty() ? "" : folderOf(path);
    study.question = asChangesOf((own ? *own : nothing).question, study.question);
    onDisk_ = QByteArray::fromHex(QByteArray::fromStdString(study.view.digest));
    session_.recover(own ? *own : study, study);
    keep();
    recovery_.discard(file);
    emit opened(study.view);
    return {};
}

QString StudyFiles::claimNewest() {
    for (const QString& file : left()) {
        if (recovery_.claim(file)) {
            return file;
        }
    }
    return {};
}

QString StudyFiles::wordsOf(const QString& file) {
    const Result<SavedStudy> study = openStudy(file.toStdString());
    if (!study) {
        return "it cannot be read any more";
    }
    const QString name = QString::fromStdString(study->view.file).section('/', -1);
    QStringList words = {name.isEmpty() ? "a new study" : name, subjectOf(study->question)};
    words.removeAll("");
    const QDateTime changed = QFileInfo(file).lastModified();
    return words.join(", ") + ", changed " + changed.toString("yyyy-MM-dd HH:mm");
}

bool StudyFiles::discardAsked(const QString& file) {
    const bool isMeant = QMessageBox::question(window_,
                                               "Fabricast",
                                               "What was not saved of " + wordsOf(file) +
                                                   " is gone for good. Discard it?",
                                               QMessageBox::Discard | QMessageBox::Cancel,
                                               QMessageBox::Cancel) == QMessageBox::Discard;
    if (isMeant) {
        discard(file);
    }
    return isMeant;
}

void StudyFiles::recoverAsked(const QString& file) {
    if (!mayClose()) {
        return;
    }
    if (const Result<void> recovered = recover(file); !recovered) {
        say(recovered.error());
    }
}

void StudyFiles::openWithDialog() {
    const QString path = QFileDialog::getOpenFileName(window_, "Open a scenario", {}, kOpenFilter);
    if (path.isEmpty()) {
        return;
    }
    if (const Result<void> opened = openAsked(path); !opened) {
        QMessageBox::warning(window_, "Fabricast", openTrouble(path, opened.error()));
    }
}

Result<void> StudyFiles::openAsked(const QString& path) {
    FABRICAST_ASSIGN(const SavedStudy study, openStudy(path.toStdString()));
    if (isModelAlone(study.question)) {
        const QString name = QFileInfo(path).fileName();
        session_.edit({{"model", path.toStdString(), "-m"}},
                      {.title = ("Model " + name).toStdString()});
        emit modelTaken(path);
        return {};
    }
    return mayClose() ? openFrom(path) : Result<void>();
}

Result<void> StudyFiles::saveTo(const QString& path) {
    FABRICAST_ASSIGN(const Question saved,
                     saveStudy({session_.question(), view_()}, path.toStdString()));
    session_.markSaved(saved);
    remember(path.toStdString());
    recovery_.forget();
    return {};
}

bool StudyFiles::mayReplace(const QString& path) {
    const QByteArray there = digestOf(path);
    if (there.isEmpty() || there == onDisk_) {
        return true;
    }
    return QMessageBox::question(window_,
                                 "Fabricast",
                                 path +
                                     " has changed since this window opened or saved it. "
                                     "Replace it? (File > Save as keeps both.)",
                                 QMessageBox::Save | QMessageBox::Cancel) == QMessageBox::Save;
}

bool StudyFiles::mayLoseComments(const QString& path) {
    const std::vector<std::string> lost =
        commentsLost({session_.question(), view_()}, path.toStdString());
    if (lost.empty()) {
        return true;
    }
    const QString count = QString::number(lost.size());
    const QString first = QString::fromStdString(lost.front()).left(80);
    return QMessageBox::question(window_,
                                 "Fabricast",
                                 "Saving takes " + count +
                                     (lost.size() == 1 ? " comment" : " comments") + " out of " +
                                     path + ", the first \"" + first +
                                     "\". Save? (File > Save as keeps the file as it is.)",
                                 QMessageBox::Save | QMessageBox::Cancel) == QMessageBox::Save;
}

bool StudyFiles::save() {
    const QString file = QString::fromStdString(session_.question().file);
    if (file.isEmpty() || isReadBy(session_.question(), file.toStdString())) {
        return saveAs();
    }
    if (!mayReplace(file) || !mayLoseComments(file)) {
        return false;
    }
    const Result<void> saved = saveTo(file);
    if (!saved) {
        say(saved.error());
    }
    return saved.has_value();
}

bool StudyFiles::saveAs() {
    const QString path = askFileToSave(window_, "Save the study", "study.json", kSaveFilter);
    const QString own = QString::fromStdString(session_.question().file);
    const bool isOwn = !own.isEmpty() && QFileInfo(path) == QFileInfo(own);
    if (path.isEmpty() || (isOwn && !mayLoseComments(path))) {
        return false;
    }
    const Result<void> saved = saveTo(path);
    if (!saved) {
        say(saved.error());
    }
    return saved.has_value();
}

bool StudyFiles::mayClose() {
    if (session_.history().isSaved()) {
        return true;
    }
    const QString name = QFileInfo(QString::fromStdString(session_.question().file)).fileName();
    QMessageBox box(
        QMessageBox::Question,
        "Fabricast",
        (name.isEmpty() ? QString("The new study") : name) + " has changes that are not saved.",
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel,
        window_);
    box.button(QMessageBox::Save)->setText("&Save");
    box.button(QMessageBox::Discard)->setText("&Discard");
    const int answer = box.exec();
    if (answer == QMessageBox::Save) {
        return save();
    }
    if (answer == QMessageBox::Discard) {
        pause_.stop();
        recovery_.forget();
        return true;
    }
    return false;
}

}  // namespace fabricast
