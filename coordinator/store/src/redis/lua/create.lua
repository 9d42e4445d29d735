-- KEYS: those of the run, runs; ARGV: me, record, checkpoint, summary, parts
call('ZADD', KEYS[15], 0, RUN)
if load_run() then
  refuse_parts(5)
  return ok({ 0, spare })
end
call('SET', REC, ARGV[2])
call('SET', CK, ARGV[3])
call('SET', SUM, ARGV[4])
call('XGROUP', 'CREATE', Q, GROUP, '0', 'MKSTREAM')
call('HSET', CTL, 'state', 'active', 'rev', '0', 'gen', '0', 'cursor', '0', 'folded', '0')
persist_parts()
write_parts(5)
ring('S')
return ok({ 1, spare })
