;; Prints its arguments, one a line: the smallest useful WASI preview 1 module.
;; wat2wasm examples/echo.wat -o examples/echo.wasm; ./glovebox run examples/echo.wasm -- hello wasm
(module
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  ;; 0: count  4: bytes  8: written  16: an iovec (pointer, length)  32: newline  1024: argv  16384: their text
  (data (i32.const 32) "\n")
  (func $write (param $text i32) (param $length i32)
    (i32.store (i32.const 16) (local.get $text))
    (i32.store (i32.const 20) (local.get $length))
    (drop (call $fd_write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8))))
  (func $length (param $text i32) (result i32)
    (local $end i32)
    (local.set $end (local.get $text))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (i32.load8_u (local.get $end))))
        (local.set $end (i32.add (local.get $end) (i32.const 1)))
        (br $next)))
    (i32.sub (local.get $end) (local.get $text)))
  (func (export "_start")
    (local $i i32)
    (local $text i32)
    (drop (call $args_sizes_get (i32.const 0) (i32.const 4)))
    ;; More than fits is refused rather than overrun.
    (if (i32.or (i32.gt_u (i32.load (i32.const 0)) (i32.const 3000))
                (i32.gt_u (i32.load (i32.const 4)) (i32.const 100000)))
      (then (unreachable)))
    (drop (call $args_get (i32.const 1024) (i32.const 16384)))
    (local.set $i (i32.const 1))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $i) (i32.load (i32.const 0))))
        (local.set $text (i32.load (i32.add (i32.const 1024) (i32.shl (local.get $i) (i32.const 2)))))
        (call $write (local.get $text) (call $length (local.get $text)))
        (call $write (i32.const 32) (i32.const 1))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))))
