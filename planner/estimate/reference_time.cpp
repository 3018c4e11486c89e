#include "planner/estimate/reference_time.h"

namespace fabricast {

std::string referenceTimeNote(const Settings& settings) {
    if (settings.reference == Reference::None) {
        return {};
    }
    if (settings.timesReference()) {
        return "the step has the forward of the reference model, and no generation of samples";
    }
    if (!settings.referenceModel.forward) {
        return "the step has no forward of the average of the weights; what its update takes is "
               "not modelled";
    }
    return {};  // not forecast: checkReferenceTime
}

Result<void> checkReferenceTime(const Settings& settings) {
    const ReferenceSettings& model = settings.referenceModel;
    if (settings.reference == Reference::None || !model.forward || settings.timesReference()) {
        return {};
    }
    const bool isOther = model.parameters > 0;
    return fail(Error::Code::Unsupported,
                isOther ? "settings.reference_model.parameters" : "settings.reference_model.dtype",
                std::string("the forward of a second model ") +
                    (isOther ? "of another size" : "whose products are in fp32") +
                    " is not modelled, and so the step time is not forecast",
                "--set settings.reference_model.forward=false, to forecast the step without it");
}

}  // namespace fabricast
