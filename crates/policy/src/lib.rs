//! Pure permission verdicts: rules, postures and precedence.
