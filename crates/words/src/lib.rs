//! What people read: message codes with arguments, in English and Chinese.
