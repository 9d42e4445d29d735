-- ARGV: me, hash
return ok(call('HGET', BLOBS, ARGV[2]))
