//! The commands of all scripts, for checks of the permission to run them.

use std::collections::BTreeSet;

/// The commands with arguments of Lua: a call with `KEY`, a key that nothing else uses, does no
/// harm. In this order, each command finds `KEY` missing or of its own type.
pub(super) const COMMANDS: [&str; 41] = [
    "'SET', KEY, ''",
    "'GET', KEY",
    "'GETRANGE', KEY, '0', '0'",
    "'EXISTS', KEY",
    "'PERSIST', KEY",
    "'PEXPIRE', KEY, '60000'",
    "'UNLINK', KEY",
    "'TIME'",
    "'HSET', KEY, 'a', '1'",
    "'HSETNX', KEY, 'a', '1'",
    "'HGET', KEY, 'a'",
    "'HMGET', KEY, 'a'",
    "'HINCRBY', KEY, 'a', '1'",
    "'HLEN', KEY",
    "'HEXISTS', KEY, 'a'",
    "'HKEYS', KEY",
    "'HGETALL', KEY",
    "'HDEL', KEY, 'a'",
    "'RPUSH', KEY, 'a'",
    "'LRANGE', KEY, '0', '0'",
    "'LINDEX', KEY, '0'",
    "'LTRIM', KEY, '1', '0'",
    "'ZADD', KEY, '0', 'a'",
    "'ZCARD', KEY",
    "'ZRANGE', KEY, '0', '0'",
    "'ZRANGEBYSCORE', KEY, '0', '0'",
    "'ZREM', KEY, 'a'",
    "'SADD', KEY, 'a'",
    "'SMEMBERS', KEY",
    "'SREM', KEY, 'a'",
    "'XGROUP', 'CREATE', KEY, 'w', '0', 'MKSTREAM'",
    "'XADD', KEY, '1-1', 'a', ''",
    "'XCLAIM', KEY, 'w', 'c', '0', '1-1'",
    "'XPENDING', KEY, 'w'",
    "'XACK', KEY, 'w', '1-1'",
    "'XRANGE', KEY, '-', '+'",
    "'XTRIM', KEY, 'MAXLEN', '0'",
    "'XINFO', 'CONSUMERS', KEY, 'w'",
    "'XGROUP', 'DELCONSUMER', KEY, 'w', 'c'",
    "'UNLINK', KEY",
    "'PUBLISH', 'ht:bell', ''",
];

/// Returns the check that a script's user may run each command that `text` calls, with the error of
/// a server that refuses one.
///
/// Redis 7.0 crashes where a command of the check lacks arguments and its user may use some keys
/// only.
pub(super) fn permission_check(text: &str) -> String {
    let called: BTreeSet<_> = text.split("call('").skip(1).filter_map(name).collect();
    let checks = called.into_iter().map(|called| {
        let all = COMMANDS.iter().find(|all| all.strip_prefix('\'').and_then(name) == Some(called));
        let arguments = all.expect("the list has all commands").replace(", KEY", ", KEYS[1]");
        let said = called.replace("', '", "|");
        format!(
            "if not redis.acl_check_cmd({arguments}) then \
             return redis.error_reply(\"ERR The user can't run this command: {said}\") end "
        )
    });
    checks.collect()
}

/// Returns the name of the command at the beginning of `text`, and of its subcommand, as arguments
/// of Lua without the first and the last quote.
fn name(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('\'')?;
    match name {
        "XGROUP" | "XINFO" => {
            let (subcommand, _) = rest.strip_prefix(", '")?.split_once('\'')?;
            text.get(..name.len() + "', '".len() + subcommand.len())
        }
        _ => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_called_command_is_checked_once() {
        let text = "call('HSET', CTL, 'a', '1') call('XGROUP', 'CREATE', Q) call('HSET', RES)";
        let check = permission_check(text);
        let commands: Vec<_> = check.split("acl_check_cmd(").skip(1).collect();
        assert_eq!(commands.len(), 2, "{check}");
        assert!(commands[0].starts_with("'HSET', KEYS[1], 'a', '1') then"), "{check}");
        assert!(commands[1].starts_with("'XGROUP', 'CREATE', KEYS[1],"), "{check}");
        assert!(check.contains("this command: XGROUP|CREATE"), "{check}");
    }
}
