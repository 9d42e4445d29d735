-- ARGV: me, 'pause', 'resume' or 'cancel'
local run = load_run()
if not run then return no_run() end
local changes = {
  pause = { active = 'paused' },
  resume = { paused = 'active', failed = 'active', cancelled = 'active' },
  cancel = { active = 'cancelled', paused = 'cancelled' },
}
local after = changes[ARGV[2]][run.state]
if not after then return ok({ run.state, run.reason }) end
call('HSET', CTL, 'state', after)
call('HDEL', CTL, 'reason')
ring('S')
if after == 'active' then ring('R') end
return ok({ after, '' })
