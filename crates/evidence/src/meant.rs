//! What may be a claim and is one by what the log and the prompt say: files that are described, and fixes that are told as what
//! is right now.

use crate::deeds::{Deeds, What};
use crate::files;
use crate::linted;
use crate::pattern::patterns;
use crate::prove;
use crate::said::{Manner, Said};
use reasonix_proto::{ClaimKind, ClaimStatus};

patterns! {
    DEFECT = r"\b(?:bugs?|wrong\w*|brok\w+|breaks?|crash\w*|fail\w*|errors?|drops?|dropped|los[et]\w*|lost|missing|incorrect\w*|hangs?|leak\w*|stuck|twice|duplicat\w+|off by|fix\w*|issues?|regress\w*|throw[sn]?|rais(?:es|ed)|panics?|stale|instead of|should|lacks?|flak\w+|slow\w*|jump\w*|exits?|dies|quits?|gives? up|flicker\w*|overflow\w*|truncat\w*|garbled|ignor\w+|sometimes|race|deadlock\w*|corrupt\w*|not|never|can't|cannot|complain\w*|repair|stops?|freez\w+|reject\w*|swallow\w*|skips?|even (?:though|when|if))\b|n't|错|不对|不准|崩|失败|丢|漏|卡|挂|修|异常|乱码|重复|无法|不能|没有?|不[了到会清见出动上下开着]|不生效|空白|闪|超时|慢|问题|溢出|失效|误|缺";
    LONGER = r"\b(?:ok|no) longer\b|[已不]再";
    WORD = r"[a-z]{3,}";
    LETTERS = r"[\x{4e00}-\x{9fff}]+";
    COMMON = r"^(?:the|and|for|not|are|was|can|you|has|had|its|but|all|any|out|one|two|get|set|use|new|run|add|fix|see|now|too|may|let|due|who|how|why|our|off|per|try|via|yet|pls|your|there|their|these|those|does|doesn|isn|don|longe|every|each|same|like|just|look|long|with|that|this|when|from|have|been|will|does|also|only|then|than|they|them|were|what|where|which|while|after|before|again|work|fix|fixe|issue|probl|bug|test|tests|corre|prope|show|make|code|file|into|more|most|some|such|now|still|just|should|pleas|could|would|thing|every|error)$|^(?:现在|已经|问题|一下|这个|修复|解决|正常|正确|可以|不再|已再|不会|会再|时候|然后|没有|之后|怎么|为什|什么|报错|出现|修好|功能|返回|显示)$";
}

/// True when this is a claim: by its words, or by what the log and the prompt say to it.
pub(crate) fn is(deeds: &Deeds, said: &Said, all: &[Said]) -> bool {
    let written = |said: &Said| prove::proof(deeds, said).status == ClaimStatus::Verified;
    match said.manner {
        Manner::Said => true,
        // Of several in one breath all are said to have been changed where one was.
        Manner::Described if said.kind == ClaimKind::File => {
            let beside = |other: &&Said| other.range == said.range && other.manner == said.manner;
            let named = said.paths.iter().all(|path| !files::paths(path).is_empty());
            written(said) || (named && all.iter().filter(beside).any(written))
        }
        Manner::Described => written(said),
        Manner::Listed(start) => {
            // Those of it that are told by other words count, too.
            let end = all.iter().filter(|other| other.manner == said.manner).map(|other| other.range.end).max();
            let told = |other: &&Said| {
                other.kind == ClaimKind::File
                    && other.manner == Manner::Said
                    && start <= other.range.start
                    && Some(other.range.start) < end
            };
            let list: Vec<&Said> = all.iter().filter(|other| other.manner == said.manner || told(other)).collect();
            let good = list.iter().filter(|other| written(other)).count();
            written(said) || good * 2 >= list.len()
        }
        Manner::Restated => {
            // What a linter found is another matter.
            let fixes = |other: &&Said| other.kind == ClaimKind::Fix && linted::found_by(&other.words).is_none();
            let first = all
                .iter()
                .filter(fixes)
                .all(|other| other.manner == Manner::Restated && other.range.start >= said.range.start);
            let changed = deeds.done.iter().skip(deeds.turn).any(|deed| matches!(deed.what, What::Wrote(_)));
            let common = shared(&said.words, &deeds.prompt);
            // What is no longer so was wrong, even where the prompt only says that it is so.
            let wrong = DEFECT.fits(&deeds.prompt) || (LONGER.fits(&said.words) && common > 2);
            changed && first && wrong && common > 1
        }
    }
}

/// How many words that say something a text has in common with another.
fn shared(text: &str, other: &str) -> usize {
    let (own, theirs) = (stems(text), stems(other));
    own.iter().filter(|stem| theirs.contains(stem) && !COMMON.fits(stem)).count()
}

/// The beginnings of its words in English, and the pairs of its signs in Chinese.
fn stems(text: &str) -> Vec<String> {
    let words = WORD.all(text).into_iter().map(|(_, word)| word.get(..word.len().min(5)).unwrap_or(word).to_owned());
    let pairs = LETTERS.all(text).into_iter().flat_map(|(_, run)| {
        let signs: Vec<char> = run.chars().collect();
        signs.windows(2).map(|pair| pair.iter().collect::<String>()).collect::<Vec<String>>()
    });
    let mut found: Vec<String> = words.chain(pairs).collect();
    found.sort_unstable();
    found.dedup();
    found
}
