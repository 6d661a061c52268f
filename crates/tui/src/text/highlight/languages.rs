//! The languages, as data.

use super::language::{
    ANY_CASE, AT, CALLS, CAPITALS, COLON, DASH, DOLLAR, EQUALS, HASH, LIFETIMES, Language, MARKUP, PATCH, Quote,
};

pub(super) const ALL: &[&Language] = &[
    &RUST,
    &PYTHON,
    &JAVASCRIPT,
    &TYPESCRIPT,
    &GO,
    &C,
    &CPP,
    &JAVA,
    &CSHARP,
    &KOTLIN,
    &SWIFT,
    &RUBY,
    &PHP,
    &SHELL,
    &SQL,
    &HTML,
    &CSS,
    &JSON,
    &YAML,
    &TOML,
    &LUA,
    &ZIG,
    &HASKELL,
    &ELIXIR,
    &SCALA,
    &DART,
    &PERL,
    &R,
    &DOCKERFILE,
    &MAKE,
    &CMAKE,
    &NIX,
    &PROTO,
    &HCL,
    &POWERSHELL,
    &PATCH_FILE,
];

static RUST: Language = Language {
    names: &["rust", "rs"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::raw("r##\"", "\"##", true), Quote::raw("r#\"", "\"#", true), Quote::raw("r\"", "\"", true), Quote::long("b\"", "\""), Quote::long("\"", "\"")],
    keywords: &["as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "fn", "for", "if", "impl", "in", "let", "loop", "macro_rules", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "type", "union", "unsafe", "use", "where", "while", "yield"],
    types: &["bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8", "usize"],
    constants: &["false", "true"],
    flags: CALLS | CAPITALS | LIFETIMES,
    ..Language::EMPTY
};

static PYTHON: Language = Language {
    names: &["python", "py", "python3", "pyi"],
    line: &["#"],
    quotes: &[Quote::long("\"\"\"", "\"\"\""), Quote::long("'''", "'''"), Quote::new("\""), Quote::new("'")],
    keywords: &["and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"],
    types: &["bool", "bytes", "dict", "float", "frozenset", "int", "list", "object", "set", "str", "tuple", "type"],
    constants: &["False", "None", "True", "cls", "self"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static JAVASCRIPT: Language = Language {
    names: &["javascript", "js", "jsx", "mjs", "cjs", "node"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::new("\""), Quote::new("'"), Quote::long("`", "`")],
    keywords: &["as", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "export", "extends", "finally", "for", "from", "function", "get", "if", "import", "in", "instanceof", "let", "new", "of", "return", "set", "static", "super", "switch", "throw", "try", "typeof", "var", "void", "while", "with", "yield"],
    constants: &["Infinity", "NaN", "false", "null", "this", "true", "undefined"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static TYPESCRIPT: Language = Language {
    names: &["typescript", "ts", "tsx", "mts", "cts"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::new("\""), Quote::new("'"), Quote::long("`", "`")],
    keywords: &["abstract", "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "declare", "default", "delete", "do", "else", "enum", "export", "extends", "finally", "for", "from", "function", "get", "if", "implements", "import", "in", "instanceof", "interface", "is", "keyof", "let", "namespace", "new", "of", "private", "protected", "public", "readonly", "return", "satisfies", "set", "static", "super", "switch", "throw", "try", "type", "typeof", "var", "void", "while", "with", "yield"],
    types: &["any", "bigint", "boolean", "never", "number", "object", "string", "symbol", "unknown"],
    constants: &["Infinity", "NaN", "false", "null", "this", "true", "undefined"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static GO: Language = Language {
    names: &["go", "golang"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::raw("`", "`", true), Quote::new("\""), Quote::new("'")],
    keywords: &["break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go", "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type", "var"],
    types: &["any", "bool", "byte", "complex128", "complex64", "error", "float32", "float64", "int", "int16", "int32", "int64", "int8", "rune", "string", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr"],
    constants: &["false", "iota", "nil", "true"],
    flags: CALLS | CAPITALS,
    ..Language::EMPTY
};

static C: Language = Language {
    names: &["c", "h"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::new("\""), Quote::new("'")],
    keywords: &["auto", "break", "case", "const", "continue", "default", "do", "else", "enum", "extern", "for", "goto", "if", "inline", "register", "restrict", "return", "sizeof", "static", "struct", "switch", "typedef", "union", "volatile", "while"],
    types: &["bool", "char", "double", "float", "int", "int16_t", "int32_t", "int64_t", "int8_t", "long", "ptrdiff_t", "short", "signed", "size_t", "ssize_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "unsigned", "void", "wchar_t"],
    constants: &["NULL", "false", "true"],
    flags: CALLS | CAPITALS | HASH,
    ..Language::EMPTY
};

static CPP: Language = Language {
    names: &["cpp", "c++", "cc", "cxx", "hpp", "hh", "hxx", "cuda", "cu"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::raw("R\"(", ")\"", true), Quote::new("\""), Quote::new("'")],
    keywords: &["alignas", "alignof", "auto", "break", "case", "catch", "class", "co_await", "co_return", "co_yield", "concept", "const", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "else", "enum", "explicit", "export", "extern", "final", "for", "friend", "goto", "if", "inline", "mutable", "namespace", "new", "noexcept", "operator", "override", "private", "protected", "public", "register", "requires", "restrict", "return", "sizeof", "static", "static_assert", "struct", "switch", "template", "this", "throw", "try", "typedef", "typename", "union", "using", "virtual", "volatile", "while"],
    types: &["auto", "bool", "char", "double", "float", "int", "int16_t", "int32_t", "int64_t", "int8_t", "long", "ptrdiff_t", "short", "signed", "size_t", "ssize_t", "string", "string_view", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "unsigned", "vector", "void", "wchar_t"],
    constants: &["NULL", "false", "nullptr", "true"],
    flags: CALLS | CAPITALS | HASH,
    ..Language::EMPTY
};

static JAVA: Language = Language {
    names: &["java"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::long("\"\"\"", "\"\"\""), Quote::new("\""), Quote::new("'")],
    keywords: &["abstract", "assert", "break", "case", "catch", "class", "continue", "default", "do", "else", "enum", "extends", "final", "finally", "for", "goto", "if", "implements", "import", "instanceof", "interface", "native", "new", "package", "permits", "private", "protected", "public", "record", "return", "sealed", "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws", "transient", "try", "var", "volatile", "while", "yield"],
    types: &["boolean", "byte", "char", "double", "float", "int", "long", "short", "void"],
    constants: &["false", "null", "true"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static CSHARP: Language = Language {
    names: &["csharp", "cs", "c#"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::raw("@\"", "\"", true), Quote::new("\""), Quote::new("'")],
    keywords: &["abstract", "as", "async", "await", "base", "break", "case", "catch", "checked", "class", "const", "continue", "default", "delegate", "do", "else", "enum", "event", "explicit", "extern", "finally", "fixed", "for", "foreach", "get", "goto", "if", "implicit", "in", "init", "interface", "internal", "is", "lock", "namespace", "new", "operator", "out", "override", "params", "private", "protected", "public", "readonly", "record", "ref", "return", "sealed", "set", "sizeof", "stackalloc", "static", "struct", "switch", "this", "throw", "try", "typeof", "unchecked", "unsafe", "using", "var", "virtual", "volatile", "when", "where", "while", "yield"],
    types: &["bool", "byte", "char", "decimal", "double", "dynamic", "float", "int", "long", "object", "sbyte", "short", "string", "uint", "ulong", "ushort", "void"],
    constants: &["false", "null", "true"],
    flags: CALLS | CAPITALS | HASH,
    ..Language::EMPTY
};

static KOTLIN: Language = Language {
    names: &["kotlin", "kt", "kts"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::long("\"\"\"", "\"\"\""), Quote::new("\""), Quote::new("'")],
    keywords: &["abstract", "as", "break", "by", "catch", "class", "companion", "const", "constructor", "continue", "data", "do", "else", "enum", "finally", "for", "fun", "if", "import", "in", "init", "inline", "interface", "internal", "is", "lateinit", "object", "open", "operator", "out", "override", "package", "private", "protected", "public", "return", "sealed", "super", "suspend", "this", "throw", "try", "typealias", "val", "var", "when", "where", "while"],
    constants: &["false", "null", "true"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static SWIFT: Language = Language {
    names: &["swift"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::long("\"\"\"", "\"\"\""), Quote::new("\"")],
    keywords: &["actor", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "fileprivate", "final", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "lazy", "let", "mutating", "open", "operator", "override", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "some", "static", "struct", "subscript", "super", "switch", "throw", "throws", "try", "typealias", "var", "weak", "where", "while"],
    constants: &["false", "nil", "true"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static RUBY: Language = Language {
    names: &["ruby", "rb", "rake", "gemfile"],
    line: &["#"],
    block: &[("=begin", "=end")],
    quotes: &[Quote::new("\""), Quote::new("'"), Quote::new("`")],
    keywords: &["alias", "and", "begin", "break", "case", "class", "def", "defined", "do", "else", "elsif", "end", "ensure", "for", "if", "in", "module", "next", "not", "or", "redo", "rescue", "retry", "return", "super", "then", "undef", "unless", "until", "when", "while", "yield"],
    constants: &["false", "nil", "self", "true"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static PHP: Language = Language {
    names: &["php"],
    line: &["//", "#"],
    block: &[("/*", "*/")],
    quotes: &[Quote::new("\""), Quote::new("'")],
    keywords: &["abstract", "and", "array", "as", "break", "case", "catch", "class", "clone", "const", "continue", "declare", "default", "do", "echo", "else", "elseif", "enum", "extends", "final", "finally", "fn", "for", "foreach", "function", "global", "if", "implements", "include", "instanceof", "interface", "isset", "list", "match", "namespace", "new", "or", "print", "private", "protected", "public", "readonly", "require", "require_once", "return", "static", "switch", "throw", "trait", "try", "unset", "use", "var", "while", "xor", "yield"],
    types: &["bool", "callable", "float", "int", "iterable", "mixed", "object", "string", "void"],
    constants: &["false", "null", "true"],
    flags: CALLS | CAPITALS | DOLLAR,
    ..Language::EMPTY
};

static SHELL: Language = Language {
    names: &["bash", "sh", "shell", "zsh", "console", "shellsession", "fish", "ksh", "bashrc", "zshrc"],
    line: &["#"],
    quotes: &[Quote::long("\"", "\""), Quote::raw("'", "'", true)],
    keywords: &["case", "do", "done", "elif", "else", "esac", "exec", "exit", "export", "fi", "for", "function", "if", "in", "local", "readonly", "return", "select", "set", "shift", "source", "then", "trap", "unset", "until", "while"],
    constants: &["false", "true"],
    flags: DOLLAR | DASH | CALLS,
    ..Language::EMPTY
};

static SQL: Language = Language {
    names: &["sql", "mysql", "postgres", "postgresql", "sqlite", "psql"],
    line: &["--"],
    block: &[("/*", "*/")],
    quotes: &[Quote::raw("'", "'", true), Quote::new("\"")],
    keywords: &["add", "all", "alter", "and", "as", "asc", "begin", "between", "by", "case", "check", "column", "commit", "constraint", "create", "cross", "database", "default", "delete", "desc", "distinct", "drop", "else", "end", "except", "exists", "explain", "foreign", "from", "full", "function", "group", "having", "if", "in", "index", "inner", "insert", "intersect", "into", "is", "join", "key", "left", "like", "limit", "materialized", "not", "offset", "on", "or", "order", "outer", "over", "partition", "primary", "references", "replace", "returning", "right", "rollback", "row", "rows", "select", "set", "table", "then", "to", "transaction", "trigger", "union", "unique", "update", "using", "values", "view", "when", "where", "window", "with"],
    types: &["bigint", "bigserial", "bool", "boolean", "bytea", "char", "date", "decimal", "double", "float", "int", "integer", "interval", "json", "jsonb", "numeric", "real", "serial", "smallint", "text", "time", "timestamp", "timestamptz", "uuid", "varchar"],
    constants: &["false", "null", "true"],
    flags: CALLS | ANY_CASE,
    ..Language::EMPTY
};

static HTML: Language = Language {
    names: &["html", "xml", "htm", "xhtml", "svg", "vue", "svelte", "xsd", "xsl", "plist"],
    block: &[("<!--", "-->")],
    flags: MARKUP,
    ..Language::EMPTY
};

static CSS: Language = Language {
    names: &["css", "scss", "less", "sass"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::new("\""), Quote::new("'")],
    keywords: &["import", "important", "include", "keyframes", "media", "mixin", "supports"],
    constants: &["auto", "inherit", "initial", "none", "unset"],
    flags: COLON | DASH | AT | CALLS | DOLLAR,
    ..Language::EMPTY
};

static JSON: Language = Language {
    names: &["json", "jsonc", "json5", "jsonl", "ndjson", "geojson"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::new("\"")],
    constants: &["false", "null", "true"],
    flags: COLON,
    ..Language::EMPTY
};

static YAML: Language = Language {
    names: &["yaml", "yml"],
    line: &["#"],
    quotes: &[Quote::new("\""), Quote::new("'")],
    constants: &["false", "no", "null", "off", "on", "true", "yes"],
    flags: COLON | DASH,
    ..Language::EMPTY
};

static TOML: Language = Language {
    names: &["toml", "ini", "cfg", "conf", "properties", "lock", "editorconfig", "gitconfig"],
    line: &["#", ";"],
    quotes: &[Quote::long("\"\"\"", "\"\"\""), Quote::raw("'''", "'''", true), Quote::new("\""), Quote::raw("'", "'", false)],
    constants: &["false", "true"],
    flags: EQUALS | DASH,
    ..Language::EMPTY
};

static LUA: Language = Language {
    names: &["lua"],
    line: &["--"],
    block: &[("--[[", "]]")],
    quotes: &[Quote::raw("[[", "]]", true), Quote::new("\""), Quote::new("'")],
    keywords: &["and", "break", "do", "else", "elseif", "end", "for", "function", "goto", "if", "in", "local", "not", "or", "repeat", "return", "then", "until", "while"],
    constants: &["false", "nil", "self", "true"],
    flags: CALLS,
    ..Language::EMPTY
};

static ZIG: Language = Language {
    names: &["zig"],
    line: &["//"],
    quotes: &[Quote::new("\""), Quote::new("'")],
    keywords: &["align", "allowzero", "and", "anyframe", "anytype", "asm", "async", "await", "break", "callconv", "catch", "comptime", "const", "continue", "defer", "else", "enum", "errdefer", "error", "export", "extern", "fn", "for", "if", "inline", "noalias", "noinline", "nosuspend", "opaque", "or", "orelse", "packed", "pub", "resume", "return", "struct", "suspend", "switch", "test", "threadlocal", "try", "union", "unreachable", "usingnamespace", "var", "volatile", "while"],
    types: &["anyerror", "anyopaque", "bool", "comptime_float", "comptime_int", "f16", "f32", "f64", "i16", "i32", "i64", "i8", "isize", "type", "u16", "u32", "u64", "u8", "usize", "void"],
    constants: &["false", "null", "true", "undefined"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static HASKELL: Language = Language {
    names: &["haskell", "hs"],
    line: &["--"],
    block: &[("{-", "-}")],
    quotes: &[Quote::new("\"")],
    keywords: &["as", "case", "class", "data", "deriving", "do", "else", "family", "forall", "foreign", "hiding", "if", "import", "in", "infix", "infixl", "infixr", "instance", "let", "module", "newtype", "of", "qualified", "then", "type", "where"],
    flags: CAPITALS,
    ..Language::EMPTY
};

static ELIXIR: Language = Language {
    names: &["elixir", "ex", "exs"],
    line: &["#"],
    quotes: &[Quote::long("\"\"\"", "\"\"\""), Quote::new("\""), Quote::new("'")],
    keywords: &["after", "and", "case", "catch", "cond", "def", "defimpl", "defmacro", "defmodule", "defp", "defprotocol", "defstruct", "do", "else", "end", "fn", "for", "if", "import", "in", "not", "or", "quote", "raise", "receive", "require", "rescue", "super", "try", "unless", "unquote", "use", "when", "with"],
    constants: &["false", "nil", "true"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static SCALA: Language = Language {
    names: &["scala", "sbt"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::long("\"\"\"", "\"\"\""), Quote::new("\"")],
    keywords: &["abstract", "case", "catch", "class", "def", "derives", "do", "else", "end", "enum", "export", "extends", "extension", "final", "finally", "for", "given", "if", "implicit", "import", "inline", "lazy", "match", "new", "object", "opaque", "override", "package", "private", "protected", "return", "sealed", "super", "then", "throw", "trait", "try", "type", "using", "val", "var", "while", "with", "yield"],
    constants: &["false", "null", "this", "true"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static DART: Language = Language {
    names: &["dart"],
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::long("\"\"\"", "\"\"\""), Quote::new("\""), Quote::new("'")],
    keywords: &["abstract", "as", "assert", "async", "await", "break", "case", "catch", "class", "const", "continue", "covariant", "default", "deferred", "do", "else", "enum", "export", "extends", "extension", "external", "factory", "final", "finally", "for", "get", "if", "implements", "import", "in", "interface", "is", "late", "library", "mixin", "new", "operator", "part", "required", "rethrow", "return", "sealed", "set", "static", "super", "switch", "sync", "throw", "try", "typedef", "var", "when", "while", "with", "yield"],
    types: &["bool", "double", "dynamic", "int", "num", "void"],
    constants: &["false", "null", "this", "true"],
    flags: CALLS | CAPITALS | AT,
    ..Language::EMPTY
};

static PERL: Language = Language {
    names: &["perl", "pl", "pm"],
    line: &["#"],
    quotes: &[Quote::new("\""), Quote::new("'")],
    keywords: &["and", "bless", "cmp", "die", "do", "else", "elsif", "eq", "for", "foreach", "ge", "gt", "if", "last", "le", "local", "lt", "my", "ne", "next", "no", "not", "or", "our", "package", "print", "push", "redo", "require", "return", "shift", "sub", "unless", "until", "use", "while", "xor"],
    constants: &["undef"],
    flags: CALLS | DOLLAR | AT,
    ..Language::EMPTY
};

static R: Language = Language {
    names: &["r", "rscript"],
    line: &["#"],
    quotes: &[Quote::new("\""), Quote::new("'")],
    keywords: &["break", "else", "for", "function", "if", "in", "library", "next", "repeat", "return", "while"],
    constants: &["FALSE", "Inf", "NA", "NULL", "NaN", "TRUE"],
    flags: CALLS,
    ..Language::EMPTY
};

static DOCKERFILE: Language = Language {
    names: &["dockerfile", "docker", "containerfile"],
    line: &["#"],
    quotes: &[Quote::new("\""), Quote::new("'")],
    keywords: &["add", "arg", "as", "cmd", "copy", "entrypoint", "env", "expose", "from", "healthcheck", "label", "onbuild", "run", "shell", "stopsignal", "user", "volume", "workdir"],
    flags: ANY_CASE | DOLLAR | DASH,
    ..Language::EMPTY
};

static MAKE: Language = Language {
    names: &["makefile", "make", "mk"],
    line: &["#"],
    quotes: &[Quote::new("\""), Quote::new("'")],
    keywords: &["define", "else", "endef", "endif", "export", "ifdef", "ifeq", "ifndef", "ifneq", "include", "override", "unexport", "vpath"],
    flags: EQUALS | DOLLAR | DASH | CALLS,
    ..Language::EMPTY
};

static CMAKE: Language = Language {
    names: &["cmake"],
    line: &["#"],
    quotes: &[Quote::new("\"")],
    keywords: &["else", "elseif", "endforeach", "endfunction", "endif", "endmacro", "endwhile", "foreach", "function", "if", "macro", "return", "while"],
    constants: &["false", "off", "on", "true"],
    flags: CALLS | ANY_CASE | DOLLAR,
    ..Language::EMPTY
};

static NIX: Language = Language {
    names: &["nix"],
    line: &["#"],
    block: &[("/*", "*/")],
    quotes: &[Quote::long("''", "''"), Quote::new("\"")],
    keywords: &["assert", "else", "if", "import", "in", "inherit", "let", "or", "rec", "then", "with"],
    constants: &["false", "null", "true"],
    flags: EQUALS | DASH,
    ..Language::EMPTY
};

static PROTO: Language = Language {
    names: &["protobuf", "proto", "graphql", "gql"],
    line: &["//", "#"],
    block: &[("/*", "*/")],
    quotes: &[Quote::new("\"")],
    keywords: &["enum", "extend", "extensions", "fragment", "import", "input", "interface", "message", "mutation", "on", "oneof", "option", "optional", "package", "query", "repeated", "required", "reserved", "returns", "rpc", "scalar", "schema", "service", "subscription", "syntax", "type", "union"],
    types: &["bool", "bytes", "double", "fixed32", "fixed64", "float", "int32", "int64", "sint32", "sint64", "string", "uint32", "uint64"],
    constants: &["false", "null", "true"],
    flags: CAPITALS | AT,
    ..Language::EMPTY
};

static HCL: Language = Language {
    names: &["hcl", "terraform", "tf"],
    line: &["#", "//"],
    block: &[("/*", "*/")],
    quotes: &[Quote::new("\"")],
    keywords: &["data", "for", "if", "in", "locals", "module", "output", "provider", "resource", "terraform", "variable"],
    types: &["any", "bool", "list", "map", "number", "object", "set", "string"],
    constants: &["false", "null", "true"],
    flags: EQUALS | DASH | CALLS,
    ..Language::EMPTY
};

static POWERSHELL: Language = Language {
    names: &["powershell", "ps1", "pwsh"],
    line: &["#"],
    block: &[("<#", "#>")],
    quotes: &[Quote::new("\""), Quote::new("'")],
    keywords: &["begin", "break", "catch", "class", "continue", "do", "else", "elseif", "end", "exit", "finally", "for", "foreach", "function", "if", "in", "param", "process", "return", "switch", "throw", "try", "until", "using", "while"],
    flags: DOLLAR | DASH | ANY_CASE | CALLS,
    ..Language::EMPTY
};

static PATCH_FILE: Language = Language {
    names: &["diff", "patch"],
    flags: PATCH,
    ..Language::EMPTY
};
