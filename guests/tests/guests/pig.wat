(func (export "hatchery_trial") (param $subject i32) (param $length i32) (result i32)
  (local $hold_at i64) (local $sum i64) (local $turns i64) (local $points i64) (local $pips i64)
  (local.set $hold_at
    (i64.trunc_f32_u (f32.max (f32.load (local.get $subject)) (f32.const 1))))
  (loop $turn
    (local.set $turns (i64.add (local.get $turns) (i64.const 1)))
    (local.set $points (i64.const 0))
    (block $over
      (loop $roll
        (br_if $over (i64.ge_u (local.get $points) (local.get $hold_at)))
        (local.set $pips (i64.add (i64.rem_u (call $random) (i64.const 6)) (i64.const 1)))
        (if (i64.eq (local.get $pips) (i64.const 1))
          (then (local.set $points (i64.const 0)) (br $over)))
        (local.set $points (i64.add (local.get $points) (local.get $pips)))
        (br $roll)))
    (local.set $sum (i64.add (local.get $sum) (local.get $points)))
    (br_if $turn (i64.lt_u (local.get $sum) (i64.const 100))))
  (call $measure (i32.const 0) (local.get $turns))
  (i32.const 0))
