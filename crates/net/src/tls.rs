//! Certificates. They are read only where a connection is encrypted: reading them is most of what a client costs.

use crate::{NetError, NetOptions};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The configuration of a client; with roots and a certificate of our own only when `secure`.
pub(crate) fn config(secure: bool, options: &NetOptions) -> Result<ClientConfig, NetError> {
    let roots = if secure { roots(options.ca_file.as_deref())? } else { RootCertStore::empty() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| NetError::Build(error.to_string()))?
        .with_root_certificates(roots);
    let mut config = match options.client_cert.as_deref().filter(|_| secure) {
        Some(path) => {
            let (chain, key) = identity(path, options.client_key.as_deref())?;
            let bad = |error: rustls::Error| NetError::CaFile { path: path.to_owned(), reason: error.to_string() };
            builder.with_client_auth_cert(chain, key).map_err(bad)?
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Our own certificate and its key.
fn identity(
    cert: &Path,
    key: Option<&Path>,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), NetError> {
    let bad = |path: &Path, reason: String| NetError::CaFile { path: path.to_owned(), reason };
    let read = |path: &Path| std::fs::read(path).map_err(|error| bad(path, error.to_string()));
    let chain = CertificateDer::pem_slice_iter(&read(cert)?).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| bad(cert, error.to_string()))?;
    if chain.is_empty() {
        return Err(bad(cert, "there is no certificate in it".into()));
    }
    let path = key.unwrap_or(cert);
    // What the parser says could quote the file; a key must not be quoted.
    let key = PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|_| bad(path, "there is no key in it".into()))?;
    Ok((chain, key))
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
