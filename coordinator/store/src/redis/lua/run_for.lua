-- KEYS: keys to runs, keys of this run; ARGV: key, run
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
local run = redis.call('HGET', KEYS[1], ARGV[1])
-- For `delete`, which would have to look through all keys else.
if run == ARGV[2] then redis.call('SADD', KEYS[2], ARGV[1]) end
return run
