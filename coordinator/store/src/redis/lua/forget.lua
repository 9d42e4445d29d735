-- KEYS: keys to runs, keys of this run
local keys = redis.call('SMEMBERS', KEYS[2])
for _, key in ipairs(keys) do redis.call('HDEL', KEYS[1], key) end
redis.call('UNLINK', KEYS[2])
return #keys
