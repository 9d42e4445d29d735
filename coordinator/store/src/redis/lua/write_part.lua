-- ARGV: me, hash, length, number of the chunk, chunk, time in ms after which a part without a run
-- goes
local run, hash = load_run(), ARGV[2]
if whole_length(hash) then return ok() end
if run and not run.goes_on then return out_of_step(run) end
if call('HGET', OPEN, hash) ~= ARGV[3] then
  call('UNLINK', chunks_of(hash))
  call('HDEL', PARTS, hash)
  call('HSET', OPEN, hash, ARGV[3])
end
call('HSET', chunks_of(hash), ARGV[4], ARGV[5])
if not run then expire_part(hash, ARGV[6]) end
return ok()
