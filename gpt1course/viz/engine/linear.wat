;; y = x W^T + b for float32 rows in memory, four numbers at a time.
;; x (T, K), w (N, K), b (N), y (T, N): byte offsets; K and N multiples of 4, b may be absent (0).
;; A row of w meets two rows of x, four rows of w at once: eight running sums.
(module
  (import "env" "memory" (memory 1))

  (func $sum (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; y[n] = bias[n] + the sum of v, for the n-th number of a row of y
  (func $put (param $y i32) (param $b i32) (param $v v128)
    (f32.store (local.get $y)
      (f32.add
        (call $sum (local.get $v))
        (if (result f32) (local.get $b)
          (then (f32.load (local.get $b)))
          (else (f32.const 0))))))

  (func (export "linear")
    (param $x i32) (param $w i32) (param $b i32) (param $y i32)
    (param $T i32) (param $K i32) (param $N i32)
    (local $row i32) (local $n i32) (local $t i32) (local $end i32)
    (local $p i32) (local $q i32) (local $u i32) (local $bn i32) (local $out i32)
    (local $x0 v128) (local $x1 v128) (local $wv v128)
    (local $a0 v128) (local $a1 v128) (local $a2 v128) (local $a3 v128)
    (local $c0 v128) (local $c1 v128) (local $c2 v128) (local $c3 v128)
    (local.set $row (i32.shl (local.get $K) (i32.const 2)))
    (loop $four
      (local.set $u (local.get $x))
      (local.set $t (i32.const 0))
      (local.set $bn (if (result i32) (local.get $b)
        (then (i32.add (local.get $b) (i32.shl (local.get $n) (i32.const 2))))
        (else (i32.const 0))))
      (loop $two
        ;; how far off the second row of x is; the last row of an odd number is read twice
        (local.set $q (select (local.get $row) (i32.const 0)
          (i32.lt_s (i32.add (local.get $t) (i32.const 1)) (local.get $T))))
        (local.set $a0 (v128.const f32x4 0 0 0 0)) (local.set $a1 (v128.const f32x4 0 0 0 0))
        (local.set $a2 (v128.const f32x4 0 0 0 0)) (local.set $a3 (v128.const f32x4 0 0 0 0))
        (local.set $c0 (v128.const f32x4 0 0 0 0)) (local.set $c1 (v128.const f32x4 0 0 0 0))
        (local.set $c2 (v128.const f32x4 0 0 0 0)) (local.set $c3 (v128.const f32x4 0 0 0 0))
        (local.set $p (local.get $w))
        (local.set $end (i32.add (local.get $w) (local.get $row)))
        (loop $k
          (local.set $x0 (v128.load (local.get $u)))
          (local.set $x1 (v128.load (i32.add (local.get $u) (local.get $q))))
          (local.set $wv (v128.load (local.get $p)))
          (local.set $a0 (f32x4.add (local.get $a0) (f32x4.mul (local.get $wv) (local.get $x0))))
          (local.set $c0 (f32x4.add (local.get $c0) (f32x4.mul (local.get $wv) (local.get $x1))))
          (local.set $wv (v128.load (i32.add (local.get $p) (local.get $row))))
          (local.set $a1 (f32x4.add (local.get $a1) (f32x4.mul (local.get $wv) (local.get $x0))))
          (local.set $c1 (f32x4.add (local.get $c1) (f32x4.mul (local.get $wv) (local.get $x1))))
          (local.set $wv (v128.load (i32.add (local.get $p) (i32.shl (local.get $row) (i32.const 1)))))
          (local.set $a2 (f32x4.add (local.get $a2) (f32x4.mul (local.get $wv) (local.get $x0))))
          (local.set $c2 (f32x4.add (local.get $c2) (f32x4.mul (local.get $wv) (local.get $x1))))
          (local.set $wv (v128.load (i32.add (local.get $p) (i32.mul (local.get $row) (i32.const 3)))))
          (local.set $a3 (f32x4.add (local.get $a3) (f32x4.mul (local.get $wv) (local.get $x0))))
          (local.set $c3 (f32x4.add (local.get $c3) (f32x4.mul (local.get $wv) (local.get $x1))))
          (local.set $u (i32.add (local.get $u) (i32.const 16)))
          (local.set $p (i32.add (local.get $p) (i32.const 16)))
          (br_if $k (i32.lt_u (local.get $p) (local.get $end))))
        ;; u stands one row further now, at the second row of x
        (local.set $out (i32.add (local.get $y)
          (i32.shl (i32.add (i32.mul (local.get $t) (local.get $N)) (local.get $n)) (i32.const 2))))
        (call $row4 (local.get $out) (local.get $bn)
          (local.get $a0) (local.get $a1) (local.get $a2) (local.get $a3))
        (if (local.get $q) (then
          (call $row4 (i32.add (local.get $out) (i32.shl (local.get $N) (i32.const 2)))
            (local.get $bn)
            (local.get $c0) (local.get $c1) (local.get $c2) (local.get $c3))))
        (local.set $u (i32.add (local.get $u) (local.get $row)))
        (local.set $t (i32.add (local.get $t) (i32.const 2)))
        (br_if $two (i32.lt_s (local.get $t) (local.get $T))))
      (local.set $w (i32.add (local.get $w) (i32.shl (local.get $row) (i32.const 2))))
      (local.set $n (i32.add (local.get $n) (i32.const 4)))
      (br_if $four (i32.lt_s (local.get $n) (local.get $N)))))

  ;; four neighbors of a row of y
  (func $row4 (param $y i32) (param $b i32)
    (param $v0 v128) (param $v1 v128) (param $v2 v128) (param $v3 v128)
    (local $step i32)
    (local.set $step (select (i32.const 4) (i32.const 0) (local.get $b)))
    (call $put (local.get $y) (local.get $b) (local.get $v0))
    (local.set $b (i32.add (local.get $b) (local.get $step)))
    (call $put (i32.add (local.get $y) (i32.const 4)) (local.get $b) (local.get $v1))
    (local.set $b (i32.add (local.get $b) (local.get $step)))
    (call $put (i32.add (local.get $y) (i32.const 8)) (local.get $b) (local.get $v2))
    (local.set $b (i32.add (local.get $b) (local.get $step)))
    (call $put (i32.add (local.get $y) (i32.const 12)) (local.get $b) (local.get $v3))))
