-- ARGV: me
return ok(call('GET', CLAIM))
