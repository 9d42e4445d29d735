-- What scripts with parts begin with, after the prelude. A part is named by its hash in hexadecimal
-- digits. Its chunks are a key of its own, which the server frees in the background.
local function chunks_of(hash) return 'ht:{' .. RUN .. '}:p:' .. hash end

-- The length of a whole part, in digits; nil if it is not whole. The chunks of a run that was never
-- created expire before their names do.
local function whole_length(hash)
  local length = call('HGET', PARTS, hash)
  if length and call('EXISTS', chunks_of(hash)) == 1 then return length end
  return nil
end

-- Whether all parts of a list (HASH:LENGTH, with spaces between them) are whole.
local function are_whole(list)
  for hash, length in string.gmatch(list, '(%x+):(%d+)') do
    if whole_length(hash) ~= length then return false end
  end
  return true
end

-- Writes parts that are not there yet, each as a whole. They are ARGV[first], their number, and for
-- each of them: hash, length, number of chunks, chunks... Answers with the index of what follows.
local function write_parts(first)
  local at = first + 1
  for _ = 1, tonumber(ARGV[first]) do
    local hash, n_chunks = ARGV[at], tonumber(ARGV[at + 2])
    if not whole_length(hash) then
      call('UNLINK', chunks_of(hash))
      for i = 1, n_chunks do call('HSET', chunks_of(hash), int(i - 1), ARGV[at + 2 + i]) end
      call('HDEL', OPEN, hash)
      call('HSET', PARTS, hash, ARGV[at + 1])
    end
    at = at + 3 + n_chunks
  end
  return at
end

-- Removes the parts whose hashes are no keys of the table `kept`, also those that are not whole.
local function remove_parts_but(kept)
  local gone = {}
  for _, names in ipairs({ PARTS, OPEN }) do
    for _, hash in ipairs(call('HKEYS', names)) do
      if not kept[hash] then gone[#gone + 1] = hash end
    end
  end
  in_chunks(gone, function(...)
    call('HDEL', PARTS, ...)
    call('HDEL', OPEN, ...)
    local keys = {}
    for i, hash in ipairs({ ... }) do keys[i] = chunks_of(hash) end
    call('UNLINK', unpack(keys))
  end)
end

-- Removes all parts but those in ARGV behind `first`, if ARGV[first] is 'keep'.
local function keep_parts(first)
  if ARGV[first] ~= 'keep' then return end
  local kept = {}
  for i = first + 1, #ARGV do kept[ARGV[i]] = true end
  remove_parts_but(kept)
end

-- Lets the parts of a run that is not there expire, after a time in ms.
local function expire_part(hash, time)
  for _, key in ipairs({ PARTS, OPEN, chunks_of(hash) }) do call('PEXPIRE', key, time) end
end

-- Keeps the parts that were written before the run was there.
local function persist_parts()
  for _, names in ipairs({ PARTS, OPEN }) do
    call('PERSIST', names)
    for _, hash in ipairs(call('HKEYS', names)) do
      if call('PERSIST', chunks_of(hash)) == 0 then call('HDEL', names, hash) end
    end
  end
end

