//! The parts of a project that a claim speaks of by a label or as its subject: what ran in the folder of one proves nothing
//! of another, in whatever language it is called.

use crate::grammar;
use crate::halves::HALVES;
use crate::pattern::patterns;
use crate::runners;

/// Names that are joined, in both languages.
const JOINED: &str = r"(?:,? (?:and|or) (?:the |our )?| ?(?:和|与|及|以及|、|/) ?)";

/// What a part of a project is, in both languages.
const NOUN: &str = r"(?:service|app|application|firmware|module|package|crate|library|project|side|固件|模块|程序|工程|项目|服务|组件|部分|镜像|应用|侧|端|这边|那边|包|库)";

patterns! {
    LABEL = format!(r"^[\s\d.)#|*+•✅✓✔-]*`?((?:[a-z][a-z0-9_./-]*|[\x{{4e00}}-\x{{9fff}}]{{2,8}})(?:[ `]+{NOUN})?)`?\**\s*[:：|—–]");
    ITEM = r"^\s*(?:[-*+•|]|\d+[.)])\s*[*`✅✓✔\s]*([a-z][a-z0-9_./-]*(?: [a-z0-9_./-]+){0,2})[`*]*\s*[:：|—–]";
    OBJECT = r"\b(?:compiled|built|rebuilt|assembled|linked|builds? of|compilation of|building|compiling) (?:the |our |`)`?([a-z][\w./-]+)|(?:编译|构建|打包)(?:了|过)?\s*`?([a-z][a-z0-9_./-]*)";
    TESTS_OF = r"([a-z][\w./-]+)`?['’]s (?:\w+ )?(?:tests?|suite|specs)\b|\bthe `?([a-z][\w./-]+)`? (?:(?:now|also|still) )*pass(?:es|ed)? (?:all )?(?:of )?its\b|([a-z][a-z0-9_./-]*)`? ?的(?:全部|所有)?(?:单元|集成)?(?:测试|用例|单测)|\b(?:tests?|suite) (?:of|for) the `?([a-z][\w./-]+)";
    SUBJECT = format!(r"(?:^[\s*+•|✅✓✔-]*|\b(?:the|our|both|and|that)\s|[,:] )`?([a-z][\w./-]+`?(?: [\w./-]+`?)?(?:{JOINED}`?[a-z][\w./-]+`?(?: [\w./-]+`?)?)*) (?:(?:now|also|still|all|both|itself|is|was|were|are|has been|have been) )*(?:compiles?|builds?|assembles?|links|built|compiled|assembled)\b");
    SUBJECT_ZH = format!(r"((?:[a-z][a-z0-9_./-]*`?{JOINED}`?)*[a-z][a-z0-9_./-]*)`? ?(?:固件|模块|程序|工程|项目|服务|组件|部分|镜像|应用|侧|端|这边|那边|这块|那块|这部分|那部分)?(?:[（(][^()（）]{{0,24}}[)）])?(?:的)?(?:也|都|均|已|已经|能|能够|可以|正常|顺利|重新|现在|全部|分别|成功|\s)*(?:编译|构建|打包|编过)");
    PLACE = r"^[\s*+•-]*(?:in|under|inside|within) (?:the )?`?([a-z][\w./-]*)`?(?: (?:folder|directory|dir))?[,:]? `|([a-z][a-z0-9_./-]*)`? ?(?:目录|文件夹)?(?:下|里|中)(?:面)?(?:的)?(?:跑|运行|执行)?(?:了)? ?`";
    OWN = r"([a-z][\w./-]+)`?(?:['’]s)? (?:service|app|application|firmware|subproject)(?:['’]s)?\b|([a-z][a-z0-9_./-]*|[\x{4e00}-\x{9fff}]{2})`? ?(?:服务|应用|固件|子项目)";
    OF_ZH = r"(?:^|[\s，,：:、；;*+•✅✓✔-])([\x{4e00}-\x{9fff}]{1,6}(?:程序|模块|固件|服务|端|台|器|库|插件|组件|工程|项目|镜像|网关|驱动|内核|系统))(?:也|都|均|已|已经|能|能够|可以|正常|顺利|重新|现在|的|\s)*(?:编译|构建|打包|编过)";
    EACH = format!(r"[:：]\s*`?([a-z][a-z0-9_./-]*`?(?:{JOINED}`?[a-z][a-z0-9_./-]*`?)*)\s*(?:均|都|全部|也|已|编译|构建|打包)+(?:成功|通过|正常|没问题|ok)");
    HEADED = r"^\s*(?:#+ |\*\*[^*]+\*\*\s*[:：]?\s*$|__[^_]+__\s*$)|^[^|]{1,40}[:：]\**\s*$";
    LISTED = r"^\s*(?:[-*+•|]|\d+[.)、])";
    JOINS = JOINED;
    PIECE = r"[a-z][a-z0-9_./-]*|[\x{4e00}-\x{9fff}]+";
    LATIN = r"^[a-z]";
    NUMBERED = r"^v?\d";
    PLAIN_ZH = r"编译|构建|打包|测试|用例|单测|单元|集成|回归|验证|检查|校验|自测|自检|结果|状态|情况|类型|格式|静态|语法|代码|本地|最终|整体|目前|现在|当前|项目|工程|固件|应用|程序|服务|模块|组件|部分|镜像|全部|所有|整个|通过|成功|运行|执行|输出|改动|修改|修复|说明|结论|总结|质量|产物|发布|生产|环境|命令|的|了|也|都|均|已|和|与|端|侧|前|后|客户|新|旧|全量|完整|进度|完成|步骤|日志|版本|阶段|确认|复查|收尾|警告|错误|规范|风格|依赖|这边|那边|另外|此外|其中|同时|并且|而且|不过|但|我|他|它|两|三|个|种|次|遍|再|又|还";
}

/// Words that name no part of a project.
const PLAIN: &str = "\
    the a an it its our my this that these those which they all both each every everything now still also and or \
    full whole entire complete release debug production prod development dev final clean fresh local new old same \
    other code codebase source sources project projects workspace repo repository tree crate crates package packages \
    module modules library lib app apps application program binary binaries executable firmware image images \
    container bundle target targets service services solution site docs documentation extension plugin build builds \
    compile compilation compiler test tests testing suite spec specs unit integration e2e lint linter linting types \
    type typecheck format formatting style check checks result results status verification validation verify summary \
    outcome output evidence proof done note ci side half part end back front backend frontend server client web api \
    rust go golang python java kotlin swift ruby php typescript javascript node c dart elixir scala linux macos \
    windows docker change changes version i we you then so but there here file files ok jest vitest pytest quick \
    last static analysis smoke coverage total ran run what how is are was were to by with for of in on after again \
    wheel sdist jar apk bin cli main core existing remaining following resulting updated refactored changed affected \
    successfully cleanly locally currently finally verified tested checked built compiled rebuilt scratch confirmed \
    bonus sanity good news worth noting quality safety hygiene notes details housekeeping overview fixes fix \
    refactoring cleanup risks caveats limitations next steps todo follow-up followup did why where implementation \
    behaviour behavior tldr tl;dr checklist report highlights scope context background cause root approach me happy \
    overall everything-else env environment toolchain staging nightly optimized incremental refactor patch endpoint \
    handler component feature function class method struct page screen view hook migration model script header \
    template";

/// True when a claim names a part of a project that is not known to be here.
pub(crate) fn is_foreign(words: &str, here: impl Fn(&str) -> bool) -> bool {
    let subjects = [&LABEL, &ITEM, &SUBJECT, &SUBJECT_ZH, &OF_ZH, &EACH, &OBJECT, &PLACE, &OWN, &TESTS_OF];
    let spoken = subjects.iter().flat_map(|pattern| pattern.all(words)).map(|(_, phrase)| phrase);
    let known = |(whole, piece): &(&str, String)| here(whole) || here(piece);
    let foreign = |phrase: &str| {
        let pieces = PIECE.all(phrase).into_iter().filter_map(|(_, piece)| Some((piece, specific(piece)?)));
        let pieces: Vec<(&str, String)> = pieces.collect();
        !pieces.is_empty() && !pieces.iter().any(known)
    };
    spoken.into_iter().any(|phrase| apart(phrase).into_iter().any(foreign))
}

/// The heading that a place of a text stands under: of a list the line before it, of an item within an item that one.
pub(crate) fn heading(text: &str, at: usize) -> String {
    let lead = text.get(at..).map_or(0, |rest| rest.len() - rest.trim_start().len());
    let begins = text.get(..at + lead).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let (above, own) = (text.get(..begins).unwrap_or_default(), text.get(begins..).unwrap_or_default());
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut depth = indent(own);
    for line in above.lines().rev().filter(|line| !line.trim().is_empty()) {
        let marked = HEADED.fits(line);
        let item = !marked && LISTED.fits(line);
        let within = item && indent(line) < depth;
        depth = depth.min(indent(line));
        if marked || within {
            let name = line.trim().trim_matches(['#', '*', '_', '-', '+', '•', ':', '：', '`', ' ']);
            return format!("{}:", name.to_ascii_lowercase());
        }
        if !item {
            return String::new();
        }
    }
    String::new()
}

/// The names that are joined in a phrase.
fn apart(phrase: &str) -> Vec<&str> {
    let (mut found, mut start) = (Vec::new(), 0);
    for (joint, _) in JOINS.all(phrase) {
        found.extend(phrase.get(start..joint.start));
        start = joint.end;
    }
    found.extend(phrase.get(start..));
    found
}

/// True when a word names a part of this project, or a half of any.
pub(crate) fn names_part(word: &str) -> bool {
    let word = word.trim_matches(['`', '/', '.']);
    const PARTS: &[&str] = &["core", "cli", "app", "lib", "docs", "site", "common", "shared", "worker"];
    HALVES.contains(&word) || PARTS.contains(&word) || specific(word).is_some()
}

/// A word as far as it may name something; none for one that any project has.
pub(crate) fn specific(word: &str) -> Option<String> {
    if LATIN.fits(word) {
        let word = word.trim_matches(['`', '/', '.']);
        let tool = || grammar::TOOLS.contains(&word) || runners::KNOWN.contains(&word);
        return (word.len() > 1 && !PLAIN.split(' ').any(|plain| plain == word) && !NUMBERED.fits(word) && !tool())
            .then(|| word.to_owned());
    }
    let rest = PLAIN_ZH.blanked(word).split_whitespace().collect::<String>();
    (rest.chars().count() > 1).then_some(rest)
}
