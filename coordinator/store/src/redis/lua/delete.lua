-- ARGV: me
if call('UNLINK', unpack(KEYS)) > 0 then ring('S') end
return ok()
