-- ARGV: me, coordinator (32 hex digits), progress, time in ms
local held = call('GETRANGE', CLAIM, 0, 31)
if held ~= '' and held ~= ARGV[2] then
  -- It holds for longer only if the clock of the server was set back.
  call('PEXPIRE', CLAIM, ARGV[4], 'LT')
  return ok(0)
end
call('SET', CLAIM, ARGV[2] .. ARGV[3], 'PX', ARGV[4])
return ok(1)
