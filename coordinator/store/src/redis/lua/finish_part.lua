-- ARGV: me, hash, length, number of chunks, time in ms after which a part without a run goes
local run, hash = load_run(), ARGV[2]
local length = whole_length(hash)
if length == ARGV[3] then return ok(1) end
if run and not run.goes_on then return out_of_step(run) end
if length or call('HGET', OPEN, hash) ~= ARGV[3] then return ok(0) end
if call('HLEN', chunks_of(hash)) ~= tonumber(ARGV[4]) then return ok(0) end
call('HDEL', OPEN, hash)
call('HSET', PARTS, hash, ARGV[3])
if not run then expire_part(hash, ARGV[5]) end
return ok(1)
