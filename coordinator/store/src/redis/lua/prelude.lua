-- What all scripts on a run begin with: its keys, where it stands, and how to answer.
local REC, CTL, CK, CUT, Q, RES, ATT, DEAD, GENS, EV, PARTS, CLAIM, SUM, OPEN =
  unpack(KEYS)
local RUN = string.match(CTL, '{(.*)}')
-- The caller, and what its channel is called after `ht:bell`: channels have no database.
local ME, BELL = string.sub(ARGV[1], 1, 26), 'ht:bell' .. string.sub(ARGV[1], 27)
local GROUP, FREE = 'w', 'free'
-- How many arguments go into one command: far below what Lua's stack takes.
local CHUNK = 256
local call = redis.call

-- Numbers below 2^53 in full: tostring() would round them.
local function int(n) return string.format('%d', n) end

local function entry(gen, index) return int(gen + 1) .. '-' .. int(index + 1) end

-- Where the run stands; nil if it is not there.
local function load_run()
  local c = call('HMGET', CTL, 'state', 'reason', 'rev', 'gen', 'cursor', 'folded', 'lead')
  if not c[1] then return nil end
  return {
    state = c[1], reason = c[2] or '', lead = c[7], raw = c,
    gen = tonumber(c[4]), cursor = tonumber(c[5]), folded = tonumber(c[6]),
    goes_on = c[1] == 'active' or c[1] == 'paused',
  }
end

local function position(run)
  return { run.state, run.reason, run.raw[3], run.raw[4], run.raw[5], run.raw[6] }
end

local function no_run() return { 'no run' } end
local function fenced() return { 'fenced' } end
local function out_of_step(run) return { 'out of step', position(run) } end
local function ok(value) return { 'ok', value } end

-- Whether a job is enqueued and not folded.
local function is_there(run, gen, index)
  return gen == run.gen and run.folded <= index and index < run.cursor
end

-- The field beside the attempts that names who resolved a job: 16 bytes, all 0 if it was skipped.
local function resolver(gen, index) return 'r' .. int(gen) .. ':' .. index end

-- Notes who resolved a failed job, unless as many jobs have resolvers or attempts already.
local function note_resolver(gen, index, worker)
  if call('HLEN', ATT) < MAX_RESOLVERS then call('HSET', ATT, resolver(gen, index), worker) end
end

-- Whether a pending entry is with `consumer`.
local function is_with(consumer, id)
  return #call('XPENDING', Q, GROUP, id, id, 1, consumer) == 1
end

-- Calls `f` with slices of a list, from index `from` or 1 on, that fit into one command.
local function in_chunks(list, f, from)
  for first = from or 1, #list, CHUNK do
    f(unpack(list, first, math.min(first + CHUNK - 1, #list)))
  end
end

-- Makes jobs READY, from index `from` or 1 of the list on, whoever has them; FORCE for those that
-- nobody has.
local function make_ready(ids, force, from)
  in_chunks(ids, function(...)
    local args = { Q, GROUP, FREE, 0, ... }
    args[#args + 1] = 'JUSTID'
    if force then args[#args + 1] = 'FORCE' end
    call('XCLAIM', unpack(args))
  end, from)
end

-- READY jobs of the lowest indices, as many as there are and at most `most`: now with `consumer`.
local function hand_out(consumer, most)
  local ids = {}
  local ready = call('XPENDING', Q, GROUP, '-', '+', most, FREE)
  for i, pending in ipairs(ready) do ids[i] = pending[1] end
  if #ids == 0 then return {} end
  return call('XCLAIM', Q, GROUP, consumer, 0, unpack(ids))
end

local function ring(kind) call('PUBLISH', BELL, ME .. kind .. RUN) end

local function step() call('HINCRBY', CTL, 'rev', 1) end
