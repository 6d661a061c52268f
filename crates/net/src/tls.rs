//! Certificates. They are read only where a connection is encrypted: reading them is most of what a client costs.

use crate::NetError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The configuration of a client; with roots only when `secure`.
pub(crate) fn config(secure: bool, ca_file: Option<&Path>) -> Result<ClientConfig, NetError> {
    let roots = if secure { roots(ca_file)? } else { RootCertStore::empty() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| NetError::Build(error.to_string()))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// The system's authorities (`SSL_CERT_FILE` and `SSL_CERT_DIR` honoured), the built-in ones where the system has none,
/// and the user's own.
fn roots(ca_file: Option<&Path>) -> Result<RootCertStore, NetError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        if let Some(path) = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from) {
            return Err(NetError::CaFile { path, reason: "SSL_CERT_FILE names it and it has no certificates".into() });
        }
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    if let Some(path) = ca_file {
        add_file(&mut roots, path)?;
    }
    Ok(roots)
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), NetError> {
    let bad = |reason: String| NetError::CaFile { path: path.to_owned(), reason };
    let pem = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
    let mut found = 0;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| bad(error.to_string()))?;
        roots.add(certificate).map_err(|error| bad(error.to_string()))?;
        found += 1;
    }
    if found == 0 { Err(bad("there is no certificate in it".into())) } else { Ok(()) }
}
