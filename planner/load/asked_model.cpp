#include "planner/load/asked_question.h"
#include "planner/load/find_named.h"
#include "planner/load/said_sizes.h"

#include <string>
#include <utility>

namespace fabricast {

namespace {

using namespace std::string_literals;

constexpr const char* kSomeModel = "-m llama-3.1-8b";

/// Whether a run of `run`, which may be for shorter sequences, can be one of `known`.
bool isSameModel(ModelSpec run, ModelSpec known) {
    if (run.maxPositions > known.maxPositions) {
        return false;
    }
    run.name = known.name;
    run.notes = known.notes;
    run.maxPositions = known.maxPositions;
    return run == known;
}

/// The one known model of this architecture; the model's own where there is none, or more.
std::string knownName(const ModelSpec& model, const ProfileStore& profiles) {
    std::string name;
    for (const ProfileFile& file : profiles.files(ProfileKind::Model)) {
        const Result<ModelProfile> known = parseModelProfile(file.text, file.source);
        if (known && isSameModel(model, known->model)) {
            if (!name.empty()) {
                return model.name;
            }
            name = known->model.name;
        }
    }
    return name.empty() ? model.name : name;
}

}  // namespace

Result<void> checkGiven(const ScenarioRequest& request) {
    const bool hasModel = !request.model.is(JsonValue::Kind::Null);
    if (hasModel || !request.cluster.name.empty() || !request.cluster.gpu.empty()) {
        return {};
    }
    const std::string what = "no model and no cluster given";
    return fail(
        Error::Code::BadInput,
        "model",
        request.madeOf.empty() ? what : what + ": " + request.madeOf + " names neither of them",
        kSomeModel + " -c dgx-h100"s);
}

Result<ModelSpec> modelOf(const ScenarioRequest& request,
                          const ProfileStore& profiles,
                          const Folders& folders) {
    if (request.model.is(JsonValue::Kind::Null)) {
        if (std::optional<ModelSpec> known = modelOfSizes(request.importedSizes, profiles)) {
            return *std::move(known);
        }
        const bool isMade = !request.madeOf.empty();  // of a launch file
        return fail(Error::Code::BadInput,
                    "model",
                    isMade ? "no model given: " + request.madeOf + " does not name what it trains"
                           : "no model given",
                    kSomeModel + ", or -m FOLDER with the model's config.json"s);
    }
    if (request.model.is(JsonValue::Kind::Object)) {
        FABRICAST_ASSIGN(ModelProfile inPlace, readModelProfile(request.model, "model"));
        if (request.model.find("name") == nullptr) {
            inPlace.model.name = knownName(inPlace.model, profiles);
        }
        return std::move(inPlace.model);
    }
    FABRICAST_ASSIGN(const std::string name, request.model.text());
    const bool typed = request.model.line() == 0;
    FABRICAST_ASSIGN(ModelProfile profile,
                     findModel(name,
                               profiles,
                               {.folder = typed ? folders.typed : folders.file,
                                .where = request.model.where(),
                                .known = folders.known}));
    return std::move(profile.model);
}

void addModelNotes(const ModelSpec& model, std::vector<std::string>& assumed) {
    for (const std::string& note : model.notes) {
        assumed.push_back(model.name + ": " + note);
    }
}

}  // namespace fabricast
