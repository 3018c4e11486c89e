#!/bin/bash
# llama-3.2-1b on 1 x 8x-rtx-4090 (8 rtx-4090), megatron, dp=8,shard=zero1, recompute=none, bf16 adamw, sequence 4096, global batch 8
# Forecast: FITS (18.0 of 23.6 GiB), 0.974 s a step, 33655 tokens/s
# Made for megatron 0.19 by fabricast 0.1.0:
#   fabricast emit -C /tmp/fabricast_test_10278/ -m llama-3.2-1b -c 8x-rtx-4090 --stack megatron
set -euo pipefail
cd "$(dirname "$0")"

: "${MEGATRON:?the folder of Megatron-LM}"

ARGUMENTS=(
    # model
    --num-layers 16
    --hidden-size 2048
    --ffn-hidden-size 8192
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --kv-channels 64
    --swiglu
    --normalization RMSNorm
    --disable-bias-linear
    --position-embedding-type rope
    --make-vocab-size-divisible-by 128
    # layout
    --tensor-model-parallel-size 1
    --pipeline-model-parallel-size 1
    --context-parallel-size 1
    --use-distributed-optimizer
    # batch
    --micro-batch-size 1
    --global-batch-size 8
    --seq-length 4096
    --max-position-embeddings 131072
    # precision and optimizer
    --bf16
    --optimizer adam
    # kernels and recomputation
    --transformer-impl transformer_engine
    --attention-backend fused
    --attention-dropout 0.0
    --hidden-dropout 0.0
)

# Yours to set: what to read, for how long, and numbers of the model that change no
# shape. Take the base and the scaling of its rotary positions, the epsilon of its norms and
# the scaling of its router from its config.json. The end of a document comes on top of
# the vocabulary of NullTokenizer; other tokenizers know their own.
YOURS=(
    --mock-data --tokenizer-type NullTokenizer --vocab-size 128255
    --train-iters "${STEPS:-100}" --lr "${LR:-3e-4}"
    --log-interval 1 --log-throughput --eval-iters 0
)

exec torchrun --standalone --nproc-per-node 8 \
    "$MEGATRON/pretrain_gpt.py" "${ARGUMENTS[@]}" "${YOURS[@]}" "$@"
