# LoRA with TRL, whose arguments stand in the program.
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer

quantized = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True)
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B", quantization_config=quantized,
                                             attn_implementation="flash_attention_2")
adapters = LoraConfig(r=32, lora_alpha=64, lora_dropout=0.05, target_modules="all-linear")
arguments = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=2,
    gradient_accumulation_steps=4,
    max_length=4096,
    bf16=True,
    optim="paged_adamw_8bit",
    gradient_checkpointing=True,
)
trainer = SFTTrainer(model=model, args=arguments, train_dataset=load_dataset("tatsu-lab/alpaca"), peft_config=adapters)
trainer.train()
