"""PEFT's adapters, and bitsandbytes' linears of 4 or 8 bits in place of torch's, on a model with random weights."""
import torch


def linear4(child, nested):
    import bitsandbytes as bnb
    new = bnb.nn.Linear4bit(child.in_features, child.out_features, bias=child.bias is not None, compute_dtype=torch.bfloat16,
                            compress_statistics=nested, quant_type="nf4", device="meta")
    new.weight = bnb.nn.Params4bit(child.weight.data, requires_grad=False, quant_type="nf4", compress_statistics=nested, module=new)
    return new


def linear8(child):
    import bitsandbytes as bnb
    new = bnb.nn.Linear8bitLt(child.in_features, child.out_features, bias=child.bias is not None, has_fp16_weights=False, device="meta")
    new.weight = bnb.nn.Int8Params(child.weight.data.to("cpu", torch.float16), requires_grad=False, has_fp16_weights=False)
    return new


def quantize(model, nested=True, bits=4):
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is not torch.nn.Linear or name in ("lm_head", "embed_out"):
                continue
            new = linear4(child, nested) if bits == 4 else linear8(child)
            if child.bias is not None:
                new.bias = child.bias
            child.weight = None
            new.cuda()
            setattr(parent, name, new)
    setattr(model, f"is_loaded_in_{bits}bit", True)
    torch.cuda.empty_cache()


def adapted(model, rank=16, alpha=32, dropout=0.0, dora=False, targets="all-linear"):
    from peft import LoraConfig, get_peft_model
    model = get_peft_model(model, LoraConfig(r=rank, lora_alpha=alpha, lora_dropout=dropout, use_dora=dora,
                                             target_modules=targets, task_type="CAUSAL_LM"))
    model.enable_input_require_grads()
    return model
