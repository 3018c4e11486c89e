#include "gui/window/window_arguments.h"

#include <cstddef>

namespace fabricast {
namespace {

constexpr double kLargestScale = 4.0;

Result<Theme> themeNamed(const QString& name) {
    if (name == "light") {
        return Theme::Light;
    }
    if (name == "dark") {
        return Theme::Dark;
    }
    if (name == "system") {
        return Theme::System;
    }
    return fail(Error::Code::BadInput,
                "--theme",
                "\"" + name.toStdString() + "\" is no theme",
                "light, dark or system");
}

Result<QSize> sizeNamed(const QString& typed) {
    const QStringList sides = typed.split('x');
    const QSize size = sides.size() == 2 ? QSize(sides[0].toInt(), sides[1].toInt()) : QSize();
    constexpr int kLeast = 640;
    constexpr int kMost = 8192;
    if (size.width() < kLeast || size.width() > kMost || size.height() < kLeast / 2 ||
        size.height() > kMost) {
        return fail(Error::Code::BadInput,
                    "--size",
                    "\"" + typed.toStdString() + "\" is no size of a window",
                    "--size 1280x800");
    }
    return size;
}

/// The words behind a flag.
class Words {
public:
    explicit Words(QStringList all) : all_(std::move(all)) {}
    [[nodiscard]] bool isAtEnd() const { return at_ >= all_.size(); }
    QString next() { return all_[at_++]; }
    Result<QString> valueOf(const QString& flag) {
        if (isAtEnd()) {
            return fail(Error::Code::BadInput, flag.toStdString(), "needs a value", "--help");
        }
        return next();
    }

private:
    QStringList all_;
    qsizetype at_ = 0;
};

Result<void> readFlag(const QString& flag, Words& words, WindowArguments& arguments) {
    if (flag == "--help" || flag == "-h") {
        arguments.help = true;
    } else if (flag == "--screenshot") {
        FABRICAST_ASSIGN(const QString page, words.valueOf(flag));
        FABRICAST_ASSIGN(const QString file, words.valueOf(flag));
        arguments.screenshot = Screenshot{page, file};
    } else if (flag == "--export") {
        FABRICAST_ASSIGN(arguments.report, words.valueOf(flag));
    } else if (flag == "--theme") {
        FABRICAST_ASSIGN(const QString name, words.valueOf(flag));
        FABRICAST_ASSIGN(arguments.theme, themeNamed(name));
    } else if (flag == "--scale") {
        FABRICAST_ASSIGN(const QString typed, words.valueOf(flag));
        arguments.scale = typed.toDouble();
        if (!(arguments.scale >= 1.0 && arguments.scale <= kLargestScale)) {
            return fail(Error::Code::BadInput, "--scale", "is from 1 to 4", "--scale 2");
        }
    } else if (flag == "--size") {
        FABRICAST_ASSIGN(const QString typed, words.valueOf(flag));
        FABRICAST_ASSIGN(arguments.size, sizeNamed(typed));
    } else {
        return fail(Error::Code::BadInput, flag.toStdString(), "is no flag", "--help");
    }
    return {};
}

}  // namespace

Result<WindowArguments> windowArguments(const QStringList& typed) {
    WindowArguments arguments;
    Words words(typed);
    while (!words.isAtEnd()) {
        const QString word = words.next();
        if (word.startsWith('-') && word != "-") {
            FABRICAST_TRY(readFlag(word, words, arguments));
        } else if (arguments.file.isEmpty()) {
            arguments.file = word;
        } else {
            return fail(Error::Code::BadInput, word.toStdString(), "one scenario at a time");
        }
    }
    return arguments;
}

QString windowHelp() {
    return "usage: fabricast-gui [FILE] [flags]\n"
           "FILE is a scenario, as fabricast plan reads it; without one a worked example opens.\n"
           "  --screenshot PAGE FILE  writes a picture of a page (PNG) and ends\n"
           "  --export FILE           writes all that is answered (.pdf or .html) and ends\n"
           "  --theme NAME            light, dark or system\n"
           "  --scale N               pixels of a picture for each pixel of the window: 1 to 4\n"
           "  --size WxH              of the window or picture: 1280x800\n";
}

}  // namespace fabricast
