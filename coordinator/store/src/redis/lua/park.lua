-- ARGV: me, consumer, index, entry
if not load_run() then return no_run() end
if is_with(ARGV[2], ARGV[4]) then
  call('XACK', Q, GROUP, ARGV[4])
  call('ZADD', DEAD, ARGV[3], ARGV[3])
  ring('P')
end
return ok()
