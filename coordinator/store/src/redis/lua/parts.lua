-- What scripts with parts begin with, after the prelude. A part is named by its hash in hexadecimal
-- digits. PARTS says where its bytes are: LENGTH, in chunks, which are a key of their own that the
-- server frees in the background; or LENGTH:NONCE, in a file.
local function chunks_of(hash) return 'ht:{' .. RUN .. '}:p:' .. hash end

local function is_file(note) return string.find(note, ':', 1, true) ~= nil end

-- The files that nothing names any more: pairs of hash and note.
local spare = {}

local function spare_file(hash, note)
  if note and is_file(note) then
    spare[#spare + 1] = hash
    spare[#spare + 1] = note
  end
end

-- The note of a whole part; nil if it is not whole. The chunks of a run that was never created
-- expire before their names do.
local function whole_note(hash)
  local note = call('HGET', PARTS, hash)
  if note and (is_file(note) or call('EXISTS', chunks_of(hash)) == 1) then return note end
  return nil
end

-- The length of a whole part, in digits; nil if it is not whole.
local function whole_length(hash)
  local note = whole_note(hash)
  return note and string.match(note, '^%d+')
end

-- Whether all parts of a list (HASH:LENGTH, with spaces between them) are whole.
local function are_whole(list)
  for hash, length in string.gmatch(list, '(%x+):(%d+)') do
    if whole_length(hash) ~= length then return false end
  end
  return true
end

-- Writes parts, each as a whole. They are ARGV[first], their number, and for each of them: hash,
-- note, number of chunks, chunks... Chunks of a part that is there are left alone. A file takes the
-- place of the one before, which may be lost. Answers with the index of what follows.
local function write_parts(first)
  local at, n_parts = first + 1, tonumber(ARGV[first])
  local uploads = n_parts > 0 and call('EXISTS', OPEN) == 1
  for _ = 1, n_parts do
    local hash, note, n_chunks = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
    if is_file(note) then
      spare_file(hash, call('HGET', PARTS, hash))
      call('HSET', PARTS, hash, note)
    elseif call('HSETNX', PARTS, hash, note) == 1 or not whole_note(hash) then
      -- Only an upload can have left chunks.
      if uploads and call('HDEL', OPEN, hash) == 1 then call('UNLINK', chunks_of(hash)) end
      for i = 1, n_chunks do call('HSET', chunks_of(hash), int(i - 1), ARGV[at + 2 + i]) end
    end
    at = at + 3 + n_chunks
  end
  return at
end

-- Leaves the parts of such a list alone: their files are of no use.
local function refuse_parts(first)
  local at = first + 1
  for _ = 1, tonumber(ARGV[first]) do
    spare_file(ARGV[at], ARGV[at + 1])
    at = at + 3 + tonumber(ARGV[at + 2])
  end
end

-- Removes the parts whose hashes are in a list, from index `from` or 1 on, also those that are not
-- whole.
local function remove_parts(hashes, from)
  in_chunks(hashes, function(...)
    local keys, notes = {}, call('HMGET', PARTS, ...)
    for i, hash in ipairs({ ... }) do
      spare_file(hash, notes[i])
      keys[i] = chunks_of(hash)
    end
    call('HDEL', PARTS, ...)
    call('HDEL', OPEN, ...)
    call('UNLINK', unpack(keys))
  end, from)
end

-- Removes the parts whose hashes are no keys of the table `kept`, also those that are not whole.
local function remove_parts_but(kept)
  local gone = {}
  for _, names in ipairs({ PARTS, OPEN }) do
    for _, hash in ipairs(call('HKEYS', names)) do
      if not kept[hash] then gone[#gone + 1] = hash end
    end
  end
  remove_parts(gone)
end

-- Removes parts as ARGV[first] has it, by the hashes behind it: with 'keep' all others, with 'drop'
-- these, with 'all' none.
local function retain_parts(first)
  if ARGV[first] == 'drop' then
    remove_parts(ARGV, first + 1)
  elseif ARGV[first] == 'keep' then
    local kept = {}
    for i = first + 1, #ARGV do kept[ARGV[i]] = true end
    remove_parts_but(kept)
  end
end

-- Lets the parts of a run that is not there expire, after a time in ms.
local function expire_part(hash, time)
  for _, key in ipairs({ PARTS, OPEN, chunks_of(hash) }) do call('PEXPIRE', key, time) end
end

-- Keeps the parts that were written before the run was there.
local function persist_parts()
  if call('EXISTS', PARTS, OPEN) == 0 then return end
  for _, names in ipairs({ PARTS, OPEN }) do
    call('PERSIST', names)
    for _, hash in ipairs(call('HKEYS', names)) do
      if not is_file(call('HGET', names, hash)) and call('PERSIST', chunks_of(hash)) == 0 then
        call('HDEL', names, hash)
      end
    end
  end
end

