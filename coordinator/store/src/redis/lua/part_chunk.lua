-- ARGV: me, hash, number of the chunk
if call('HEXISTS', PARTS, ARGV[2]) == 0 then return ok(false) end
return ok(call('HGET', chunks_of(ARGV[2]), ARGV[3]))
