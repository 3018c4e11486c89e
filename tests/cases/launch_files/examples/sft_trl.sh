#!/bin/bash
# Fine-tuning with Hugging Face's Trainer, in the arguments of TRL's sft.py.
torchrun --nproc_per_node 4 sft.py \
    --model_name_or_path meta-llama/Llama-3.1-8B \
    --max_length 4096 --per_device_train_batch_size 2 --gradient_accumulation_steps 8 \
    --fsdp "full_shard auto_wrap" --gradient_checkpointing True \
    --bf16 True --optim adamw_torch_fused --attn_implementation flash_attention_2 \
    --learning_rate 2e-5 --num_train_epochs 1 --output_dir out
