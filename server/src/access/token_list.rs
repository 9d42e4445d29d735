//! The tokens of a farm: a line for each, with its name, its role and its hash.
//!
//! ```text
//! # name  role      hash, and a comment
//! lab     worker    6f1b...9c  the machines in room 12
//! ada     operator  02aa...4e
//! old     revoked   9d30...71
//! ```

use hatchery_coordinator::UserName;
use hatchery_meters::labels::AuthFailure;
use hyper::header::HeaderValue;

use super::role::{CallAccess, TokenRole};
use super::secret::{TokenId, TokenSecret};
use crate::error::TokenListError;

/// The limits of a file of tokens: more than the people and machines of a farm.
pub(crate) const MAX_FILE_BYTES: u64 = 4 << 20;
const MAX_TOKENS: usize = 10_000;

/// The word in place of the role of a revoked token. The token's line stays in the file, so that
/// the token is recognized when it is used again.
const REVOKED: &str = "revoked";

/// The prefix of a token in an `Authorization` header.
const SCHEME: &[u8] = b"Bearer ";

/// The tokens of a farm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenList(Vec<TokenEntry>);

/// An entry of the list: a token without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenEntry {
    /// The name of its owner.
    pub name: UserName,
    /// The role; `None` if the token was revoked.
    pub role: Option<TokenRole>,
    /// The hash of the secret.
    pub id: TokenId,
    /// The rest of the line.
    pub comment: String,
}

/// The authenticated caller. It is valid as long as the line of its token stays the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Principal {
    pub(crate) name: UserName,
    pub(crate) role: TokenRole,
    pub(crate) id: TokenId,
}

/// A call without a token that allows it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AuthError {
    #[error("a token is needed: give --token-file FILE, or set HATCHERY_TOKEN_FILE")]
    Missing,
    #[error("the token is not known here")]
    Unknown,
    #[error("the token {0} was revoked")]
    Revoked(UserName),
    #[error("the token {0} is no longer listed")]
    Unlisted(UserName),
    #[error("the token {0} has another role now")]
    RoleChanged(UserName),
    #[error("the token {name} is for the role {role}, and this needs {least}")]
    Role { name: UserName, role: TokenRole, least: TokenRole },
}

impl AuthError {
    /// Returns the label under which the error is counted.
    pub(crate) fn reason(&self) -> AuthFailure {
        match self {
            Self::Missing => AuthFailure::Missing,
            Self::Unknown => AuthFailure::Unknown,
            Self::Revoked(_) | Self::Unlisted(_) | Self::RoleChanged(_) => AuthFailure::Revoked,
            Self::Role { .. } => AuthFailure::Role,
        }
    }

    /// Returns the name of the token, if it is known.
    pub(crate) fn token(&self) -> Option<&UserName> {
        match self {
            Self::Missing | Self::Unknown => None,
            Self::Revoked(name)
            | Self::Unlisted(name)
            | Self::RoleChanged(name)
            | Self::Role { name, .. } => Some(name),
        }
    }
}

impl TokenList {
    /// Parses the text of a file of tokens.
    pub(crate) fn parse(text: &str) -> Result<Self, TokenListError> {
        let mut tokens: Vec<TokenEntry> = Vec::new();
        for (idx, line) in without_mark(text).lines().enumerate() {
            let wrong = |what| TokenListError::Line { line: idx + 1, what };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let token = TokenEntry::parse(line).map_err(wrong)?;
            if tokens.iter().any(|other| other.id == token.id) {
                return Err(wrong("the token is already listed"));
            }
            if token.role.is_some()
                && tokens.iter().any(|t| t.role.is_some() && t.name == token.name)
            {
                return Err(wrong("the name is already taken"));
            }
            if tokens.len() == MAX_TOKENS {
                return Err(TokenListError::TooMany { max: MAX_TOKENS });
            }
            tokens.push(token);
        }
        Ok(Self(tokens))
    }

    /// Iterates over the tokens in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &TokenEntry> {
        self.0.iter()
    }

    /// Authenticates the `Authorization` header of a call and checks that its role is enough for
    /// `required`; returns `None` if the call needs no token.
    pub(crate) fn authenticate(
        &self,
        header: Option<&HeaderValue>,
        required: CallAccess,
    ) -> Result<Option<Principal>, AuthError> {
        let CallAccess::Role(least) = required else { return Ok(None) };
        let header = header.ok_or(AuthError::Missing)?.as_bytes();
        let shown = header.strip_prefix(SCHEME).and_then(|shown| str::from_utf8(shown).ok());
        let id = shown.and_then(TokenSecret::parse).ok_or(AuthError::Unknown)?.id();
        // All tokens are compared, so that the time does not depend on which one matches.
        let found = self.0.iter().fold(None, |found, t| if t.id == id { Some(t) } else { found });
        let TokenEntry { name, role, .. } = found.ok_or(AuthError::Unknown)?;
        let role = role.ok_or_else(|| AuthError::Revoked(name.clone()))?;
        match role.includes(least) {
            true => Ok(Some(Principal { name: name.clone(), role, id })),
            false => Err(AuthError::Role { name: name.clone(), role, least }),
        }
    }

    /// Returns why `principal` is no longer valid, or `None` if its token still has its role.
    pub(crate) fn invalidity(&self, principal: &Principal) -> Option<AuthError> {
        let name = || principal.name.clone();
        match self.0.iter().find(|token| token.id == principal.id).map(|token| token.role) {
            None => Some(AuthError::Unlisted(name())),
            Some(None) => Some(AuthError::Revoked(name())),
            Some(Some(role)) => (role != principal.role).then(|| AuthError::RoleChanged(name())),
        }
    }

    fn find_active(&self, name: &UserName) -> Option<&TokenEntry> {
        self.0.iter().find(|token| token.role.is_some() && token.name == *name)
    }
}

impl TokenEntry {
    fn parse(line: &str) -> Result<Self, &'static str> {
        let mut words = line.split_whitespace();
        let mut word = || words.next().ok_or("expected a name, a role and a hash");
        let (name, role, id) = (word()?, word()?, word()?);
        Ok(Self {
            name: name.parse().map_err(|_| "the name is invalid")?,
            role: match role {
                REVOKED => None,
                role => Some(role.parse().map_err(|()| "the role is unknown")?),
            },
            id: TokenId::parse(id).ok_or("the hash is invalid")?,
            comment: words.collect::<Vec<_>>().join(" "),
        })
    }

    /// Returns the word for the role in the file, or the word for a revoked token.
    pub fn role_text(&self) -> String {
        self.role.map_or_else(|| REVOKED.to_owned(), |role| role.to_string())
    }

    fn line(&self) -> String {
        let Self { name, id, comment, .. } = self;
        format!("{name} {} {id} {comment}", self.role_text()).trim_end().to_owned()
    }
}

/// Returns a text without the mark of UTF-8, which some editors put in front of it.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Returns the file `text` with one more token.
pub(crate) fn add_token(text: &str, token: &TokenEntry) -> Result<String, TokenListError> {
    let text = without_mark(text);
    let tokens = TokenList::parse(text)?;
    if tokens.find_active(&token.name).is_some() {
        return Err(TokenListError::Taken(token.name.clone()));
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let text = format!("{text}{end}{}\n", token.line());
    TokenList::parse(&text).map(|_| text)
}

/// Returns the file `text` with the token of that name revoked.
pub(crate) fn revoke_token(text: &str, name: &UserName) -> Result<String, TokenListError> {
    let text = without_mark(text);
    let tokens = TokenList::parse(text)?;
    let token = tokens.find_active(name).ok_or_else(|| TokenListError::Unknown(name.clone()))?;
    let revoked = TokenEntry { role: None, ..token.clone() }.line();
    let lines = text.lines().map(|line| match TokenEntry::parse(line.trim()) {
        Ok(found) if found.id == token.id => format!("{revoked}\n"),
        _ => format!("{line}\n"),
    });
    Ok(lines.collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;

    fn token(name: &str, role: TokenRole) -> (TokenSecret, TokenEntry) {
        let secret = TokenSecret::generate().unwrap();
        let comment = "in room 12".to_owned();
        let token =
            TokenEntry { name: name.parse().unwrap(), role: Some(role), id: secret.id(), comment };
        (secret, token)
    }

    fn authenticate(
        tokens: &TokenList,
        secret: &TokenSecret,
        least: TokenRole,
    ) -> Result<Option<Principal>, AuthError> {
        let header = HeaderValue::from_str(&format!("Bearer {}", secret.reveal())).unwrap();
        tokens.authenticate(Some(&header), CallAccess::Role(least))
    }

    #[test]
    fn a_token_is_added_shown_and_revoked() {
        let (secret, token) = token("ada", TokenRole::Operator);
        let text = add_token("# people", &token).unwrap();
        assert!(!text.contains(secret.reveal()), "{text}");
        assert!(text.starts_with("# people\nada operator "), "{text}");
        let tokens = TokenList::parse(&text).unwrap();
        let principal = authenticate(&tokens, &secret, TokenRole::Viewer).unwrap().unwrap();
        assert_eq!(
            (principal.name.to_string().as_str(), principal.role),
            ("ada", TokenRole::Operator)
        );
        assert_eq!(
            authenticate(&tokens, &secret, TokenRole::Worker).unwrap_err().reason().as_str(),
            "role"
        );
        assert!(matches!(add_token(&text, &token), Err(TokenListError::Taken(_))));

        let text = revoke_token(&text, &token.name).unwrap();
        assert!(text.ends_with(" in room 12\n") && text.contains("ada revoked "), "{text}");
        let revoked = TokenList::parse(&text).unwrap();
        let now = |tokens: &TokenList| tokens.invalidity(&principal);
        assert_eq!(now(&tokens), None);
        assert_eq!(now(&revoked), Some(AuthError::Revoked(token.name.clone())));
        let unlisted = now(&TokenList::default()).unwrap();
        assert_eq!(unlisted.to_string(), "the token ada is no longer listed");
        let viewer = TokenEntry { role: Some(TokenRole::Viewer), ..token.clone() };
        let viewer = TokenList::parse(&add_token("", &viewer).unwrap()).unwrap();
        assert_eq!(now(&viewer), Some(AuthError::RoleChanged(token.name.clone())));
        let refusal = authenticate(&revoked, &secret, TokenRole::Viewer).unwrap_err();
        assert_eq!(refusal.to_string(), "the token ada was revoked");
        assert!(matches!(revoke_token(&text, &token.name), Err(TokenListError::Unknown(_))));
        let again = add_token(&text, &self::token("ada", TokenRole::Viewer).1).unwrap();
        assert_eq!(TokenList::parse(&again).unwrap().iter().count(), 2);
    }

    #[test]
    fn a_mark_in_front_of_the_list_is_no_part_of_it() {
        let (ada, bob) = (token("ada", TokenRole::Operator).1, token("bob", TokenRole::Viewer).1);
        let text = format!("\u{feff}{}", add_token("", &ada).unwrap());
        let text = add_token(&text, &bob).unwrap();
        let text = revoke_token(&format!("\u{feff}{text}"), &ada.name).unwrap();
        let tokens = TokenList::parse(&format!("\u{feff}{text}")).unwrap();
        let roles: Vec<_> = tokens.iter().map(|token| (&token.name, token.role)).collect();
        assert_eq!(roles, [(&ada.name, None), (&bob.name, bob.role)]);
        assert_eq!(TokenList::parse("\u{feff}"), Ok(TokenList::default()));
    }

    #[test]
    fn an_unknown_token_is_refused() {
        let (secret, token) = token("ada", TokenRole::Operator);
        let tokens = TokenList::parse(&add_token("", &token).unwrap()).unwrap();
        let required = CallAccess::Role(TokenRole::Viewer);
        assert_eq!(tokens.authenticate(None, required), Err(AuthError::Missing));
        assert_eq!(tokens.authenticate(None, CallAccess::Public), Ok(None));
        let reveal = secret.reveal();
        for wrong in ["", "Bearer", "Bearer ", reveal, &format!("bearer  {reveal}"), "Bearer é"] {
            let header = HeaderValue::from_bytes(wrong.as_bytes()).unwrap();
            assert_eq!(
                tokens.authenticate(Some(&header), required),
                Err(AuthError::Unknown),
                "{wrong}"
            );
        }
        let unknown = TokenSecret::generate().unwrap();
        assert_eq!(authenticate(&tokens, &unknown, TokenRole::Viewer), Err(AuthError::Unknown));
    }

    #[test]
    fn a_bad_list_is_refused_by_line() {
        let id = TokenSecret::generate().unwrap().id();
        let other = TokenSecret::generate().unwrap().id();
        for (text, line, part) in [
            ("ada".to_owned(), 1, "expected a name"),
            (format!("\n# x\nada boss {id}"), 3, "role"),
            (format!("a\u{1b}da viewer {id}"), 1, "name"),
            ("ada viewer 12".to_owned(), 1, "hash"),
            (format!("ada viewer {id}\nbob viewer {id}"), 2, "already listed"),
            (format!("ada viewer {id}\nada viewer {other}"), 2, "already taken"),
        ] {
            let error = TokenList::parse(&text).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("line {line}: ")) && error.contains(part),
                "{error}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_file_is_accepted_or_refused(text in "\\PC*", bytes in any::<Vec<u8>>()) {
            for text in [text.as_str(), &String::from_utf8_lossy(&bytes)] {
                if let Ok(tokens) = TokenList::parse(text) {
                    let lines = tokens.iter().map(|token| token.line() + "\n");
                    let again = TokenList::parse(&lines.collect::<String>());
                    proptest::prop_assert_eq!(again, Ok(tokens));
                }
            }
        }
    }
}
