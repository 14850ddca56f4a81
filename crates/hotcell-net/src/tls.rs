//! TLS, and whom it trusts.

use std::{
    io,
    sync::{Arc, OnceLock},
};

use async_io::Async;
use futures_rustls::{TlsConnector, client::TlsStream};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};

use crate::{
    connection::Peer,
    error::NetError,
    policy::{NetworkPolicy, PolicyError, TrustRoots},
};

/// For who will not have 1.2.
const TLS13: &[&rustls::SupportedProtocolVersion] = &[&rustls::version::TLS13];

/// The sides of TLS that a network needs. Made when first needed: few sandboxes use it.
pub(crate) struct Tls {
    roots: Arc<RootCertStore>,
    /// By whether certificates are checked, and whether version 1.2 will do.
    configs: [OnceLock<Arc<ClientConfig>>; 4],
}

impl Tls {
    pub(crate) fn new(policy: &NetworkPolicy) -> Result<Self, PolicyError> {
        let wrong = |why: String| PolicyError::Roots { why };
        let mut roots = RootCertStore::empty();
        match policy.roots {
            TrustRoots::Bundled => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            TrustRoots::System => {
                let found = rustls_native_certs::load_native_certs();
                let (added, _) = roots.add_parsable_certificates(found.certs);
                if added == 0 {
                    let why = found.errors.first().map(ToString::to_string);
                    return Err(wrong(
                        why.unwrap_or_else(|| "the machine has none".to_owned()),
                    ));
                }
            }
            TrustRoots::None => {}
        }
        for pem in &policy.extra_roots {
            let mut count = 0;
            for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
                let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                roots
                    .add(certificate)
                    .map_err(|error| wrong(error.to_string()))?;
                count += 1;
            }
            if count == 0 {
                return Err(wrong(
                    "an extra root has no certificate in it; PEM is expected".to_owned(),
                ));
            }
        }
        Ok(Self {
            roots: Arc::new(roots),
            configs: Default::default(),
        })
    }

    /// Shakes hands with a server.
    pub(crate) async fn connect(
        &self,
        peer: &Peer,
        stream: Async<std::net::TcpStream>,
    ) -> Result<TlsStream<Async<std::net::TcpStream>>, NetError> {
        let host = peer.host.as_str();
        let failed = |error: &Error| NetError::Tls {
            host: host.to_owned(),
            why: error.to_string(),
        };
        let index = usize::from(peer.is_insecure) + 2 * usize::from(peer.needs_tls13);
        let config = match self.configs.get(index).and_then(OnceLock::get) {
            Some(config) => Arc::clone(config),
            None => {
                let config = Arc::new(self.config(peer).map_err(|error| failed(&error))?);
                if let Some(cell) = self.configs.get(index) {
                    // Whoever was first has made the same.
                    let _ = cell.set(Arc::clone(&config));
                }
                config
            }
        };
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let bare = bare.strip_suffix('.').unwrap_or(bare);
        let name = ServerName::try_from(bare.to_owned()).map_err(|_| NetError::Tls {
            host: host.to_owned(),
            why: "the name cannot be in a certificate".to_owned(),
        })?;
        let connector = TlsConnector::from(config);
        connector
            .connect(name, stream)
            .await
            .map_err(|error| explain(host, &error))
    }

    fn config(&self, peer: &Peer) -> Result<ClientConfig, Error> {
        let provider = Arc::new(ring::default_provider());
        let versions = if peer.needs_tls13 {
            TLS13
        } else {
            rustls::DEFAULT_VERSIONS
        };
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)?;
        let mut config = if peer.is_insecure {
            let verifier = Arc::new(Unchecked(provider));
            let builder = builder
                .dangerous()
                .with_custom_certificate_verifier(verifier);
            builder.with_no_client_auth()
        } else if self.roots.is_empty() {
            return Err(Error::General("no authority is trusted".to_owned()));
        } else {
            let verifier =
                WebPkiServerVerifier::builder_with_provider(Arc::clone(&self.roots), provider)
                    .build()
                    .map_err(|error| Error::General(error.to_string()))?;
            builder.with_webpki_verifier(verifier).with_no_client_auth()
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// What went wrong with a handshake.
fn explain(host: &str, error: &io::Error) -> NetError {
    let host = host.to_owned();
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        Some(Error::InvalidCertificate(why)) => NetError::Certificate {
            why: match why {
                CertificateError::UnknownIssuer => {
                    "unable to get local issuer certificate".to_owned()
                }
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                    "certificate has expired".to_owned()
                }
                CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                    "certificate is not yet valid".to_owned()
                }
                CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. } => {
                    format!(
                        "no alternative certificate subject name matches target host name '{host}'"
                    )
                }
                other => other.to_string(),
            },
            host,
        },
        Some(other) => NetError::Tls {
            host,
            why: other.to_string(),
        },
        None => NetError::Tls {
            host,
            why: match error.kind() {
                io::ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
                _ => error.to_string(),
            },
        },
    }
}

/// Takes any certificate, as `curl -k` asks for. Whoever holds it has to have its key.
#[derive(Debug)]
struct Unchecked(Arc<CryptoProvider>);

impl ServerCertVerifier for Unchecked {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
