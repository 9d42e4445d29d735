-- ARGV: me, lead, generation, first index, consumer, table, most, parts, jobs...
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
local gen, first = tonumber(ARGV[3]), tonumber(ARGV[4])
if not run.goes_on or run.gen ~= gen or run.cursor < first then return out_of_step(run) end

local first_job = write_parts(8)
local fresh = {}
for index = run.cursor, first + #ARGV - first_job do
  local id = entry(gen, index)
  call('XADD', Q, id, 'j', ARGV[first_job + index - first])
  fresh[#fresh + 1] = id
end

local consumer, most, handed, left = ARGV[5], tonumber(ARGV[7]), {}, false
if run.state ~= 'active' then most = 0 end
if run.cursor > run.folded and #call('XPENDING', Q, GROUP, '-', '+', 1, FREE) > 0 then
  make_ready(fresh, true)
  if most > 0 then handed = hand_out(consumer, most) end
  left = #call('XPENDING', Q, GROUP, '-', '+', 1, FREE) > 0
else
  -- The new ones are all that is READY: they go to whoever wants them at once.
  local n = math.min(most, #fresh)
  if n > 0 then
    local args = { Q, GROUP, consumer, 0, unpack(fresh, 1, n) }
    args[#args + 1] = 'FORCE'
    handed = call('XCLAIM', unpack(args))
  end
  make_ready(fresh, true, n + 1)
  left = n < #fresh
end

if #fresh > 0 then
  call('SET', CUT, ARGV[6])
  call('HSET', CTL, 'cursor', int(run.cursor + #fresh))
  step()
  -- Others are told of what is left to them.
  if left then ring('R') end
end
return ok({ handed, spare })
