# All weights of a small model on one GPU, which is evaluated now and then.
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", dtype=torch.bfloat16)
arguments = TrainingArguments(
    output_dir="out",
    bf16=True,
    per_device_train_batch_size=2,
    gradient_checkpointing=True,
    eval_strategy="steps",
    eval_steps=500,
)
data = load_dataset("wikitext", "wikitext-103-v1")
trainer = Trainer(model=model, args=arguments, train_dataset=data["train"], eval_dataset=data["validation"])
trainer.train()
