//! Claims about files, in English and Chinese: that a named file was made, changed, removed or moved.

use crate::clause::{self, Clause};
use crate::pattern::{Pattern, patterns};
use std::ops::Range;

/// What is said of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filed {
    pub(crate) range: Range<usize>,
    pub(crate) paths: Vec<String>,
    pub(crate) deed: Deed,
}

/// What is said to have been done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Deed {
    #[default]
    Changed,
    Gone,
    Moved,
}

/// A file as prose names it.
macro_rules! path_pattern {
    () => {
        r"(?:`?(?:[a-z0-9_@.+/\[\]-]*[a-z0-9_@+\]-]\.(?:rs|pyi?|ipynb|jsx?|tsx?|mjs|cjs|mts|cts|go|mod|sum|java|kts?|scala|c|h|cpp|hpp|cc|hh|cxx|cs|csproj|sln|rb|erb|php|swift|md|mdx|rst|adoc|toml|jsonc?|json5|ya?ml|html?|s?css|less|sass|sh|bash|zsh|ps1|bat|sql|txt|lock|vue|svelte|astro|exs?|erl|zig|nim|lua|xml|gradle|properties|cfg|conf|ini|env|proto|graphql|prisma|tf|cmake|mk|dart|hs|ml|clj|jl|pl|pm|csv|tsv|snap|svg|service|rake|gemspec|podspec|groovy|tfvars|tftest|hcl|nix|bzl|bazel|j2|jinja2?|tmpl|tpl|hbs|ejs|pug|haml|slim|twig|cshtml|razor|fs|fsx|elm|glsl|wgsl|hlsl|sol|thrift|avsc|xsd|plist|storyboard|xib|strings|pot?|ftl|arb|resx|desktop|rego|cue|jsonnet|libsonnet|fish|psm1|bats|feature|robot|rmd|qmd|tex|bib|eex|heex|leex|purs|svx|slint|qml|kdl|ron|pbxproj|xcconfig|entitlements|fsproj|vbproj|nuspec|cabal|opam|dockerfile|tfstate|ino|asm|cu|vhdl|cairo|liquid|njk|postcss|styl|webmanifest|sparql|lean|thy|raku|tcl|awk|tool-versions|nvmrc|python-version|props|targets|slnx|wxml|wxss|ets|jsp|pyx|pxd|bicep|mjml|mli|mll|mly|lhs|hrl|svh|f90|f95|f03|rkt|scm|tscn|wat|jsonl|ndjson|tpp|hxx|xlsx?|docx|pptx|parquet|pdf|png|jpe?g|resi|adb|vb|apib|raml|xaml|axaml|resw)\b|[a-z0-9_@.-]+(?:/[a-z0-9_@.-]+)*/[a-z0-9_@.-]*[a-z0-9_-]\.(?:r|m|v|d|f|s|mm|sv|vh|cr|gd|el|nu|res|cls|pas|ads|vim|inl|metal|vert|frag|wit|typ)\b|(?:[a-z0-9_.-]+/)*(?:\b(?:makefile|dockerfile|gemfile|rakefile|procfile|justfile|readme|license|changelog|vagrantfile|jenkinsfile|brewfile|fastfile|podfile|guardfile|codeowners|caddyfile|tiltfile|cmakelists\.txt)\b|\.(?:gitignore|gitattributes|env(?:\.[a-z]+)*|dockerignore|editorconfig|npmrc|nvmrc|eslintrc|prettierrc|prettierignore|eslintignore|helmignore|rubocop|flake8|babelrc|browserslistrc|npmignore|bazelrc|tool-versions|clang-format|clang-tidy|gitmodules|mailmap|htaccess)\b))`?|`[a-z0-9_@.+/\x{4e00}-\x{9fff}-]*[\x{4e00}-\x{9fff}][a-z0-9_@.+/\x{4e00}-\x{9fff}-]*\.(?:xlsx?|docx?|pptx?|pdf|csv|tsv|md|txt|html?|jsonl?|ya?ml|sql|py|sh|ipynb|png|jpe?g|svg|parquet)`)"
    };
}

pub(crate) use path_pattern;

/// Several of them.
macro_rules! list {
    () => {
        concat!(path_pattern!(), r"(?:(?:\s|,|，|、|&|\+|\band\b|和|及|与|以及)+", path_pattern!(), r")*")
    };
}

macro_rules! verb {
    () => {
        r"\b(?:created|added|wrote|written|updated|modified|edited|changed|rewrote|rewritten|deleted|removed|renamed|moved|adapted|adjusted|documented|implemented|refactored|introduced|inserted|replaced|extended|bumped|upgraded|downgraded|pinned|patched|tweaked|simplified|cleaned up|extracted|merged|migrated|ported|converted|switched|configured|registered|appended|prepended|dropped|relaxed|tightened|touched|reverted|restored|generated|regenerated|scaffolded|saved|reformatted|formatted|annotated|wired|recorded|noted|described|reworked|restructured|copied|enabled|disabled|stripped|trimmed|inlined|deduplicated|centralized|rewired|expanded|included|made|got rid of|gotten rid of|wiped|erased|purged|cleaned out|relocated|transferred|emptied|overhauled|revised|amended|corrected|fleshed out|rewired|hooked up|pulled(?: out)?|lifted|factored out|put|placed|stored|defined|declared|exported|imported|exposed|applied|set|filled in|completed|rewired|fixed up|shortened|shrunk|reordered|localized|hardened|unified|consolidated|modernized|renumbered|redone|split up|split|reduced|lowered|increased|decreased|synced|vendored|laid out|drafted|authored|set up|built out|parameterized|parametrized|memoized|hoisted|flattened|brought (?:up to date|in line|into line|up to speed))\b"
    };
}

/// What a file is called before it is named.
macro_rules! noun {
    () => {
        r"the|an?|new|files?|both|existing|unused|old|empty|missing|my|our|your|obsolete|legacy|stale|one|two|three|four|five|\d+|several|following|also|config|configuration|small|short|up|out|this|that|these|redundant|dead|temporary|leftover|deprecated|duplicated?|stray|now-unused|(?:ok|no) longer (?:needed|used|required)|modules?|components?|helpers?|scripts?|classes|class|pages?|tests?|migrations?|hooks?|services?|controllers?|models?|views?|workflows?|headers?|sources?|templates?|fixtures?|snapshots?|manifests?|docs?|documents?|guides?|regression|unit|integration|only|single|just"
    };
}

macro_rules! zh_verb {
    () => {
        r"(?:创建|新建|新增|添加|增加|补充|补上|补齐|加上|加入|编写|写入|更新|修改|改动|改为|改成|改用|调整|删除|删掉|删去|移除|移动|移到|移至|挪到|重写|重命名|改名|重构|替换|换成|换为|升级|升到|降级|引入|实现|优化|拆分|抽取|抽到|抽出|提取|记录|完善|整理|迁移|同步|说明|注明|写明|描述|标注|[清砍扔拿撤剔裁]掉|清理掉|清理|清除|清空|精简|导出|产出|瘦身|写好|写完|写进|写了|新写|新加|补写|放进|放到|落在|挪进|抹掉|配置|生成|注册|去掉|去除|恢复|回滚|简化|封装|统一|设置|设为|设成|接入|挂载|挂上|接上|打通|兜底|落地|收敛|收口|追加|插入|改写|修正|修复|修掉|纠正|下线|启用|禁用|对接|适配|补全|合并|拆成|登记|改造|换用|重排|缩减|加固|精调|[挂塞嵌纳并](?:到|进|入|在)|删\s*(?:[。，；]|$)|(?:加|补|改|删|写|移|换|拆|抽|挪|放|调|升|动)(?:了|到|进|成|为|上|好|掉|至|在))"
    };
}

pub(crate) use zh_verb;

patterns! {
    MOVED = concat!(r"\b(?:moved|renamed)\s+(?:(?:the|file|module|script)\s+)*(", path_pattern!(), r"(?:(?:\s+file)?\s*(?:\bto\b|\binto\b|\bas\b|→|->|=>)\s*(?:the\s+)?", path_pattern!(), r")?)");
    MOVED_PASSIVE = concat!("(", path_pattern!(), r")(?:\s+file)?\s+(?:was|has been|is|have been|were)(?:\s+(?:now|also))?\s+(?:moved|renamed)\b(?:\s+(?:to|into|as)\s+", path_pattern!(), ")?");
    DIRECT = concat!(verb!(), r"(?:[\s,:(]+(?:", noun!(), r"))*[\s,:(]+(", list!(), ")");
    NEW = concat!(r"\bnew\s+(?:[a-z]+\s+)?(?:file|module|script|component|helper|class|tests?|migration|package|page|hook|service|config|workflow|fixture|role|chart|playbook|target|plugin|middleware|endpoint|route|schema|table|type|module|spec|suite|script|crate|library|guard|entry|dockerfile|stage|job|pipeline|stylesheet|layout|partial|context|store|reducer|adapter|client|handler|query|resolver|worker|job|task|command|document|doc|guide|section|template|manifest|sample|example|function|method|trait|interface|struct|enum|widget|screen|dialog|form)s?,?\s*(?:called\s+|named\s+|in\s+|at\s+|under\s+|\(|:\s*|—\s*|–\s*)?(", list!(), ")");
    NEW_BARE = concat!(r"(?:^|[-+:：|,，(（✅✓✔•→—–;；]|\b(?:is|are|was|were|comes?|came|with|have|has|there's|there’s|and|plus|added|created|wrote|also|now|got|gets?)\b)\s*(?:also\s+|now\s+|in\s+)*(?:an?\s+|the\s+|one\s+|two\s+|three\s+|some\s+)?(?:brand[- ])?new(?:\s*[:：—–-]+\s*|\s+)(", list!(), ")");
    WENT = concat!(r"\b(?:went|landed|ended up|now lives?|now sits?|now resides?)\s+(?:in|into|under|at)\s+(?:the\s+)?(", list!(), ")");
    MOVED_FROM = concat!(r"\b(?:moved|renamed|relocated)\b[^.;,]{0,40}?[\s(](", path_pattern!(), r"\s*(?:\bto\b|\binto\b|→|->|=>)\s*", path_pattern!(), ")");
    TOWARDS = concat!(r"(?:^[\s\d.)#]*|[-+:：|,，(（)）✅✓✔•→—–]|\b(?:i|we|i've|we've|have|has|also|then|and|just|now|it|this|additionally|finally|[a-z]+ly|been|but|so|was|were|is|are)\b)\s*", verb!(), r"(?:[^.;。；|\n]|\.[a-z0-9_]){0,90}?\b(?:to|in|into|from|inside|within|of|across|under|at)\s+(?:(?:the|a|our|your|both|existing|new|top|bottom|end|file|module)\s+(?:of\s+)?)*\(?(", list!(), ")");
    PASSIVE = concat!("(", list!(), r")\)?(?:\s+files?)?(?:\s*[|:：—–→]+\s*(?:[✅✓✔☑🟢]\x{fe0f}?\s*)?|\s+-+\s+|\s+|\)\s+and\s+(?:its|the|their|both|all)\s+(?:[a-z-]+\s+){1,3}?|,\s+which\s+(?:i|we)\s+)(?:(?:was|were|is|are|has|have|been|now|also|newly|successfully|all|both|got|just)\s+)*", verb!());
    IN_FILE = concat!(r"\b(?:in|to|from|inside|within)\s+(?:the\s+)?(", list!(), r")(?:\s+file)?,?\s+(?:(?:i|we|i've|we've|have|also|now)\s+)*", verb!());
    IN_PASSIVE = concat!(r"\b(?:in|inside|within)\s+(?:the\s+)?(", list!(), r")(?:\s+file)?,?\s+(?:the|a|an|all|both|its|two|three|four|five|\d+|some|every|each)\s[^.,;:，。|]{1,60}?\s(?:was|were|has been|have been|got)\s+(?:now\s+|also\s+|all\s+|both\s+)*", verb!());
    LISTED = concat!(r"\b(?:files?\s+(?:changed|modified|touched|updated|created|added)|(?:changed|modified|touched|edited|updated)\s+files?|changes?\s+(?:is|are|was|were|lives?)(?:\s+[a-z]+){0,3}?\s+(?:in|to))\b[^.]{0,25}?(", list!(), ")");
    HEADED = concat!(r"^[\s#\d.)*]*(?:changes|edits|modifications|updates|adjustments|fixes|what(?: i| we)? changed)\s+(?:(?:made|applied)\s+)?(?:in|to)\s+(?:the\s+)?(", list!(), r")\s*[:：]?\s*$");
    ROW = concat!(r"^\s*\|(?:\s*\d+\s*\|)?\s*(", list!(), r")\s*\|(?:[^|\n]*\|){0,3}?\s*(?:[✅✓✔☑🟢]\x{fe0f}?\s*)(?:(?:now |newly |已|已经|全部)?(?:", verb!(), r"|", zh_verb!(), r"|\b(?:done|completed?|finished|new)\b|完成|做完|搞定))\s*(?:[|，,(（]|$)");
    MOVED_SHORT = concat!(r"^[\s\d.)#+|✅✓✔•-]*(", path_pattern!(), r"\s+(?:moved|renamed|relocated)\s+(?:to|into|as|→|->)\s+", path_pattern!(), ")");
    NAMED = concat!("(", path_pattern!(), r")(?:\s+file)?\s+(?:is|was|has been|got|has)(?:\s+(?:now|been|become))*\s*(?:called|named|known as|at|located at|→|->)?\s+", path_pattern!());
    IS_GONE = concat!("(", list!(), r")(?:\s+files?)?\s+(?:is|are|has|have|was|were)\s+(?:now\s+|also\s+|both\s+|all\s+|been\s+)*(?:gone|deleted|removed)\b");
    MOVED_ZH = concat!(r"(?:(?:把|将)\s*(?:文件)?\s*(?:的)?|(?:重命名|移动|改名|迁移)了?\s*(?:文件)?\s*)(", path_pattern!(), r"\s*(?:文件)?(?:也|都|已|已经|整体|直接|统一|\s)*(?:(?:移动|移|挪|迁移|重命名|改名|搬|放)(?:到|至|为|成|进|在|了)+|→|->|为|到|成)\s*(?:了)?\s*", path_pattern!(), ")");
    MOVED_ZH_PASSIVE = concat!("(", path_pattern!(), r")\s*[，,]?\s*(?:该|此|这个)?(?:文件)?(?:也|都|均|已|已经|被|现|现在|\s)*(?:移动|移到|移至|挪到|重命名|改名|更名|搬到|迁移到)(?:(?:到|至|为|成|了|\s)*", path_pattern!(), ")?");
    DIRECT_ZH = concat!(zh_verb!(), r"(?:了|过|好|完|到|至|[^，。；：:`\s对从在于向给为把将用被比和与到进了的a-z0-9]{1,4}版(?:本)?的?|文件|模块|组件|脚本|配置|测试|单元|页面|迁移|文档|工具|类|新的|新|的|[一两二三四五六几0-9]+个|旧的?|多余的|无用的|没用的|废弃的|已废弃的|冗余的|过时的|临时的?|[不已]再(?:使用|需要|用到?)的|:|：|\(|（|\s)*(", list!(), ")");
    CALLED_ZH = concat!(r"(?:新建|新增|创建|新写|编写|添加|增加|补充|补写|写|修改|更新|重写|改写|调整|重构|删除|移除)了?(?:一个|一份|两个|三个)?(?:[\x{4e00}-\x{9fff}]{1,8}?)(?:测试|用例|文件|脚本|组件|模块|服务|工具|配置|页面|类|接口|文档|迁移|钩子|函数|插件|控制器|模型|样式|模板|实体|中间件|任务|作业|仓库|视图|样例|示例|代码|实现|逻辑)\s?[:：]?\s?(", list!(), ")");
    IN_ZH = concat!(r"(?:在|于|往|向|给|对|把|将|从|为|到|进)\s*(?:文件\s*)?(", list!(), r")\s*(?:文件|模块)?(?:中|里|内|上|下|里面|末尾|开头)?(?:的)?[^，。；]{0,40}?", zh_verb!());
    PASSIVE_ZH = concat!("(", list!(), r")\s*(?:文件)?(?:中|里|内)?(?:的[^，。；|]{0,20}?)?\s*[|:：—-]*\s*(?:[✅✓✔☑🟢]\x{fe0f}?\s*)?(?:[:：|—-]\s*(?:把|将)[^，。；|]{1,24}?)?(?:[，,]?\s*(?:该|此|这个|这份|那个)(?:旧|临时|多余的?|新)?(?:文件|脚本|模块|配置))?(?:也|都|均|已|已经|被|现|现在|一并|相应|顺手|我|还|\s)*", zh_verb!());
    LISTED_ZH = concat!(r"(?:改动|修改|变更|涉及|更新|新增|新建|创建|改了|动了)(?:的|了)?(?:文件)?(?:只有|仅有|仅|只|集中在|都在|在|主要|涉及|包括|位于|限于|为|是|有|:|：|\s)+(", list!(), ")");
    ONE = path_pattern!();
    ZH_LETTERS = r"[\x{4e00}-\x{9fff}]";
    IS_DONE = concat!(r"了|已|(?:全部|全都|均|一并|同步|统一|逐一|一一)(?:更新|修改|调整|替换|改|补全|补齐|同步|切换|迁移|换|删除|移除)|完成|好|过|成功|[(（\[【]\s*(?:本次|全)?(?:新增|新建|新文件|修改|更新|改动|重写|调整|删改|改写|创建|补充|变更|重构|扩展|删除|移除)\s*[)）\]】]|是(?:新写|新增|新建|新加)的|^[\s\d.)#+|✅✓✔•-]*(?:新增|新建|修改|更新|改动|变更|创建|重写|调整|新文件|删除|移除)(?:文件)?\s*[:：|—–→-]|^[\s\d.)#+|✅✓✔•-]*", path_pattern!(), r"\s*(?:现在|统一|整体|现)?(?:改为|改成|改用|换成|换为|移动到|移到|移至|重命名为|改名为|更名为|迁移到)|改动(?:只有|仅|集中|都在|在)|^[\s\d.、+|-]*", path_pattern!(), r"\s*[:：|—-]+\s*(?:(?:把|将)[^，。；|]{1,24}?)?", zh_verb!(), r"|^[\s#\d.、✅✓✔+|-]*", zh_verb!());
    ENOUGH_ZH = r"\bto (?:go|switch|turn|get) (?:it |this |that )?(?:back|off)\b|\bto (?:undo|revert|opt out|disable|get the old|keep the old|restore the old)\b|即可|就行|就可以了?|就好(?:[了。，]|$)";
    AND_ZH = r"^[\s，,、]*(?:并且?|同时|也|还|另外|此外|以及)";
    DONE_ZH = r"了|已";
    BRACKETED = concat!("(", path_pattern!(), r")\s*(?:[(（\[【]|—|–|\s-\s|[:：|是]|\b(?:is|are)\s(?:now\s|also\s)?)\s*(?:(?:brand[- ])?new(?: file)?\b|新文件|(?:已|本次|全)?(?:新增|新建|修改|更新|改动|重写|调整|删改|改写|创建|补充|变更|重构|扩展|删除|移除|新写|新加)的?|", verb!(), r")\s*(?:[)）\]】,，:：;；。.|(（—–]|$|\s-\s)");
    LABELLED = concat!(r"^[\s\d.)#+|✅✓✔•-]*(?:new|added|created|modified|updated|changed|edited|rewritten|touched|extended|also (?:changed|touched|updated)|新增|新建|修改|更新|改动|变更|创建|重写|调整|新文件)(?: files?| modules?|文件|了)?\s*(?:[:：|—–→]|\s-)\s*(", list!(), ")");
    LISTED_UNDER = concat!(r"^[\s#\d.✅✓✔*-]*(?:(?:the|all|these|here are the|a list of the|summary of(?: the)?|main|key|my|our)\s+)*(?:(?:files?|modules?)\s+(?:that\s+)?(?:(?:i|we|were|was|have|had|are|got|i've|we've)\s+)*", verb!(), r"|(?:changed|modified|touched|edited|updated|created|added|new|affected|rewritten) (?:files?|modules?)|(?:files?|code) (?:changes|edits|modifications)|(?:(?:i|we|i've|we've|have|also|it|this)\s+)*", verb!(), r"\s+(?:(?:these|the|following|two|three|four|five|six|both|new|\d+|below|listed)\s+)*(?:files?|places|modules)|changes? (?:(?:are|were|is|live|lives) )?(?:made )?(?:in|to)(?: (?:these|the following|two|three|four|five|\d+) files?)?|(?:本次|这次|此次|主要|具体|全部|所有|一共|总共|共)*(?:我)?(?:已|已经)?(?:(?:修改|改动|变更|更新|新增|新建|创建|涉及|调整|动|改|增加|添加|编辑|触及|影响)(?:到|了|过|以下|如下|下面|下列|这些|这|的|\s*[0-9一两二三四五六几]+ ?个|处|相关|新)*(?:文件|地方|内容|模块)(?:如下|有|包括|是)*|文件(?:改动|变更|修改|清单|列表|一览)|(?:改动|修改|变更|更新)(?:如下|内容|点|清单|列表|汇总|一览|总结|说明|概览)|(?:主要|具体)?(?:改动|修改|变更)|what (?:i |we )?changed|changes(?: made)?))(?:清单|列表|如下|汇总|一览|概览)?(?: ?[(（][^()（）]{0,16}[)）])?\s*[:：]?\s*$");
    ITEM = concat!(r"^\s*(?:[-+•]|\d+[.)、])?\s*(", path_pattern!(), ")");
    GONE = r"已删|\b(?:deleted|removed|got rid of|gotten rid of|erased|purged|gone|wiped)\b|删除|移除|删掉|删了|删去|[清砍扔剔裁]掉|清理掉|清除|抹掉";
    DROPPED = r"\bdropped\b";
    INTO = r"\b(?:in|into|at|under|onto|beside|next to)\b|^ (?:its|the|a|an)\b";
    BY_HAND = r"\b(?:i|we)(?:'ve|’ve| have)?(?: \w+)? \w+ by hand\b";
    GOT = concat!("(", list!(), r")\s+(?:now\s+)?(?:got|gets|gained|gains|received|receives)\s+(?:an?|another|its|the|one|two|three|some|new)\s+(?:[a-z]+\s+){0,2}?(?:lines?|entry|entries|sections?|notes?|paragraphs?|sentences?|bullets?|comments?|tests?|cases?|examples?|rows?|columns?|headings?|chapters?|checks?|guards?|options?|flags?|fields?|functions?|methods?|helpers?|targets?|jobs?|steps?|keys?|links?|tables?)\b");
    LABEL_ZH = concat!(r"^[\s\d.)#+|✅✓✔•、-]*[^，。；：:]{0,8}(?:文件|文档|配置|代码|脚本|测试|用例|样例|示例|依赖|接口|模块|组件|页面|样式|数据库|迁移|后端|前端|服务|客户端|类型|路由|工具|部署|资源|模板|清理|改动|变更)\s*[:：]\s*", zh_verb!());
    NEXT_ZH = concat!(r"^\s*[，,、；;]\s*(?:并|同时|再)?", zh_verb!());
    WITHIN = r"^`?\s*(?:文件)?(?:中|里|内|上|的)";
    FROM = concat!(r"^\)?\s+(?:file\s+)?(?:from|in|of)\s+(?:the\s+)?(", path_pattern!(), ")");
    INSIDE = r"\b(?:in|from|inside|within|out of)\s+(?:the\s+)?$";
    OBJECT = r"^\s*(?:file\s*)?(?:[.,;:!)|，。；）]|$|\band\b|\bas\b|\bbecause\b|\bsince\b|\bentirely\b|\bcompletely\b)";
    OBJECT_ZH = r"^\s*(?:掉|了|完|干净|成功|该|此|旧|文件|脚本|模块)*\s*(?:[。，,；;：:）)|！.]|$|和|并|以及|及|与|因为|由于)";
    AND_DID = r"^.*[,，]\s*(?:and\s+(?:(?:also|then|i|we)\s+)*|并且?|还|同时)$";
    WHICH_IS = r"[,，]\s*(?:which|so|where|that|because)\b|\b(?:so|which|because)\b|因此|所以|从而|使得?";
    GONE_FOLDER = r"(?:\b(?:deleted|removed|dropped|erased|purged|wiped|got rid of)\s+(?:(?:the|whole|entire|old|legacy|unused|obsolete|empty|now-unused|dead|stale|git|folder|directory|package|module|submodule|subproject|subtree|vendored|copy|of)\s+)*|(?:删除|移除|删掉|清理掉|删去)(?:了|掉|整个|旧的?|目录|文件夹|(?:git )?submodule|子模块|子项目|废弃的?|无用的?|多余的?|空的?|的|\s)*)(`[a-z0-9_@.-]+(?:/[a-z0-9_@.-]+)+/?`|`[a-z0-9_@.-]+/`)";
    FOLDER_GONE = r"(`[a-z0-9_@.-]+(?:/[a-z0-9_@.-]+)+/?`|`[a-z0-9_@.-]+/`)\s*(?:(?:folder|directory|package|module)\s+)?(?:[|:：—–→]\s*|(?:is|was|are|were|has been|have been)\s+(?:now\s+|also\s+)?|(?:整个)?(?:目录|文件夹)?(?:也|都|已|已经|被|整个|\s)*)(?:deleted\b|removed\b|gone\b|(?:已|已经|整个)?(?:删除|移除|删掉))";
    FROM_FOLDER = r"^\s*(?:from|in|of|里|中|下|内|的|以外|之外)";
    FOR_TESTS = r"^\s*(?:给|对|为)[^，。]*?(?:测试|用例|单测)";
    HABIT = concat!(r"\bin (?:19|20)\d\d\b|\bon (?:19|20)\d\d-\d\d|\b(?:in|on|since) (?:early |late |mid-?)?(?:january|february|march|april|june|july|august|september|october|november|december)\b|", verb!(), r"\s+(?:by (?:`|the|an?|hand|users?|each|every)|for (?:node|python|java|go|ruby))\b");
    DATED_ZH = r"(?:在|于) ?(?:19|20)\d\d ?年|去年|前年|上个?月";
    DID = concat!(r"^\s*(?:(?:i|we)(?:'ve|’ve| have)? (?:\w+ )?)?(?:", verb!(), r"|\bswapped\b)|^\s*已[^，。]{0,6}(?:", zh_verb!(), "|完成)");
    PARTICIPLE = concat!(r"^[\s)）]*(?:[:：|—–→]|-\s)\s*(?:[\w-]+ ){0,3}?", verb!(), r"\s*(?:\b(?:to|in|into|from|for|with|by|and|as|on|of|at|so|under|behind)\b|[,.;，。；(（]|$)");
    IT = concat!(r"\b(?:i|we)(?:'ve|’ve| have)?(?: [a-z]+ly| also| then| just| have| now)* ", verb!(), r" (?:it|them|both|(?:that|this|the) (?:file|script|module|component|helper|config))\b|(?:把|将)(?:它|它们|其|该文件|这个文件|此文件|整个文件)(?:也|都|一并|一起|直接|整个|给|从[^，。]{1,8}里|\s)*", zh_verb!(), r"|(?:把|将)(?:它|其|它们)(?:也|都|一并|一起|直接|给)*删了|^[\s，,、；;]*(?:所以|因此|于是|就|便|我|顺手|顺便|一并|直接|已经?|也|\s)+(?:(?:删除|删掉|移除|清理掉|清掉|重写|改写)了|(?:删除|删掉|移除|清理掉|清掉)\s*[。.]?\s*$)");
    ALSO = concat!(r"^[`)]?\s*,?\s*and\s+(?:an?|one|two|three|some|another|new|\d+)\s+(?:[a-z-]+\s+){1,5}?(?:to|in|into|under|of)\s+(?:the\s+)?(", list!(), ")");
    ALSO_ENDS = r"^\s*(?:[.,;:)!]|$|and\b|as well\b|too\b|accordingly\b)";
    THERE = concat!(r"\b(?:i|we)(?:'ve|’ve| have)?(?: [a-z]+ly| also| then| just| have| now)* ", verb!(), r"\s(?:[a-z-]+\s+){0,6}?there\b|(?:我|就|也|便|顺手|一并|同样|已经?)[^，。；]{0,4}(?:在|把)?(?:那里|那边|该处|那处)也?[^，。；]{0,6}?", zh_verb!(), r"了?");
    SEEN_IN = concat!(r"(?:\b(?:in|inside|within|of|at)\s+(?:the\s+)?|^[\s\d.)*+•-]*|(?:在|发现|看到|还有|另外|而))\s*(", path_pattern!(), r")(?:[^;；。.]{0,60}|)$");
    DELETED = r"删";
    SPOKEN_OF = concat!(r"(?:^[\s\d.)*+•-]*(?:(?:the|old|legacy|旧的?|原来的)\s*)*|\b(?:used|uses|imports?|imported|references?|referenced|needs?|needed|calls?|called|loads?|loaded)\s+)(", path_pattern!(), r")(?:[^;；。]{0,60}|)$");
    YOURS = r"^[^.]{0,60}?\b(?:if|when|once|unless|before|after|as soon as|should) you\b|^[^。]{0,20}?(?:如果|若)(?:你|您|需要)";
    SET = r"^(?:set(?: up)?|put|split|place)\b";
    WANTED = r"\b(?:needs?|requires?|left (?:to you|open)|up to you|you|to (?:enable|use|run|activate|switch|turn|disable)|remember)\b[^.]{0,80}[,:：]\s*$";
    NO_FILE = r"^`?(?:node|next|vue|nuxt|express|three|d3|react|ember|backbone|moment|chart|discord|socket|p5|alpine|solid|nest|web3|asp)\.(?:js|net|io)`?$|^`?(?:process|import\.meta)\.env\b";
}

/// What a part of a sentence claims about files; `before` is what stands before it.
pub(crate) fn find(clause: &Clause, before: &str) -> Option<Filed> {
    let text = &clause.text;
    let chinese = ZH_LETTERS.fits(text);
    let filed = moved(text).or_else(|| changed(text))?;
    let in_chinese = chinese && ZH_LETTERS.fits(text.get(filed.range.clone()).unwrap_or_default());
    // What was done goes on behind "and".
    let goes_on = || AND_ZH.fits(text) && DONE_ZH.fits(before) && !clause::hedged(before);
    let listed = || LABEL_ZH.fits(text) || (NEXT_ZH.fits(text) && LABEL_ZH.fits(before) && !clause::hedged(before));
    let goes_on = || goes_on() || listed();
    let not_done = chinese && !IS_DONE.fits(text) && !goes_on() && (in_chinese || filed.deed == Deed::Moved);
    let habit = HABIT.fits(&BY_HAND.blanked(text.get(filed.range.start..).unwrap_or_default())) || DATED_ZH.fits(text);
    let told = is_for_reader(text, before, &filed.range);
    let denied = told || habit || ENOUGH_ZH.fits(text) || clause.hedges(filed.range.end) || is_denied(clause, &filed);
    (!denied && !not_done && !filed.paths.is_empty()).then_some(filed)
}

/// What was done to another file by the same verb: "I added an entry to `a.md` and a section to `b.md`".
pub(crate) fn also(clause: &Clause, filed: &Filed) -> Option<Filed> {
    let rest = clause.text.get(filed.range.end..)?;
    let (range, place, list) = ALSO.places(rest).into_iter().next()?;
    let ends = ALSO_ENDS.fits(rest.get(place.end..)?);
    let range = filed.range.end + range.start..filed.range.end + range.end;
    let paths = paths(list);
    (ends && filed.deed == Deed::Changed && !paths.is_empty()).then_some(Filed { range, paths, deed: Deed::Changed })
}

/// What was done "there", which is the file that was spoken of just before.
fn of_there(clause: &Clause, before: &str) -> Option<Filed> {
    let range = THERE.find(&clause.text)?;
    let lead = format!("{before}{}", clause.text.get(..range.start)?);
    let (_, _, path) = SEEN_IN.places(&lead).into_iter().next()?;
    let (mut others, own) = (paths(&lead), paths(path));
    others.retain(|other| !own.contains(other));
    let denied = clause.hedges(range.end) || clause.denies_before(range.end) || HABIT.fits(&clause.text);
    let filed = Filed { range, paths: own, deed: Deed::Changed };
    (!denied && filed.paths.len() == 1 && others.is_empty()).then_some(filed)
}

/// What was done to "it", which is the file that was spoken of just before.
pub(crate) fn of_it(clause: &Clause, before: &str) -> Option<Filed> {
    let Some(range) = IT.find(&clause.text) else { return of_there(clause, before) };
    let lead = format!("{before}{}", clause.text.get(..range.start)?);
    let (_, _, path) =
        SPOKEN_OF.places(lead.trim_end_matches([' ', ',', '，', ';', '；', '.', '。'])).into_iter().next()?;
    let mut others = paths(&lead);
    others.retain(|other| other != path.trim_matches('`'));
    let rest = clause.text.get(range.start..)?;
    let (paths, words) = (paths(path), clause.text.get(range.clone())?);
    let deed = if GONE.fits(words) || DELETED.fits(words) { Deed::Gone } else { Deed::Changed };
    let filed = Filed { range, paths, deed };
    // What is denied before a comma is told of the file, not of what was done to it.
    let start = clause.text.get(..filed.range.start)?.rfind([',', '，', ';', '；']).unwrap_or(0);
    let own = Clause { text: clause.text.get(start..)?.to_owned(), ..clause.clone() };
    let denied =
        clause.hedges(filed.range.end) || own.denies_before(filed.range.end - start) || HABIT.fits(&clause.text);
    (!denied && !filed.paths.is_empty() && others.is_empty() && !ONE.fits(rest)).then_some(filed)
}

/// True when a deed is denied; what is denied before a comma and "and" is another one.
fn is_denied(clause: &Clause, filed: &Filed) -> bool {
    let before = clause.text.get(..filed.range.start).unwrap_or_default();
    let start = AND_DID.find(before).map_or(0, |place| place.end);
    let own = clause.text.get(start..).unwrap_or_default().to_owned();
    let aside = clause.text.get(..start).is_some_and(|aside| WHICH_IS.fits(aside));
    if start == 0 || !aside {
        return clause.denies_before(filed.range.end);
    }
    Clause { text: own, ..clause.clone() }.denies_before(filed.range.end - start)
}

/// True for what the reader is told to do: "set it in `a.cs` if you need it", "it needs a key: put it into `a.json`".
fn is_for_reader(text: &str, before: &str, range: &Range<usize>) -> bool {
    let own = text.get(range.clone()).unwrap_or_default();
    let verb = own.trim_start_matches([' ', ',', ':', '：']);
    let lead = text.get(..range.end - verb.len()).unwrap_or_default();
    let wanted = || WANTED.fits(&format!("{before}{lead}"));
    YOURS.fits(text.get(range.end..).unwrap_or_default()) || (SET.fits(verb) && wanted())
}

/// The folder that is said to be gone, in a part of a sentence.
pub(crate) fn gone_folder(clause: &Clause) -> Option<Filed> {
    let (range, place, folder) =
        [&GONE_FOLDER, &FOLDER_GONE].iter().find_map(|pattern| pattern.places(&clause.text).into_iter().next())?;
    let path = folder.trim_matches(['`', '/']).to_owned();
    let filed = Filed { range, paths: vec![path], deed: Deed::Gone };
    let rest = clause.text.get(place.end..).unwrap_or_default();
    let inside = FROM_FOLDER.fits(rest);
    let denied = clause.hedges(filed.range.end) || is_denied(clause, &filed) || HABIT.fits(&clause.text);
    (!inside && !denied && ONE.find(folder).is_none()).then_some(filed)
}

/// The file that an item of a list begins with whose heading says that these were changed.
pub(crate) fn listed(text: &str, item: &Range<usize>) -> Option<Filed> {
    let words = text.get(item.clone())?;
    let (whole, place, path) = ITEM.places(words).into_iter().next()?;
    let above = text.get(..item.start + place.start)?;
    let mut lines = above.lines().rev().skip(1).filter(|line| !line.trim().is_empty());
    // What is told of an item stands indented under it.
    // The signs for stress around a heading are blanks.
    let stressed = |line: &str| line.trim_end_matches([':', '：']).ends_with("  ");
    let head = lines.find(|line| !ITEM.fits(line) && (!line.starts_with("  ") || stressed(line)))?;
    let head = head.rsplit(['。', '；']).next().and_then(|head| head.rsplit(". ").next())?;
    let on_own_line = above.rsplit('\n').next().is_some_and(|lead| !lead.contains(char::is_alphabetic));
    let paths = paths(path);
    // What was done may be told before how many files it took.
    let last = head.rsplit(['，', ',']).next().filter(|_| DONE_ZH.fits(head) && !clause::hedged(head));
    let told = LISTED_UNDER.fits(head)
        || last.is_some_and(|last| LISTED_UNDER.fits(last))
        || (head.trim_end().ends_with([':', '：']) && DID.fits(head));
    (on_own_line && told && !paths.is_empty()).then_some(Filed { range: whole, paths, deed: Deed::Changed })
}

/// True when what stands behind a file labels it with something that was done.
pub(crate) fn is_labelled(rest: &str) -> bool {
    PARTICIPLE.fits(rest)
}

/// True for what only looks like the name of a file.
pub(crate) fn is_no_file(name: &str) -> bool {
    NO_FILE.fits(name)
}

pub(crate) fn paths(text: &str) -> Vec<String> {
    let names = ONE.all(text).into_iter().map(|(_, path)| path).filter(|path| !is_no_file(path));
    names.map(|path| path.trim_matches('`').to_owned()).collect()
}

fn moved(text: &str) -> Option<Filed> {
    let (range, list) = [&MOVED_FROM, &MOVED, &MOVED_SHORT, &MOVED_PASSIVE, &NAMED, &MOVED_ZH, &MOVED_ZH_PASSIVE]
        .iter()
        .find_map(|pattern| {
            let (range, ..) = pattern.places(text).into_iter().next()?;
            Some((range.clone(), text.get(range)?))
        })?;
    Some(Filed { range, paths: paths(list), deed: Deed::Moved })
}

/// How a pattern names its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Right behind the verb.
    Direct,
    /// In, to or from it.
    Towards,
    /// Before the verb, in Chinese behind a word for in, of, or with.
    Taken,
    /// Before the verb.
    Behind,
}

const FORMS: [(&Pattern, Form); 20] = [
    (&ROW, Form::Direct),
    (&HEADED, Form::Towards),
    (&BRACKETED, Form::Direct),
    (&LABELLED, Form::Direct),
    (&IS_GONE, Form::Direct),
    (&NEW, Form::Towards),
    (&NEW_BARE, Form::Towards),
    (&WENT, Form::Towards),
    (&GOT, Form::Towards),
    (&DIRECT, Form::Direct),
    (&IN_FILE, Form::Towards),
    (&IN_PASSIVE, Form::Towards),
    (&TOWARDS, Form::Towards),
    (&PASSIVE, Form::Behind),
    (&LISTED, Form::Towards),
    (&LISTED_ZH, Form::Towards),
    (&IN_ZH, Form::Taken),
    (&CALLED_ZH, Form::Direct),
    (&DIRECT_ZH, Form::Direct),
    (&PASSIVE_ZH, Form::Behind),
];

fn changed(text: &str) -> Option<Filed> {
    let (form, (range, place, list)) = FORMS.iter().find_map(|(pattern, form)| {
        let found = pattern.places(text).into_iter().find(|(_, _, list)| !paths(list).is_empty())?;
        Some((*form, found))
    })?;
    let words = text.get(range.clone()).unwrap_or_default();
    if form == Form::Taken && FOR_TESTS.fits(text.get(range.start..).unwrap_or_default()) {
        return None;
    }
    let rest = text.get(place.end..).unwrap_or_default();
    // What is taken out of a file leaves the file.
    if let Some((_, other)) = FROM.all(rest).into_iter().next().filter(|_| form == Form::Direct) {
        return Some(Filed { range, paths: paths(other), deed: Deed::Changed });
    }
    let after = text.get(range.end..).unwrap_or_default();
    let whole = !WITHIN.fits(rest)
        && match form {
            Form::Direct => true,
            Form::Towards => false,
            Form::Taken => words.starts_with(['把', '将']),
            Form::Behind => {
                if ZH_LETTERS.fits(words) {
                    OBJECT_ZH.fits(after)
                } else {
                    OBJECT.fits(after)
                }
            }
        };
    let dropped = DROPPED.fits(words) && !INTO.fits(after);
    // What is gone in a file leaves the file.
    let inside = text.get(..place.start).is_some_and(|before| INSIDE.fits(before));
    let deed = if (GONE.fits(words) || dropped) && whole && !(inside && form == Form::Direct) {
        Deed::Gone
    } else {
        Deed::Changed
    };
    Some(Filed { range, paths: paths(list), deed })
}
