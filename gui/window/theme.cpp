#include "gui/window/theme.h"

#include <QApplication>
#include <QColor>
#include <QStyleFactory>

namespace fabricast {
namespace {

struct WindowColours {
    const char* window;
    const char* base;
    const char* alternate;
    const char* text;
    const char* faint;
    const char* button;
    const char* highlight;
    const char* link;
};

constexpr WindowColours kLight = {
    "#f4f5f7", "#ffffff", "#f2f5f9", "#1b1f24", "#5b6470", "#e9ecf0", "#1f6fb2", "#0b5cad"};
constexpr WindowColours kDark = {
    "#1d2126", "#15181c", "#1b1f24", "#e6e9ed", "#a1aab5", "#2b3138", "#2d7fc4", "#6db3f2"};

QPalette paletteFrom(const WindowColours& colours) {
    QPalette palette(QColor(colours.button), QColor(colours.window));
    palette.setColor(QPalette::Window, QColor(colours.window));
    palette.setColor(QPalette::WindowText, QColor(colours.text));
    palette.setColor(QPalette::Base, QColor(colours.base));
    palette.setColor(QPalette::AlternateBase, QColor(colours.alternate));
    palette.setColor(QPalette::Text, QColor(colours.text));
    palette.setColor(QPalette::PlaceholderText, QColor(colours.faint));
    palette.setColor(QPalette::Button, QColor(colours.button));
    palette.setColor(QPalette::ButtonText, QColor(colours.text));
    palette.setColor(QPalette::ToolTipBase, QColor(colours.base));
    palette.setColor(QPalette::ToolTipText, QColor(colours.text));
    palette.setColor(QPalette::Highlight, QColor(colours.highlight));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, QColor(colours.link));
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, QColor(colours.faint));
    }
    return palette;
}

const QPalette& desktopPalette() {
    static const QPalette kOfDesktop = QApplication::palette();
    return kOfDesktop;
}

}  // namespace

QPalette paletteOf(Theme theme) {
    const bool isDark =
        theme == Theme::Dark ||
        (theme == Theme::System && desktopPalette().color(QPalette::Window).lightness() < 128);
    return paletteFrom(isDark ? kDark : kLight);
}

void applyTheme(Theme theme) {
    const QPalette palette = paletteOf(theme);  // before the style brings its own
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setPalette(palette);
}

}  // namespace fabricast
