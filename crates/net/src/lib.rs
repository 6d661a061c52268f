//! One HTTP client factory: proxies, certificates, timeouts and redirects.
