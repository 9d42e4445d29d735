-- ARGV: me, lead, generation, folded, 'same', 'next' or 'done', checkpoint, record, summary, parts,
-- 'all', 'keep' or 'drop', hashes of parts
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
local gen, folded, how = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local checkpoint, record = ARGV[6], ARGV[7]

local function is_repeat()
  local there = run.gen == gen and run.folded == folded
  if how == 'next' then there = run.gen == gen + 1 and run.folded == 0 end
  if how == 'done' then there = there and run.state == 'done' end
  return there and call('GET', CK) == checkpoint
    and (how == 'same' or call('LINDEX', GENS, int(gen)) == record)
end

local function fits()
  local all_done = call('HLEN', RES) == run.cursor - run.folded
  if how ~= 'same' then return folded == run.cursor and all_done end
  if folded <= run.folded or run.cursor < folded then return false end
  if all_done then return true end
  for index = run.folded, folded - 1 do
    if call('HEXISTS', RES, int(index)) == 0 then return false end
  end
  return true
end

if is_repeat() then
  refuse_parts(9)
  return ok({ 0, spare })
end
if not run.goes_on or run.gen ~= gen or not fits() then return out_of_step(run) end

local fields = {}
for index = run.folded, folded - 1 do fields[#fields + 1] = int(index) end
in_chunks(fields, function(...) call('HDEL', RES, ...) end)
call('XTRIM', Q, 'MINID', entry(gen, folded))
call('SET', CK, checkpoint)
call('SET', SUM, ARGV[8])
retain_parts(write_parts(9))
call('HSET', CTL, 'folded', int(folded))
if how ~= 'same' then
  call('RPUSH', GENS, record)
  call('UNLINK', DEAD)
  -- A job that somebody still has may fail while the next generation is computed.
  local before, kept = {}, resolver(gen, '')
  for _, field in ipairs(call('HKEYS', ATT)) do
    local is_kept = how == 'next' and string.sub(field, 1, #kept) == kept
    if not is_kept then before[#before + 1] = field end
  end
  in_chunks(before, function(...) call('HDEL', ATT, ...) end)
end
if how == 'next' then
  call('UNLINK', CUT)
  call('HSET', CTL, 'gen', int(gen + 1), 'cursor', '0', 'folded', '0')
elseif how == 'done' then
  call('HSET', CTL, 'state', 'done')
  ring('S')
end
step()
return ok({ 1, spare })
