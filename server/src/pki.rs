//! A certificate authority of a farm's own, and the certificates that it signs.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, PublicKeyData, date_time_ymd,
};
use rustls::pki_types::ServerName;
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::access::secret;
use crate::error::{CredentialError, ServerError};
use crate::tls::pem;

/// The validity of certificates, from now and into the past. Only the farm trusts them, and the
/// clocks of its machines may differ.
const VALIDITY: Duration = Duration::from_secs(5 * 365 * 24 * 60 * 60);
const CLOCK_SKEW: Duration = Duration::from_secs(60 * 60);

/// The authority of a farm, and its key.
const AUTHORITY: &str = "ca.pem";
const AUTHORITY_KEY: &str = "ca.key";

/// The content of a PEM file; keys are secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PemKind {
    Certificate,
    Key,
}

/// The files of a farm: name, kind and content.
type PkiFiles = [(&'static str, PemKind, String); 6];

/// The holder of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateHolder {
    /// A coordinator that is reached at these names and addresses.
    Coordinator {
        /// Host names, which may begin with `*.`, and IP addresses.
        hosts: Vec<String>,
    },
    /// A worker or a person.
    Client,
}

/// Behavior of a new certificate whose files exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfPresent {
    /// Replace them.
    Replace,
    /// Fail.
    Fail,
}

/// Creates an authority, a certificate for coordinators at `hosts` and a certificate for workers,
/// each with its key, in the folder at `path`. Existing files are never overwritten.
///
/// # Errors
///
/// Fails if a host is no name or address, or if a file cannot be written.
pub fn init(path: &Path, hosts: &[String]) -> Result<(), ServerError> {
    check_hosts(hosts)?;
    let files = make(hosts)
        .map_err(|source| CredentialError::CertificateHosts { hosts: hosts.to_vec(), source })?;
    let make_folder = DirBuilder::new().recursive(true).mode(0o700).create(path);
    make_folder.map_err(|source| not_written(path, source))?;
    for (name, _, _) in &files {
        let path = path.join(name);
        if path.symlink_metadata().is_ok() {
            return Err(not_written(&path, ErrorKind::AlreadyExists.into()));
        }
    }
    for (name, kind, text) in &files {
        let path = path.join(name);
        write_new(&path, *kind, text).map_err(|source| not_written(&path, source))?;
    }
    Ok(())
}

/// Creates a certificate `name`.pem for `holder` with its key `name`.key in the folder at `path`,
/// which has an authority with its key. Returns the time when the certificate expires.
///
/// # Errors
///
/// Fails if a host is no name or address, if the authority cannot be used, or if a file cannot be
/// written.
pub fn issue(
    path: &Path,
    name: &str,
    holder: &CertificateHolder,
    if_present: IfPresent,
) -> Result<SystemTime, ServerError> {
    let (issuer, expiry) = authority(path)?;
    let (title, hosts, purpose) = match holder {
        CertificateHolder::Coordinator { hosts } => {
            check_hosts(hosts)?;
            ("hatchery coordinator", hosts.as_slice(), ExtendedKeyUsagePurpose::ServerAuth)
        }
        CertificateHolder::Client => {
            ("hatchery worker", [].as_slice(), ExtendedKeyUsagePurpose::ClientAuth)
        }
    };
    let unusable = |source| CredentialError::CertificateHosts { hosts: hosts.to_vec(), source };
    let (certificate, key) = leaf(title, hosts, purpose, &issuer, expiry).map_err(unusable)?;
    // The key comes first: a coordinator that reads one new file of the two keeps what it has.
    let files = [("key", PemKind::Key, key), ("pem", PemKind::Certificate, certificate)];
    let files =
        files.map(|(suffix, kind, text)| (path.join(format!("{name}.{suffix}")), kind, text));
    if if_present == IfPresent::Fail
        && let Some((path, ..)) = files.iter().find(|(path, ..)| path.symlink_metadata().is_ok())
    {
        return Err(CredentialError::CertificateExists { path: path.clone() }.into());
    }
    for (path, kind, text) in &files {
        replace(path, *kind, text).map_err(|source| not_written(path, source))?;
    }
    Ok(UNIX_EPOCH + expiry)
}

/// Checks that clients can look for each of `hosts` in a certificate.
fn check_hosts(hosts: &[String]) -> Result<(), CredentialError> {
    let is_host = |host: &&String| {
        let name = host.strip_prefix("*.").unwrap_or(host);
        ServerName::try_from(name).is_ok()
    };
    match hosts.iter().find(|host| !is_host(host)) {
        Some(host) => Err(CredentialError::CertificateHost { host: host.clone() }),
        None => Ok(()),
    }
}

/// Reads the authority in a folder, and returns it with the time when its new certificates expire,
/// since 1970: no later than its own.
fn authority(folder: &Path) -> Result<(Issuer<'static, KeyPair>, Duration), ServerError> {
    let (path, key_path) = (folder.join(AUTHORITY), folder.join(AUTHORITY_KEY));
    let certificates = pem::certificates(&path, &pem::read(&path)?)?;
    let key = secret::read(&key_path)?;
    pem::check_decrypted(&key_path, &key)?;
    let key = str::from_utf8(&key).ok().and_then(|key| KeyPair::from_pem(key).ok());
    let key = key.ok_or_else(|| CredentialError::NoPrivateKey { path: key_path.clone() })?;
    // While an authority is replaced, the file holds two.
    let public_key = key.subject_public_key_info();
    let own = certificates.iter().find(|certificate| {
        let parsed = X509Certificate::from_der(certificate);
        parsed.is_ok_and(|(_, parsed)| parsed.public_key().raw == public_key)
    });
    let Some(own) = own else {
        return Err(CredentialError::OtherAuthority { authority: path, key: key_path }.into());
    };
    if !X509Certificate::from_der(own).is_ok_and(|(_, parsed)| parsed.is_ca()) {
        return Err(CredentialError::NoAuthority { path }.into());
    }
    let now = since_1970();
    let until = pem::expires_unix_s(own).and_then(|unix_s| unix_s.try_into().ok());
    let until = Duration::from_secs(until.unwrap_or(0));
    if until <= now {
        let expired = humantime::format_rfc3339_seconds(UNIX_EPOCH + until).to_string();
        return Err(CredentialError::AuthorityExpired { path, expired }.into());
    }
    let issuer = Issuer::from_ca_cert_der(own, key);
    let issuer = issuer.map_err(|source| CredentialError::Authority { path, source })?;
    Ok((issuer, until.min(now + VALIDITY)))
}

fn not_written(path: &Path, source: io::Error) -> ServerError {
    ServerError::File { path: path.to_owned(), action: "write", source }
}

/// Writes a file that must not exist.
fn write_new(path: &Path, kind: PemKind, text: &str) -> io::Result<()> {
    let mode = match kind {
        PemKind::Certificate => 0o644,
        PemKind::Key => 0o600,
    };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(text.as_bytes())
}

/// Writes a file, replacing an existing file: readers see the old file or the new file.
fn replace(path: &Path, kind: PemKind, text: &str) -> io::Result<()> {
    let new = path.with_added_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    write_new(&new, kind, text)?;
    fs::rename(&new, path)
}

fn make(hosts: &[String]) -> Result<PkiFiles, rcgen::Error> {
    let key = KeyPair::generate()?;
    let expiry = since_1970() + VALIDITY;
    let mut params = params("hatchery authority", &[], expiry)?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority = params.self_signed(&key)?.pem();
    let authority_key = key.serialize_pem();
    let issuer = Issuer::new(params, key);
    let (server, client) =
        (ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth);
    let server = leaf("hatchery coordinator", hosts, server, &issuer, expiry)?;
    let worker = leaf("hatchery worker", &[], client, &issuer, expiry)?;
    Ok([
        (AUTHORITY, PemKind::Certificate, authority),
        (AUTHORITY_KEY, PemKind::Key, authority_key),
        ("server.pem", PemKind::Certificate, server.0),
        ("server.key", PemKind::Key, server.1),
        ("worker.pem", PemKind::Certificate, worker.0),
        ("worker.key", PemKind::Key, worker.1),
    ])
}

/// Creates a certificate, which expires at a time since 1970, and its key.
fn leaf(
    name: &str,
    hosts: &[String],
    purpose: ExtendedKeyUsagePurpose,
    issuer: &Issuer<'_, KeyPair>,
    expiry: Duration,
) -> Result<(String, String), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = params(name, hosts, expiry)?;
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![purpose];
    params.use_authority_key_identifier_extension = true;
    Ok((params.signed_by(&key, issuer)?.pem(), key.serialize_pem()))
}

fn params(
    name: &str,
    hosts: &[String],
    expiry: Duration,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(hosts)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let epoch = date_time_ymd(1970, 1, 1);
    params.not_before = epoch + since_1970().saturating_sub(CLOCK_SKEW);
    params.not_after = epoch + expiry;
    Ok(params)
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;

    /// Returns the output of openssl, which must succeed.
    fn openssl(folder: &Path, args: &[&str]) -> String {
        let output = Command::new("openssl").current_dir(folder).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn openssl_accepts_the_certificates() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pki");
        init(&path, &["farm.example".to_owned(), "192.0.2.1".to_owned()]).unwrap();
        for (purpose, file) in [("sslserver", "server.pem"), ("sslclient", "worker.pem")] {
            let verify = ["verify", "-x509_strict", "-CAfile", "ca.pem", "-purpose", purpose, file];
            openssl(&path, &verify);
        }
        let hosts = ["-verify_hostname", "farm.example", "-verify_ip", "192.0.2.1"];
        openssl(&path, &[&["verify", "-CAfile", "ca.pem"], &hosts[..], &["server.pem"]].concat());
        let text = openssl(&path, &["x509", "-in", "ca.pem", "-noout", "-text"]);
        assert!(text.contains("CA:TRUE, pathlen:0"), "{text}");
        for entry in fs::read_dir(&path).unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            let is_key = entry.file_name().to_str().unwrap().ends_with(".key");
            assert_eq!(mode & 0o077 == 0, is_key, "{entry:?} {mode:o}");
        }
    }

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("worker.key"), "mine").unwrap();
        let failure = init(folder.path(), &["farm".to_owned()]).unwrap_err();
        assert!(failure.to_string().contains("worker.key"), "{failure}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        for host in ["", "no host\u{e9}", "http://x", "x:7700", "999.1.1.1/24", "a b", "\u{1b}[31m"]
        {
            let failure = init(&folder.path().join("a"), &["farm".to_owned(), host.to_owned()]);
            let failure = failure.unwrap_err().to_string();
            assert!(failure.contains("neither a host name nor an IP address"), "{failure}");
        }
        assert!(!folder.path().join("a").exists());
        init(&folder.path().join("b"), &["*.farm.example".to_owned(), "::1".to_owned()]).unwrap();
    }

    #[test]
    fn openssl_accepts_what_is_issued_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        init(path, &["farm.example".to_owned()]).unwrap();
        let hosts = vec!["other.example".to_owned(), "2001:db8::1".to_owned()];
        let other = CertificateHolder::Coordinator { hosts };
        issue(path, "other", &other, IfPresent::Fail).unwrap();
        issue(path, "ada", &CertificateHolder::Client, IfPresent::Fail).unwrap();
        for (purpose, file) in [("sslserver", "other.pem"), ("sslclient", "ada.pem")] {
            let verify = ["verify", "-x509_strict", "-CAfile", "ca.pem", "-purpose", purpose, file];
            openssl(path, &verify);
        }
        let hosts = ["-verify_hostname", "other.example", "-verify_ip", "2001:db8::1"];
        openssl(path, &[&["verify", "-CAfile", "ca.pem"], &hosts[..], &["other.pem"]].concat());
        let mode = fs::metadata(path.join("other.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");

        let before = fs::read(path.join("server.key")).unwrap();
        let error = issue(path, "server", &other, IfPresent::Fail).unwrap_err();
        assert!(error.to_string().contains("server.key already exists"), "{error}");
        assert_eq!(fs::read(path.join("server.key")).unwrap(), before);
        issue(path, "server", &other, IfPresent::Replace).unwrap();
        assert!(fs::read(path.join("server.key")).unwrap() != before);
        openssl(path, &["verify", "-CAfile", "ca.pem", "server.pem"]);
    }

    #[test]
    fn an_authority_that_cannot_sign_is_named() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = folder.path();
        let check = |expected: &str| {
            let issued = issue(path, "ada", &CertificateHolder::Client, IfPresent::Fail);
            let error = hatchery_core::error_chain(&issued.unwrap_err());
            assert!(error.contains(expected), "{error}");
            assert!(!path.join("ada.pem").exists() && !path.join("ada.key").exists());
        };
        check("ca.pem: No such file");
        init(path, &["farm".to_owned()]).unwrap();
        init(other.path(), &["farm".to_owned()]).unwrap();
        let own = fs::read_to_string(path.join("ca.pem")).unwrap();
        let others = fs::read_to_string(other.path().join("ca.pem")).unwrap();
        fs::write(path.join("ca.pem"), &others).unwrap();
        check("ca.key is not the key of a certificate in");
        fs::write(path.join("ca.pem"), others + &own).unwrap();
        issue(path, "bob", &CertificateHolder::Client, IfPresent::Fail).unwrap();
        openssl(path, &["pkey", "-in", "ca.key", "-aes256", "-passout", "pass:x", "-out", "enc"]);
        fs::rename(path.join("enc"), path.join("ca.key")).unwrap();
        check("ca.key is encrypted: decrypt it first");
        fs::remove_file(path.join("ca.key")).unwrap();
        check("ca.key: No such file");

        for suffix in ["pem", "key"] {
            let [from, to] = ["server", "ca"].map(|name| path.join(format!("{name}.{suffix}")));
            fs::copy(from, to).unwrap();
        }
        check("holds no authority's certificate");
        fs::remove_file(path.join("ca.key")).unwrap();

        let key = KeyPair::generate().unwrap();
        let mut expired = params("hatchery authority", &[], Duration::from_secs(86_400)).unwrap();
        expired.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        fs::write(path.join("ca.pem"), expired.self_signed(&key).unwrap().pem()).unwrap();
        write_new(&path.join("ca.key"), PemKind::Key, &key.serialize_pem()).unwrap();
        check("expired on 1970-01-02T00:00:00Z");
    }
}
