-- ARGV: me, lead, generation, checkpoint, 'all' or 'keep', hashes of parts
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
local gen = tonumber(ARGV[3])
-- The queue may be damaged, and half a script may have added entries that the run does not count.
local is_queue = not redis.pcall('XPENDING', Q, GROUP).err
local is_whole = is_queue and #call('XRANGE', Q, '-', '+', 'COUNT', 1) == 0
local is_there = is_whole and run.gen == gen and run.cursor == 0 and run.state ~= 'done'
if is_there and call('GET', CK) == ARGV[4] then return ok({ 0, spare }) end
if run.state ~= 'active' or run.gen < gen then return out_of_step(run) end
-- A new stream: an old one takes no entry again that it had before.
call('UNLINK', Q, RES, ATT, DEAD, CUT)
call('XGROUP', 'CREATE', Q, GROUP, '0', 'MKSTREAM')
call('SET', CK, ARGV[4])
retain_parts(5)
if gen == 0 then
  call('UNLINK', GENS)
else
  call('LTRIM', GENS, 0, int(gen - 1))
end
call('HSET', CTL, 'gen', int(gen), 'cursor', '0', 'folded', '0')
step()
return ok({ 1, spare })
