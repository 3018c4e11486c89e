#!/usr/bin/env python3
"""Writes a training script for each row of a table, from the flags of `fabricast explain`.

    FABRICAST=… write_scripts.py ROWS.csv FOLDER

`fabricast emit` writes the script; LoRA and QLoRA, which it does not have, are put in here. The model's config.json lies
beside it, so that nothing is downloaded.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FABRICAST = os.environ.get("FABRICAST", str(ROOT / "build/release/cli/fabricast"))
LINEARS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

ADAPTERS = """
from peft import LoraConfig, get_peft_model


def with_adapters(model):
    {quantize}model = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, target_modules={targets}, task_type="CAUSAL_LM"))
    model.enable_input_require_grads()
    return model

"""

QUANTIZE = """
import bitsandbytes as bnb


def quantize(model):
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if not isinstance(child, torch.nn.Linear) or name == "lm_head":
                continue
            new = bnb.nn.Linear4bit(child.in_features, child.out_features, bias=child.bias is not None,
                                    compute_dtype=torch.bfloat16, compress_statistics=True, quant_type="nf4",
                                    device="meta")
            new.weight = bnb.nn.Params4bit(child.weight.data, requires_grad=False, quant_type="nf4",
                                           compress_statistics=True, module=new)
            if child.bias is not None:
                new.bias = child.bias
            child.weight = None
            new.cuda()
            setattr(parent, name, new)
    model.is_loaded_in_4bit = True
    torch.cuda.empty_cache()

"""


def take(flags, name):
    """Removes a flag with its value, and returns that."""
    if name not in flags:
        return None
    at = flags.index(name)
    value = flags[at + 1]
    del flags[at:at + 2]
    return value


def targets_of(flags):
    for at, word in enumerate(flags):
        if word.startswith("settings.lora.targets="):
            names = [f"{target}_proj" for target in word.split("=")[1].split("+")]
            del flags[at - 1:at + 1]
            return names
    return LINEARS


def adapted(script, tuning, targets):
    """The script with adapters on a frozen base in bf16, or in 4 bits."""
    line = "    model.config.use_cache = False\n"
    script = script.replace(line, line + "    model = with_adapters(model)\n")
    script = script.replace("dtype=torch.float32", "dtype=torch.bfloat16")
    script = script.replace("AdamW(model.parameters()", "AdamW([p for p in model.parameters() if p.requires_grad]")
    quantised = tuning == "qlora"
    helpers = ADAPTERS.format(quantize="quantize(model)\n    " if quantised else "", targets=json.dumps(targets))
    return script.replace("\n\ndef main():", (QUANTIZE if quantised else "") + helpers + "\ndef main():")


def write(row, folder):
    flags = row["flags"].split()
    tuning = take(flags, "--tuning")
    targets = targets_of(flags)
    stack = flags[flags.index("--stack") + 1]
    model = flags[flags.index("-m") + 1]
    command = [FABRICAST, "emit", *flags, "--gpu", row["gpu"], "--gpus", "1", "--target", stack, "--out", str(folder)]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)  # what does not fit ends with 1, and is written
    script = folder / "train.py"
    if tuning:
        script.write_text(adapted(script.read_text(), tuning, targets))
    config = json.loads((ROOT / f"hardware_profiles/models/{model}.json").read_text())["config"]
    (folder / "config.json").write_text(json.dumps(config))


def main():
    folder = pathlib.Path(sys.argv[2])
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        write(row, folder / row["id"])
    (folder / "order.txt").write_text("\n".join(row["id"] for row in rows))


if __name__ == "__main__":
    main()
