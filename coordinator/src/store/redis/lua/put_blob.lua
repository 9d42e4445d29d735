-- ARGV: me, hash, blob
if not load_run() then return no_run() end
call('HSETNX', BLOBS, ARGV[2], ARGV[3])
return ok()
