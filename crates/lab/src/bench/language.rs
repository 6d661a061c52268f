//! What cases are made from: for each language the head of a file and a few shapes of functions. `{f}` is the function's
//! name, `{w}` a noun, `{n}` a number. Cases of one version stay the same for ever: a change here needs a new [`SET`].

/// The version of the cases.
pub const SET: u32 = 1;

/// A language that cases are made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseLanguage {
    /// Its name.
    pub name: &'static str,
    /// The end of file names.
    pub(super) ending: &'static str,
    /// Names are written `likeThis`, not `like_this`.
    pub(super) camel: bool,
    /// Lines end with a carriage return too.
    pub(super) crlf: bool,
    /// Blank lines between functions.
    pub(super) between: usize,
    /// What a file begins with.
    pub(super) head: &'static str,
    /// The functions that there can be.
    pub(super) shapes: &'static [&'static str],
}

/// Every language.
pub const LANGUAGES: &[CaseLanguage] = &[
    CaseLanguage {
        name: "rust",
        ending: "rs",
        camel: false,
        crlf: false,
        between: 1,
        head: "//! Figures about {w}s.\n\nfn scale(value: i64, by: i64) -> i64 {\n    value * by\n}\n",
        shapes: &[
            "/// Adds up values until the limit is reached.\npub fn {f}(values: &[i64], limit: i64) -> i64 {\n    let mut total = 0;\n    for value in values {\n        if total + value > limit {\n            break;\n        }\n        total += value;\n    }\n    total\n}\n",
            "pub fn {f}(value: i64, low: i64, high: i64) -> i64 {\n    if value < low {\n        return low;\n    }\n    if value > high {\n        return high;\n    }\n    value\n}\n",
            "pub fn {f}(first: i64, second: i64) -> i64 {\n    let scaled = scale(first, second);\n    let offset = {n};\n    let result = scaled + offset;\n    result\n}\n",
            "/// How many values are beyond the threshold.\npub fn {f}(values: &[i64], threshold: i64) -> usize {\n    let mut count = 0;\n    for value in values {\n        let distance = scale(*value, {n});\n        if distance > threshold {\n            count += 1;\n        }\n    }\n    count\n}\n",
        ],
    },
    CaseLanguage {
        name: "python",
        ending: "py",
        camel: false,
        crlf: false,
        between: 2,
        head: "\"\"\"Figures about {w}s.\"\"\"\n\n\ndef scale(value, by):\n    return value * by\n",
        shapes: &[
            "def {f}(values, limit):\n    \"\"\"Adds up values until the limit is reached.\"\"\"\n    total = 0\n    for value in values:\n        if total + value > limit:\n            break\n        total += value\n    return total\n",
            "def {f}(value, low, high):\n    if value < low:\n        return low\n    if value > high:\n        return high\n    return value\n",
            "def {f}(first, second):\n    scaled = scale(first, second)\n    offset = {n}\n    result = scaled + offset\n    return result\n",
            "def {f}(values, threshold):\n    # How many values are beyond the threshold.\n    count = 0\n    for value in values:\n        distance = scale(value, {n})\n        if distance > threshold:\n            count += 1\n    return count\n",
        ],
    },
    CaseLanguage {
        name: "typescript",
        ending: "ts",
        camel: true,
        crlf: false,
        between: 1,
        head: "// Figures about {w}s.\n\nfunction scale(value: number, by: number): number {\n  return value * by;\n}\n",
        shapes: &[
            "/** Adds up values until the limit is reached. */\nexport function {f}(values: number[], limit: number): number {\n  let total = 0;\n  for (const value of values) {\n    if (total + value > limit) {\n      break;\n    }\n    total += value;\n  }\n  return total;\n}\n",
            "export function {f}(value: number, low: number, high: number): number {\n  if (value < low) {\n    return low;\n  }\n  if (value > high) {\n    return high;\n  }\n  return value;\n}\n",
            "export function {f}(first: number, second: number): number {\n  const scaled = scale(first, second);\n  const offset = {n};\n  const result = scaled + offset;\n  return result;\n}\n",
            "export function {f}(values: number[], threshold: number): number {\n  let count = 0;\n  for (const value of values) {\n    const distance = scale(value, {n});\n    if (distance > threshold) {\n      count += 1;\n    }\n  }\n  return count;\n}\n",
        ],
    },
    CaseLanguage {
        name: "go",
        ending: "go",
        camel: true,
        crlf: false,
        between: 1,
        head: "// Package {w} has figures about {w}s.\npackage {w}\n\nfunc scale(value, by int) int {\n\treturn value * by\n}\n",
        shapes: &[
            "// {f} adds up values until the limit is reached.\nfunc {f}(values []int, limit int) int {\n\ttotal := 0\n\tfor _, value := range values {\n\t\tif total + value > limit {\n\t\t\tbreak\n\t\t}\n\t\ttotal += value\n\t}\n\treturn total\n}\n",
            "func {f}(value, low, high int) int {\n\tif value < low {\n\t\treturn low\n\t}\n\tif value > high {\n\t\treturn high\n\t}\n\treturn value\n}\n",
            "func {f}(first, second int) int {\n\tscaled := scale(first, second)\n\toffset := {n}\n\tresult := scaled + offset\n\treturn result\n}\n",
            "func {f}(values []int, threshold int) int {\n\tcount := 0\n\tfor _, value := range values {\n\t\tdistance := scale(value, {n})\n\t\tif distance > threshold {\n\t\t\tcount += 1\n\t\t}\n\t}\n\treturn count\n}\n",
        ],
    },
    CaseLanguage {
        name: "c",
        ending: "c",
        camel: false,
        crlf: false,
        between: 1,
        head: "/* Figures about {w}s. */\n#include <stddef.h>\n\nstatic long scale(long value, long by)\n{\n    return value * by;\n}\n",
        shapes: &[
            "/* Adds up values until the limit is reached. */\nlong {f}(const long *values, size_t length, long limit)\n{\n    long total = 0;\n    for (size_t i = 0; i < length; i++) {\n        if (total + values[i] > limit) {\n            break;\n        }\n        total += values[i];\n    }\n    return total;\n}\n",
            "long {f}(long value, long low, long high)\n{\n    if (value < low) {\n        return low;\n    }\n    if (value > high) {\n        return high;\n    }\n    return value;\n}\n",
            "long {f}(long first, long second)\n{\n    long scaled = scale(first, second);\n    long offset = {n};\n    long result = scaled + offset;\n    return result;\n}\n",
            "size_t {f}(const long *values, size_t length, long threshold)\n{\n    size_t count = 0;\n    for (size_t i = 0; i < length; i++) {\n        long distance = scale(values[i], {n});\n        if (distance > threshold) {\n            count += 1;\n        }\n    }\n    return count;\n}\n",
        ],
    },
    CaseLanguage {
        name: "python-zh",
        ending: "py",
        camel: false,
        crlf: true,
        between: 2,
        head: "\"\"\"关于 {w} 的统计。\"\"\"\n\n\ndef scale(value, by):\n    # 按倍数放大\n    return value * by\n",
        shapes: &[
            "def {f}(values, limit):\n    \"\"\"累加各项，超过上限就停止。\"\"\"\n    total = 0  # 当前总和\n    for value in values:\n        if total + value > limit:  # 已经太多\n            break\n        total += value\n    return total\n",
            "def {f}(value, low, high):\n    # 把数值限制在范围之内\n    if value < low:  # 太小\n        return low\n    if value > high:  # 太大\n        return high\n    return value\n",
            "def {f}(first, second):\n    scaled = scale(first, second)  # 先放大\n    offset = {n}\n    result = scaled + offset  # 再平移\n    return result\n",
            "def {f}(values, threshold):\n    # 有多少项超过阈值？\n    count = 0\n    for value in values:\n        distance = scale(value, {n})  # 距离\n        if distance > threshold:\n            count += 1\n    return count\n",
        ],
    },
];

/// The language of a name.
pub fn language(name: &str) -> Option<&'static CaseLanguage> {
    LANGUAGES.iter().find(|language| language.name == name)
}
