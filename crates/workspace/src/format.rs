//! How a text file is laid out on disk: encoding, byte order mark, line ends, mode bits.

/// A text encoding that can be read and written without loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a mark.
    Utf8,
    /// UTF-16, little endian, with a mark.
    Utf16Le,
    /// UTF-16, big endian, with a mark.
    Utf16Be,
    /// One of the legacy encodings: GBK, Big5, Shift_JIS, EUC-KR, windows-125x and so on.
    Legacy(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Legacy(encoding) => encoding.name(),
        }
    }
}

/// The line ends of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eol {
    /// Every line ends in `\n`.
    Lf,
    /// Every line ends in `\r\n`.
    Crlf,
    /// Both occur.
    Mixed,
    /// There is no line end.
    None,
}

/// How a text file is laid out on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Its encoding.
    pub encoding: Encoding,
    /// True when it starts with a byte order mark.
    pub bom: bool,
    /// Its line ends.
    pub eol: Eol,
    /// Its permission bits; `None` for a file that does not exist yet.
    pub mode: Option<u32>,
}

impl Format {
    /// The layout of a new file: UTF-8, no mark, the umask's mode bits.
    pub const NEW: Self = Self { encoding: Encoding::Utf8, bom: false, eol: Eol::None, mode: None };

    /// Gives `text` the line ends of a file whose lines all end in `\r\n`; otherwise `text` as it is.
    pub fn adapt_eol(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let (Eol::Crlf, Some(at)) = (self.eol, rest.find('\n')) {
            let (line, tail) = rest.split_at(at);
            out.push_str(line.strip_suffix('\r').unwrap_or(line));
            out.push_str("\r\n");
            rest = tail.strip_prefix('\n').unwrap_or(tail);
        }
        out.push_str(rest);
        out
    }

    /// A short description when the file is anything but plain UTF-8 with `\n`, such as `GBK, CRLF`.
    pub fn remark(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.encoding != Encoding::Utf8 {
            parts.push(self.encoding.name());
        } else if self.bom {
            parts.push("UTF-8 with BOM");
        }
        match self.eol {
            Eol::Crlf => parts.push("CRLF"),
            Eol::Mixed => parts.push("mixed line ends"),
            Eol::Lf | Eol::None => {}
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

impl Eol {
    /// The line ends of `text`.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut lf, mut crlf) = (false, false);
        for at in memchr::memchr_iter(b'\n', bytes) {
            match at.checked_sub(1).and_then(|before| bytes.get(before)) {
                Some(b'\r') => crlf = true,
                _ => lf = true,
            }
            if lf && crlf {
                return Self::Mixed;
            }
        }
        match (lf, crlf) {
            (true, _) => Self::Lf,
            (_, true) => Self::Crlf,
            _ => Self::None,
        }
    }
}
