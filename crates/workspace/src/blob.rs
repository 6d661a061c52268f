//! The name that git gives to what is in a file, so that it can be told whether git has the file as it is.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A larger file is taken for another one.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// Whether a file is what git has under this name. Line ends that git may have changed make no difference; whatever else does,
/// such as a filter that encrypts, makes it another file. Names of 32 bytes are not worked out.
pub(crate) fn is_same(path: &Path, name: &[u8]) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    if read.is_err() || u64::try_from(bytes.len()).is_ok_and(|length| length > MOST_BYTES) {
        return false;
    }
    name_of(&bytes) == name || (bytes.contains(&b'\r') && name_of(&unix(&bytes)) == name)
}

fn unix(bytes: &[u8]) -> Vec<u8> {
    let next = bytes.iter().skip(1).chain([&0]);
    bytes.iter().zip(next).filter(|pair| *pair != (&b'\r', &b'\n')).map(|(byte, _)| *byte).collect()
}

fn name_of(bytes: &[u8]) -> [u8; 20] {
    let mut all = format!("blob {}\0", bytes.len()).into_bytes();
    all.extend_from_slice(bytes);
    sha1(&all)
}

/// SHA-1, which is what names are made with. It vouches for nothing here: who could forge it already knows the file.
fn sha1(bytes: &[u8]) -> [u8; 20] {
    let bits = u64::try_from(bytes.len()).unwrap_or(u64::MAX).wrapping_mul(8);
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).div_ceil(64) * 64 - 8, 0);
    padded.extend_from_slice(&bits.to_be_bytes());
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded.chunks_exact(64) {
        let mut words: Vec<u32> = Vec::with_capacity(80);
        let number = |four: &[u8]| four.iter().fold(0, |number: u32, byte| number << 8 | u32::from(*byte));
        words.extend(block.chunks_exact(4).map(number));
        for at in 16..80 {
            let back = |steps: usize| words.get(at - steps).copied().unwrap_or_default();
            words.push((back(3) ^ back(8) ^ back(14) ^ back(16)).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in words.iter().enumerate() {
            let (mix, constant) = match at {
                0..20 => ((b & c) | (!b & d), 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(mix).wrapping_add(e).wrapping_add(constant).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(part);
        }
    }
    let mut name = [0; 20];
    for (to, from) in name.iter_mut().zip(state.iter().flat_map(|part| part.to_be_bytes())) {
        *to = from;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{is_same, name_of};
    use std::process::Command;

    #[test]
    fn names_are_those_of_git() {
        let folder = tempfile::tempdir().unwrap();
        for (length, end) in
            [(0, ""), (1, "\n"), (47, ""), (48, "\r\n"), (55, ""), (56, ""), (64, "x"), (100_000, "\n")]
        {
            let text = format!("{}{end}", "aé".repeat(length));
            let path = folder.path().join("f");
            std::fs::write(&path, &text).unwrap();
            let mut git = Command::new("git");
            let out = git.args(["hash-object", "--no-filters"]).arg(&path).output().unwrap();
            let hex: String = name_of(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, String::from_utf8_lossy(&out.stdout).trim(), "{length}");
            assert!(is_same(&path, &name_of(text.replace("\r\n", "\n").as_bytes())), "{length}");
            assert!(!is_same(&path, &name_of(b"else")) && !is_same(&path, &[]), "{length}");
        }
    }
}
