#include "planner/report/launch_report.h"

#include "planner/report/lint_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/subject_words.h"
#include "planner/text/json_text.h"
#include "planner/text/shell_text.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace fabricast {
namespace {

std::string launchHead(const Emitted& emitted) {
    const Explanation& forecast = emitted.forecast;
    const std::string verdict(forecast.verdict ? verdictWord(*forecast.verdict) : "NOT MODELLED");
    return verdict + "  " + subjectText(forecast.scenario) +
           (forecast.verdict ? "" : "\n" + forecast.whyNoVerdict) + "\nlaunch files for " +
           emitted.target + " " + emitted.version + "\n";
}

std::string untoldLines(const Emitted& emitted) {
    std::string text;
    for (const std::string& one : emitted.launch.untold) {
        text += "not in the files: " + one + "\n";
    }
    return text;
}

/// A variable that run.sh ends without: ${NAME:?what it is}.
struct NeededVariable {
    std::string name;
    std::string what;
};

/// Those that are the user's to set: where the nodes are, the job's script says.
std::vector<NeededVariable> neededVariables(const LaunchFiles& launch) {
    std::vector<NeededVariable> needed;
    for (const LaunchFile& file : launch.files) {
        const std::string& text = file.name == "run.sh" ? file.text : std::string();
        for (std::size_t ask = text.find(":?"); ask != std::string::npos;
             ask = text.find(":?", ask + 1)) {
            const std::size_t open = text.rfind("${", ask);
            const std::size_t end = text.find('}', ask);
            if (open == std::string::npos || end == std::string::npos) {
                continue;
            }
            const std::string name = text.substr(open + 2, ask - open - 2);
            if (name != "MASTER_ADDR" && name != "NODE_RANK") {
                needed.push_back({name, text.substr(ask + 2, end - ask - 2)});
            }
        }
        if (text.find("${TRAIN:-train.py}") != std::string::npos) {
            needed.push_back({"TRAIN", "the program that trains; else train.py in this folder"});
        }
    }
    return needed;
}

std::string neededLines(const LaunchFiles& launch) {
    std::string text;
    for (const NeededVariable& one : neededVariables(launch)) {
        text += "to set before: " + one.name + ", " + one.what + "\n";
    }
    return text;
}

std::string settingWords(const LaunchFiles& launch) {
    std::string words;
    for (const NeededVariable& one : neededVariables(launch)) {
        words += one.name + "=... ";
    }
    return words;
}

/// How the run is started: in its folder, by what the launcher is called with.
std::string startCommand(const Emitted& emitted, const EmittedView& view) {
    if (view.folder.empty()) {
        return "--out DIR writes them";
    }
    const std::string place = (view.folder.starts_with("-") ? "./" : "") + view.folder;
    const std::string folder = "cd " + shellWord(place) + " && ";
    switch (view.launcher) {
        case Launcher::Slurm:
            return folder + settingWords(emitted.launch) + "sbatch job.sbatch";
        case Launcher::Kubernetes:
            return folder + "kubectl apply -f job.yaml, with an image that has these files";
        case Launcher::Torchrun:
            break;
    }
    const bool several = emitted.forecast.scenario.cluster.nodes > 1;
    return folder + settingWords(emitted.launch) +
           (several ? "MASTER_ADDR=first-node NODE_RANK=0 bash run.sh, on each node its own rank"
                    : "bash run.sh");
}

std::string_view judgementOf(const FrameworkAnswer& answer) {
    return !answer.missing.empty()    ? "not asked"
           : !answer.rejected.empty() ? "rejected"
                                      : "accepted";
}

void addCheck(const EmittedCheck& check, JsonText& json) {
    json.beginObject("check");
    json.add("holds", check.holds());
    if (!check.notRead.empty()) {
        json.add("not_read", check.notRead);
    }
    json.add("differs", check.differs);
    json.add("filled_in", check.filledIn);
    json.beginArray("frameworks");
    for (const FrameworkAnswer& answer : check.frameworks) {
        json.beginObject();
        json.add("reader", answer.reader);
        if (!answer.version.empty()) {
            json.add("version", answer.version);
        }
        json.add("judgement", judgementOf(answer));
        json.add("why", answer.missing.empty() ? answer.rejected : answer.missing);
        json.end();
    }
    json.end();
    json.end();
}

/// Up to its second part: 0.2 of 0.2.2.
std::string_view minorOf(std::string_view version) {
    const std::size_t first = version.find('.');
    return version.substr(0,
                          first == std::string_view::npos ? first : version.find('.', first + 1));
}

std::string answerText(const FrameworkAnswer& answer, const std::string& version) {
    if (!answer.missing.empty()) {
        return "check: not read by " + answer.reader + " itself: " + answer.missing +
               (answer.reader == "sbatch" ? "" : " (--python venv/bin/python, where it is)") + "\n";
    }
    const std::string who = answer.reader + " " + answer.version;
    if (answer.rejected.empty()) {
        return "check: accepted by " + who + " itself\n";
    }
    const bool isOther = answer.reader != "sbatch" && minorOf(answer.version) != minorOf(version);
    return "check: rejected by " + who + ": " + answer.rejected + "\n" +
           (isOther ? "check: the files are for " + version + ": --framework-version " +
                          answer.version + " writes those for the one that is there\n"
                    : "");
}

}  // namespace

std::string emittedJson(const Emitted& emitted,
                        std::string_view version,
                        const std::optional<EmittedCheck>& check) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.launch/1");
    json.add("version", version);
    json.add("target", emitted.target);
    json.add("framework_version", emitted.version);
    if (emitted.forecast.verdict) {
        json.add("verdict", verdictWord(*emitted.forecast.verdict));
    } else {
        json.addNull("verdict", emitted.forecast.whyNoVerdict);
    }
    json.beginArray("files");
    for (const LaunchFile& file : emitted.launch.files) {
        json.beginObject();
        json.add("name", file.name);
        json.add("text", file.text);
        json.end();
    }
    json.end();
    json.add("not_told", emitted.launch.untold);
    if (check) {
        addCheck(*check, json);
    }
    json.end();
    return std::move(json).finish();
}

std::string emittedText(const Emitted& emitted, const EmittedView& view) {
    std::string text = launchHead(emitted);
    for (const LaunchFile& file : emitted.launch.files) {
        text += view.folder.empty()
                    ? "\n==> " + file.name + " <==\n" + file.text
                    : "  " + (std::filesystem::path(view.folder) / file.name).string() + "\n";
    }
    const std::string untold = untoldLines(emitted);
    text += (view.folder.empty() && !untold.empty() ? "\n" : "") + untold;
    if (!view.next) {
        return text;
    }
    if (emitted.forecast.verdict == Verdict::DoesNotFit) {
        return text + "\nit DOES NOT FIT: the run ends out of memory\nnext: fabricast explain " +
               view.asked + ", which says what would fit\n";
    }
    return text + "\n" + neededLines(emitted.launch) + "next: " + startCommand(emitted, view) +
           "\n";
}

bool EmittedCheck::holds() const {
    return notRead.empty() && differs.empty() &&
           std::ranges::all_of(frameworks,
                               [](const FrameworkAnswer& one) { return one.rejected.empty(); });
}

std::string emittedCheckText(const EmittedCheck& check, const std::string& version) {
    std::string asked;
    for (const FrameworkAnswer& answer : check.frameworks) {
        asked += answerText(answer, version);
    }
    if (!check.notRead.empty()) {
        return "check: not read back: " + check.notRead + "\n" + asked;
    }
    std::string text = check.differs.empty() ? "check: read back as the same plan\n" : "";
    for (std::size_t i = 0; i < check.filledIn.size(); ++i) {
        text += (i == 0 ? "check: with what the files do not say: " : ", ") + check.filledIn[i];
    }
    text += check.filledIn.empty() ? "" : " (yours to set in the script)\n";
    for (const std::string& one : check.differs) {
        text += "check: " + one + "\n";
    }
    return text + asked + findingsText({.findings = check.findings});
}

}  // namespace fabricast
