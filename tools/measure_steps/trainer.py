#!/usr/bin/env python3
"""A plain Trainer's program, for the arguments that run.sh of `fabricast emit --stack accelerate|deepspeed` has.

Random weights of the config.json that --model_name_or_path holds, made on the GPU, and random tokens. Waits for the
file that MEASURE_GO names before it takes the GPU, and records to MEASURE_RESULT as measure_steps.py does.
"""
import dataclasses
import json
import os
import pathlib
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments
from transformers.integrations import is_deepspeed_zero3_enabled

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import adapters  # noqa: E402
import measure_steps  # noqa: E402


@dataclasses.dataclass
class Own:
    model_name_or_path: str = "."
    max_length: int = 1024
    dtype: str = "float32"
    attn_implementation: str = "sdpa"
    packing: bool = False
    packing_strategy: str = ""
    use_peft: bool = False
    lora_r: int = 16
    lora_alpha: int = 32
    lora_dropout: float = 0.0
    lora_target_modules: list[str] = dataclasses.field(default_factory=lambda: ["all-linear"])
    use_dora: bool = False
    load_in_4bit: bool = False
    load_in_8bit: bool = False
    use_bnb_nested_quant: bool = False
    bnb_4bit_quant_type: str = "nf4"


class Tokens(torch.utils.data.Dataset):
    def __init__(self, length, vocab):
        self.length, self.vocab = length, vocab

    def __len__(self):
        return 100000

    def __getitem__(self, at):
        ids = torch.randint(self.vocab, (self.length,))
        return {"input_ids": ids, "labels": ids}


class Measure(TrainerCallback):
    def __init__(self, recorder):
        self.recorder = recorder

    def on_step_end(self, args, state, control, **kwargs):
        self.recorder.hook(None, None, None)


def model_of(own):
    config = AutoConfig.from_pretrained(own.model_name_or_path).get_text_config()
    dtype = getattr(torch, own.dtype) if own.dtype != "auto" else config.dtype
    make = lambda: AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation=own.attn_implementation)
    if is_deepspeed_zero3_enabled():
        model = make()
    else:
        with torch.device("cuda"):
            model = make()
        if os.environ.get("ACCELERATE_USE_FSDP") == "true":
            model = measure_steps.on_host(model)
    model.config.use_cache = False
    if own.load_in_4bit or own.load_in_8bit:
        adapters.quantize(model, nested=own.use_bnb_nested_quant, bits=4 if own.load_in_4bit else 8)
    if own.use_peft:
        targets = own.lora_target_modules
        model = adapters.adapted(model, rank=own.lora_r, alpha=own.lora_alpha, dropout=own.lora_dropout, dora=own.use_dora,
                                 targets=targets[0] if len(targets) == 1 and targets[0] == "all-linear" else targets)
    return model, config.vocab_size


def train(own, args, recorder):
    model, vocab = model_of(own)
    args.save_strategy = "no"
    args.report_to = []
    args.remove_unused_columns = False
    args.max_steps = 100000
    args.disable_tqdm = True
    Trainer(model=model, args=args, train_dataset=Tokens(own.max_length, vocab), callbacks=[Measure(recorder)]).train()


def main():
    result = pathlib.Path(os.environ["MEASURE_RESULT"])
    measure_steps.wait_for_go()
    out = {"row": os.environ["MEASURE_ROW"]}
    monitor = measure_steps.Monitor()
    recorder = measure_steps.Recorder(monitor, monitor.used(), lambda so_far: result.write_text(json.dumps({**out, **so_far})))
    monitor.start()

    def body():
        own, args = HfArgumentParser((Own, TrainingArguments)).parse_args_into_dataclasses()
        train(own, args, recorder)

    result.write_text(json.dumps(measure_steps.recorded(out, recorder, body)))
    os._exit(0)


if __name__ == "__main__":
    main()
