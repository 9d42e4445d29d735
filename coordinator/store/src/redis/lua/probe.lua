-- KEYS: a key that nothing else uses; answers with the commands that the caller may not run
-- Tries each command that a store calls. An error of a command that may be run is of no interest.
local KEY = KEYS[1]
local COMMANDS = {
  { 'SET', KEY, '' }, { 'GET', KEY }, { 'GETRANGE', KEY, '0', '0' }, { 'EXISTS', KEY },
  { 'PERSIST', KEY }, { 'PEXPIRE', KEY, '60000' }, { 'UNLINK', KEY }, { 'TIME' },
  { 'HSET', KEY, 'a', '1' }, { 'HSETNX', KEY, 'a', '1' }, { 'HGET', KEY, 'a' },
  { 'HMGET', KEY, 'a' }, { 'HINCRBY', KEY, 'a', '1' }, { 'HLEN', KEY }, { 'HEXISTS', KEY, 'a' },
  { 'HKEYS', KEY }, { 'HGETALL', KEY }, { 'HDEL', KEY, 'a' },
  { 'RPUSH', KEY, 'a' }, { 'LRANGE', KEY, '0', '0' }, { 'LINDEX', KEY, '0' },
  { 'LTRIM', KEY, '1', '0' },
  { 'ZADD', KEY, '0', 'a' }, { 'ZCARD', KEY }, { 'ZRANGE', KEY, '0', '0' },
  { 'ZRANGEBYSCORE', KEY, '0', '0' }, { 'ZREM', KEY, 'a' },
  { 'SADD', KEY, 'a' }, { 'SMEMBERS', KEY }, { 'SREM', KEY, 'a' },
  { 'XGROUP', 'CREATE', KEY, 'w', '0', 'MKSTREAM' }, { 'XADD', KEY, '1-1', 'a', '' },
  { 'XCLAIM', KEY, 'w', 'c', '0', '1-1' }, { 'XPENDING', KEY, 'w' }, { 'XACK', KEY, 'w', '1-1' },
  { 'XRANGE', KEY, '-', '+' }, { 'XTRIM', KEY, 'MAXLEN', '0' },
  { 'XINFO', 'CONSUMERS', KEY, 'w' }, { 'XGROUP', 'DELCONSUMER', KEY, 'w', 'c' },
  { 'UNLINK', KEY }, { 'PUBLISH', 'ht:bell', '' },
}
local refused, is_known = {}, {}
for _, command in ipairs(COMMANDS) do
  local answer = redis.pcall(unpack(command))
  local said = type(answer) == 'table' and answer.err or ''
  local is_refused = string.find(said, "can't run this command", 1, true)
    or string.find(said, "can't access at least one", 1, true)
    or string.find(said, 'NOPERM', 1, true) or string.find(said, 'ACL failure', 1, true)
  local name = string.lower(command[1])
  if name == 'xgroup' or name == 'xinfo' then name = name .. '|' .. string.lower(command[2]) end
  if is_refused and not is_known[name] then
    refused[#refused + 1], is_known[name] = name, true
  end
end
return refused
