-- ARGV: me
remove_parts_but({})
if call('UNLINK', unpack(KEYS)) > 0 then ring('S') end
return ok()
