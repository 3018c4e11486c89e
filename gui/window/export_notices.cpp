#include "gui/window/export_notices.h"

#include "gui/window/notice_bar.h"
#include "gui/window/study_exports.h"

namespace fabricast {

void sayExports(StudyExports& exports, NoticeBar& notice) {
    const auto end = [&notice](const QString& words) {
        notice.say(words, {{"notice.ok", "OK", {}}});
    };
    QObject::connect(
        &exports, &StudyExports::started, &notice, [&exports, &notice](const QString& words) {
            notice.say(words, {{"notice.cancel", "Cancel", [&exports] { exports.cancel(); }}});
        });
    QObject::connect(&exports, &StudyExports::written, &notice, [end](const QString& file) {
        end("Written: " + file);
    });
    QObject::connect(&exports, &StudyExports::failed, &notice, end);
}

}  // namespace fabricast
