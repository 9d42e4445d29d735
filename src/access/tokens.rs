//! The tokens of a farm: a line for each, with its name, its role and its hash.
//!
//! ```text
//! # name  role      hash, and what it is for
//! lab     worker    6f1b...9c  the machines in room 12
//! ada     operator  02aa...4e
//! old     revoked   9d30...71
//! ```

use hatchery_coordinator::User;
use hatchery_meters::labels::AuthFailure;
use hyper::header::HeaderValue;

use super::secret::{Secret, TokenId};
use super::{Need, Role};

/// The largest file of tokens, and the most tokens: more than people and machines of a farm.
pub(crate) const MAX_FILE_BYTES: u64 = 4 << 20;
const MAX_TOKENS: usize = 10_000;

/// What stands in the place of a role of a token that is not taken any more. It is kept, so that
/// one that comes again is known.
const REVOKED: &str = "revoked";

/// What comes before a token in a header.
const SCHEME: &[u8] = b"Bearer ";

/// The tokens of a farm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens(Vec<Token>);

/// A token as a coordinator knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) name: User,
    /// `None` if it was revoked.
    pub(crate) role: Option<Role>,
    pub(crate) id: TokenId,
    /// What else the line says.
    pub(crate) comment: String,
}

/// Why a text is no list of tokens.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokensError {
    #[error("line {line}: {what}")]
    Line { line: usize, what: &'static str },
    #[error("there are more than {MAX_TOKENS} tokens")]
    Many,
    #[error("there is no token {0} that is not revoked")]
    NoSuch(User),
    #[error("there is a token {0} already: revoke it first, or take another name")]
    Taken(User),
}

/// Whose token was shown: it holds as long as its line is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) name: User,
    pub(crate) role: Role,
    pub(crate) id: TokenId,
}

/// Why nothing was granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("a token is needed: give --token-file FILE, or set HATCHERY_TOKEN_FILE")]
    Missing,
    #[error("the token is not known here")]
    Unknown,
    #[error("the token {0} was revoked")]
    Revoked(User),
    #[error("the token {name} is for the role {role}, and this needs {least}")]
    Role { name: User, role: Role, least: Role },
}

impl Refusal {
    /// What it is counted as.
    pub(crate) fn reason(&self) -> AuthFailure {
        match self {
            Self::Missing => AuthFailure::Missing,
            Self::Unknown => AuthFailure::Unknown,
            Self::Revoked(_) => AuthFailure::Revoked,
            Self::Role { .. } => AuthFailure::Role,
        }
    }

    /// The token that was shown, if it is known.
    pub(crate) fn token(&self) -> Option<&User> {
        match self {
            Self::Missing | Self::Unknown => None,
            Self::Revoked(name) | Self::Role { name, .. } => Some(name),
        }
    }
}

impl Tokens {
    /// The tokens that `text` lists.
    pub(crate) fn parse(text: &str) -> Result<Self, TokensError> {
        let mut tokens: Vec<Token> = Vec::new();
        for (idx, line) in text.lines().enumerate() {
            let wrong = |what| TokensError::Line { line: idx + 1, what };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let token = Token::parse(line).map_err(wrong)?;
            if tokens.iter().any(|other| other.id == token.id) {
                return Err(wrong("the token is listed before"));
            }
            if token.role.is_some()
                && tokens.iter().any(|t| t.role.is_some() && t.name == token.name)
            {
                return Err(wrong("the name is another token's"));
            }
            if tokens.len() == MAX_TOKENS {
                return Err(TokensError::Many);
            }
            tokens.push(token);
        }
        Ok(Self(tokens))
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Token> {
        self.0.iter()
    }

    /// Who comes with `header`, if that is enough for `need`; `None` if nobody has to be anybody.
    pub(crate) fn judge(
        &self,
        header: Option<&HeaderValue>,
        need: Need,
    ) -> Result<Option<Grant>, Refusal> {
        let Need::Token(least) = need else { return Ok(None) };
        let header = header.ok_or(Refusal::Missing)?.as_bytes();
        let shown = header.strip_prefix(SCHEME).and_then(|shown| str::from_utf8(shown).ok());
        let id = shown.and_then(Secret::parse).ok_or(Refusal::Unknown)?.id();
        // All are looked at, however soon one is found.
        let found = self.0.iter().fold(None, |found, t| if t.id == id { Some(t) } else { found });
        let Token { name, role, .. } = found.ok_or(Refusal::Unknown)?;
        let role = role.ok_or_else(|| Refusal::Revoked(name.clone()))?;
        match role.may(least) {
            true => Ok(Some(Grant { name: name.clone(), role, id })),
            false => Err(Refusal::Role { name: name.clone(), role, least }),
        }
    }

    /// Whether what was granted holds.
    pub(crate) fn holds(&self, grant: &Grant) -> bool {
        self.0.iter().any(|token| token.id == grant.id && token.role == Some(grant.role))
    }

    fn live(&self, name: &User) -> Option<&Token> {
        self.0.iter().find(|token| token.role.is_some() && token.name == *name)
    }
}

impl Token {
    fn parse(line: &str) -> Result<Self, &'static str> {
        let mut words = line.split_whitespace();
        let mut word = || words.next().ok_or("not a name, a role and a hash");
        let (name, role, id) = (word()?, word()?, word()?);
        Ok(Self {
            name: name.parse().map_err(|_| "the name is none")?,
            role: match role {
                REVOKED => None,
                role => Some(role.parse().map_err(|()| "the role is none")?),
            },
            id: TokenId::parse(id).ok_or("the hash is none")?,
            comment: words.collect::<Vec<_>>().join(" "),
        })
    }

    /// The role, or what stands in its place.
    pub(crate) fn standing(&self) -> String {
        self.role.map_or_else(|| REVOKED.to_owned(), |role| role.to_string())
    }

    fn line(&self) -> String {
        let Self { name, id, comment, .. } = self;
        format!("{name} {} {id} {comment}", self.standing()).trim_end().to_owned()
    }
}

/// The list `text` with one more token.
pub(crate) fn with(text: &str, token: &Token) -> Result<String, TokensError> {
    let tokens = Tokens::parse(text)?;
    if tokens.live(&token.name).is_some() {
        return Err(TokensError::Taken(token.name.clone()));
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let text = format!("{text}{end}{}\n", token.line());
    Tokens::parse(&text).map(|_| text)
}

/// The list `text`, where the token of that name is revoked.
pub(crate) fn without(text: &str, name: &User) -> Result<String, TokensError> {
    let tokens = Tokens::parse(text)?;
    let token = tokens.live(name).ok_or_else(|| TokensError::NoSuch(name.clone()))?;
    let revoked = Token { role: None, ..token.clone() }.line();
    let lines = text.lines().map(|line| match Token::parse(line.trim()) {
        Ok(found) if found.id == token.id => format!("{revoked}\n"),
        _ => format!("{line}\n"),
    });
    Ok(lines.collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;

    fn token(name: &str, role: Role) -> (Secret, Token) {
        let secret = Secret::generate().unwrap();
        let comment = "in room 12".to_owned();
        let token =
            Token { name: name.parse().unwrap(), role: Some(role), id: secret.id(), comment };
        (secret, token)
    }

    fn judge(tokens: &Tokens, secret: &Secret, least: Role) -> Result<Option<Grant>, Refusal> {
        let header = HeaderValue::from_str(&format!("Bearer {}", secret.reveal())).unwrap();
        tokens.judge(Some(&header), Need::Token(least))
    }

    #[test]
    fn a_token_is_added_shown_and_revoked() {
        let (secret, token) = token("ada", Role::Operator);
        let text = with("# people", &token).unwrap();
        assert!(!text.contains(secret.reveal()), "{text}");
        assert!(text.starts_with("# people\nada operator "), "{text}");
        let tokens = Tokens::parse(&text).unwrap();
        let grant = judge(&tokens, &secret, Role::Viewer).unwrap().unwrap();
        assert_eq!((grant.name.to_string().as_str(), grant.role), ("ada", Role::Operator));
        assert_eq!(judge(&tokens, &secret, Role::Worker).unwrap_err().reason().as_str(), "role");
        assert!(matches!(with(&text, &token), Err(TokensError::Taken(_))));

        let text = without(&text, &token.name).unwrap();
        assert!(text.ends_with(" in room 12\n") && text.contains("ada revoked "), "{text}");
        let revoked = Tokens::parse(&text).unwrap();
        assert!(tokens.holds(&grant) && !revoked.holds(&grant));
        let refusal = judge(&revoked, &secret, Role::Viewer).unwrap_err();
        assert_eq!(refusal.to_string(), "the token ada was revoked");
        assert!(matches!(without(&text, &token.name), Err(TokensError::NoSuch(_))));
        let again = with(&text, &self::token("ada", Role::Viewer).1).unwrap();
        assert_eq!(Tokens::parse(&again).unwrap().iter().count(), 2);
    }

    #[test]
    fn what_is_no_known_token_is_refused() {
        let (secret, token) = token("ada", Role::Operator);
        let tokens = Tokens::parse(&with("", &token).unwrap()).unwrap();
        let need = Need::Token(Role::Viewer);
        assert_eq!(tokens.judge(None, need), Err(Refusal::Missing));
        assert_eq!(tokens.judge(None, Need::Nothing), Ok(None));
        let reveal = secret.reveal();
        for wrong in ["", "Bearer", "Bearer ", reveal, &format!("bearer  {reveal}"), "Bearer é"] {
            let header = HeaderValue::from_bytes(wrong.as_bytes()).unwrap();
            assert_eq!(tokens.judge(Some(&header), need), Err(Refusal::Unknown), "{wrong}");
        }
        let stranger = Secret::generate().unwrap();
        assert_eq!(judge(&tokens, &stranger, Role::Viewer), Err(Refusal::Unknown));
    }

    #[test]
    fn a_bad_list_is_refused_by_line() {
        let id = Secret::generate().unwrap().id();
        let other = Secret::generate().unwrap().id();
        for (text, line, part) in [
            ("ada".to_owned(), 1, "not a name"),
            (format!("\n# x\nada boss {id}"), 3, "role"),
            (format!("a\u{1b}da viewer {id}"), 1, "name"),
            ("ada viewer 12".to_owned(), 1, "hash"),
            (format!("ada viewer {id}\nbob viewer {id}"), 2, "listed before"),
            (format!("ada viewer {id}\nada viewer {other}"), 2, "another token's"),
        ] {
            let error = Tokens::parse(&text).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("line {line}: ")) && error.contains(part),
                "{error}"
            );
        }
    }

    proptest! {
        #[test]
        fn whatever_is_in_the_file_is_taken_or_refused(text in "\\PC*", bytes in any::<Vec<u8>>()) {
            for text in [text.as_str(), &String::from_utf8_lossy(&bytes)] {
                if let Ok(tokens) = Tokens::parse(text) {
                    let lines = tokens.iter().map(|token| token.line() + "\n");
                    let again = Tokens::parse(&lines.collect::<String>());
                    proptest::prop_assert_eq!(again, Ok(tokens));
                }
            }
        }
    }
}
