-- ARGV: me, coordinator (32 hex digits)
if call('GETRANGE', CLAIM, 0, 31) == ARGV[2] then call('UNLINK', CLAIM) end
return ok()
