#include "planner/launch/opened_file.h"
#include "study/check_emitted.h"
#include "study/launch_lint.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

namespace fabricast {
namespace {

using Lines = std::vector<OwnLines>;

bool isUnread(const AskedFile& asked, const std::string& file, const KeyLines& key) {
    const std::string path = key.section.empty() ? key.key : key.section + "." + key.key;
    return std::ranges::any_of(asked.unread, [&](const LaunchKey& one) {
        const bool isHere = one.path == path || one.path.starts_with(path + ".");
        return isHere && one.file == file;
    });
}

/// Whether something else is typed over it.
bool hasOtherValueTyped(const AskedFile& asked, const std::string& file, const KeyLines& key) {
    const std::string path = key.section.empty() ? key.key : key.section + "." + key.key;
    return std::ranges::any_of(
        asked.unread, [&](const LaunchKey& one) { return one.path == path && one.file != file; });
}

/// Keys that both files have, and those that change no forecast: what the plan says by other keys
/// than the file is the plan's.
Lines candidates(const LaunchFile& written, const AskedText& text, const AskedFile& asked) {
    const std::vector<KeyLines> there = keyLines(written.text, written.name);
    Lines found;
    for (KeyLines& key : keyLines(text.text, text.name)) {
        const auto same = std::ranges::find_if(there, [&key](const KeyLines& one) {
            return one.section == key.section && one.key == key.key;
        });
        if (hasOtherValueTyped(asked, text.name, key)) {
            continue;
        }
        const bool isOther = same != there.end() && same->lines != key.lines;
        if (isOther || (same == there.end() && isUnread(asked, text.name, key))) {
            found.push_back({written.name, std::move(key)});
        }
    }
    return found;
}

/// Those of all files of one framework's: its file that is written, and the question's.
Lines candidates(const Emitted& emitted, const AskedFile& asked) {
    Lines all;
    for (const LaunchFile& written : emitted.launch.files) {
        if (!hasKeyLines(written.name)) {
            continue;
        }
        const Result<OpenedFile> opened = openLaunchFile(written.text, written.name);
        for (const AskedText& text : asked.texts) {
            const bool isToml = written.name.ends_with(".toml");
            if (opened && opened->kind == text.kind && isToml == text.name.ends_with(".toml")) {
                std::ranges::move(candidates(written, text, asked), std::back_inserter(all));
            }
        }
    }
    return all;
}

bool startsTheSame(const EmittedCheck& now, const EmittedCheck& before) {
    return now.notRead == before.notRead && now.differs == before.differs &&
           now.filledIn == before.filledIn && now.findings.size() <= before.findings.size();
}

using HoldsWith = std::function<bool(const Lines& tried)>;

/// As many of them as can be kept together: all, or else those of each half, one after the other.
Lines keepable(Lines kept, const Lines& tried, const HoldsWith& holds) {
    Lines both = kept;
    both.insert(both.end(), tried.begin(), tried.end());
    if (tried.empty() || holds(both)) {
        return both;
    }
    if (tried.size() == 1) {
        return kept;
    }
    const auto middle = tried.begin() + std::ssize(tried) / 2;
    kept = keepable(std::move(kept), Lines(tried.begin(), middle), holds);
    return keepable(std::move(kept), Lines(middle, tried.end()), holds);
}

}  // namespace

std::vector<LaunchFile> withOwnLines(std::vector<LaunchFile> files, const Lines& own) {
    for (const OwnLines& one : own) {
        const auto file = std::ranges::find(files, one.file, &LaunchFile::name);
        if (file != files.end()) {
            file->text = withKeyLines(std::move(file->text), file->name, one.key);
        }
    }
    return files;
}

Lines ownLines(const Emitted& emitted,
               const AskedFile& asked,
               const Question& question,
               const Workbench& bench) {
    const Lines tried = candidates(emitted, asked);
    if (tried.empty()) {
        return {};
    }
    const EmittedCheck before = checkEmitted(emitted, question, bench);
    Emitted now = emitted;
    const HoldsWith holds = [&](const Lines& lines) {
        now.launch.files = withOwnLines(emitted.launch.files, lines);
        return startsTheSame(checkEmitted(now, question, bench), before);
    };
    return keepable({}, tried, holds);
}

}  // namespace fabricast
