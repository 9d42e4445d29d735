//! A certificate authority of a farm's own, and the certificates that it signs.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};

use crate::error::{CommandError, UsageError};

/// The validity of certificates, from now and into the past. Only the farm trusts them, and the
/// clocks of its machines may differ.
const VALIDITY: Duration = Duration::from_secs(5 * 365 * 24 * 60 * 60);
const CLOCK_SKEW: Duration = Duration::from_secs(60 * 60);

/// The content of a PEM file; keys are secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PemKind {
    Certificate,
    Key,
}

/// The files of a farm: name, kind and content.
type PkiFiles = [(&'static str, PemKind, String); 6];

/// Creates an authority, a certificate for coordinators at `hosts` and one for workers, each with
/// its key, in the folder at `path`. Existing files are never overwritten.
pub(crate) fn init(path: &Path, hosts: &[String]) -> Result<(), CommandError> {
    let files = make(hosts)
        .map_err(|source| UsageError::CertificateHosts { hosts: hosts.to_vec(), source })?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| CommandError::File { path, action: "write", source }
    };
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed(path))?;
    for (name, _, _) in &files {
        let path = path.join(name);
        if path.symlink_metadata().is_ok() {
            let there = ErrorKind::AlreadyExists;
            return Err(failed(&path)(there.into()));
        }
    }
    for (name, kind, text) in &files {
        let path = path.join(name);
        let mode = match kind {
            PemKind::Certificate => 0o644,
            PemKind::Key => 0o600,
        };
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(failed(&path))?;
    }
    Ok(())
}

fn make(hosts: &[String]) -> Result<PkiFiles, rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = params("hatchery authority", &[])?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority = params.self_signed(&key)?.pem();
    let authority_key = key.serialize_pem();
    let issuer = Issuer::new(params, key);
    let server = leaf("hatchery coordinator", hosts, ExtendedKeyUsagePurpose::ServerAuth, &issuer)?;
    let worker = leaf("hatchery worker", &[], ExtendedKeyUsagePurpose::ClientAuth, &issuer)?;
    Ok([
        ("ca.pem", PemKind::Certificate, authority),
        ("ca.key", PemKind::Key, authority_key),
        ("server.pem", PemKind::Certificate, server.0),
        ("server.key", PemKind::Key, server.1),
        ("worker.pem", PemKind::Certificate, worker.0),
        ("worker.key", PemKind::Key, worker.1),
    ])
}

/// Creates a certificate and its key.
fn leaf(
    name: &str,
    hosts: &[String],
    purpose: ExtendedKeyUsagePurpose,
    issuer: &Issuer<'_, KeyPair>,
) -> Result<(String, String), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = params(name, hosts)?;
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![purpose];
    params.use_authority_key_identifier_extension = true;
    Ok((params.signed_by(&key, issuer)?.pem(), key.serialize_pem()))
}

fn params(name: &str, hosts: &[String]) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(hosts)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let epoch = date_time_ymd(1970, 1, 1);
    params.not_before = epoch + now.saturating_sub(CLOCK_SKEW);
    params.not_after = epoch + now + VALIDITY;
    Ok(params)
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
        assert!(init(&folder.path().join("a"), &["no host\u{e9}".to_owned()]).is_err());
    }
}
