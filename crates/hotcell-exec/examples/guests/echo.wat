;; A guest of the exec capability, by hand: it starts `tools/echo` with the argument `hi`, and copies what the program prints to
;; its own output. Everything that it sends is in its data; what a guest in another language would compute stands in comments.
;;
;;     hotcell guest run echo.wat --allow tools/echo
(module
  (import "lembeh" "_ctl" (func $ctl (param i32 i32 i32 i32) (result i32)))
  (import "lembeh" "req_read" (func $read (param i32 i32 i32) (result i32)))
  (import "lembeh" "res_write" (func $write (param i32 i32 i32) (result i32)))
  (import "lembeh" "res_end" (func $end (param i32)))

  (memory (export "memory") 1)

  ;; A ZCL1 request of 60 bytes: CAPS_OPEN (op 3, rid 6) of async/default, mode 1, a session of its own.
  (data (i32.const 64)
    "ZCL1" "\01\00" "\03\00" "\06\00\00\00" "\00\00\00\00" "\00\00\00\00" "\24\00\00\00"
    "\05\00\00\00async" "\07\00\00\00default" "\01\00\00\00" "\08\00\00\00" "\00\00\00\00" "\00\00\00\00")

  ;; A ZAX1 frame of 133 bytes: REGISTER_FUTURE (op 1), req_id 1, future_id 100, and 85 bytes of payload …
  (data (i32.const 128)
    "ZAX1" "\01\00" "\01\00" "\01\00" "\00\00" "\01\00\00\00\00\00\00\00"
    "\00\00\00\00\00\00\00\00" "\00\00\00\00\00\00\00\00" "\64\00\00\00\00\00\00\00" "\55\00\00\00"
    ;; … a source: CAP_SELECTOR (2), 80 bytes: exec/default, exec.start.v1, and 40 bytes of parameters …
    "\02" "\50\00\00\00"
    "\04\00\00\00exec" "\07\00\00\00default" "\0d\00\00\00exec.start.v1" "\28\00\00\00"
    ;; … prog_id, flags (2 and 4: stdout and stderr), two arguments, no environment.
    "\0a\00\00\00tools/echo" "\06\00\00\00" "\02\00\00\00" "\04\00\00\00echo" "\02\00\00\00hi" "\00\00\00\00")

  ;; Reads exactly $length bytes to $to; traps if there are fewer. A read may give less than was asked for.
  (func $read_exact (param $handle i32) (param $to i32) (param $length i32)
    (local $count i32)
    (loop $more
      (local.set $count (call $read (local.get $handle) (local.get $to) (local.get $length)))
      (if (i32.le_s (local.get $count) (i32.const 0)) (then (unreachable)))
      (local.set $to (i32.add (local.get $to) (local.get $count)))
      (local.set $length (i32.sub (local.get $length) (local.get $count)))
      (br_if $more (local.get $length))))

  ;; The host calls this with the handles of standard input and output.
  (func (export "lembeh_handle") (param $input i32) (param $output i32)
    (local $hub i32) (local $stdout i32) (local $count i32)
    ;; Open the hub. The reply has 52 bytes; its handle is the first thing behind 24 bytes of header and `ok`.
    (if (i32.ne (call $ctl (i32.const 64) (i32.const 60) (i32.const 1024) (i32.const 256)) (i32.const 52))
      (then (unreachable)))
    (local.set $hub (i32.load (i32.const 1048)))
    ;; Start the program. (A hub takes a frame in any pieces; this one is taken at once, because nothing is before it.)
    (if (i32.ne (call $write (local.get $hub) (i32.const 128) (i32.const 133)) (i32.const 133))
      (then (unreachable)))
    ;; Two events come: ACK (48 bytes) and FUTURE_OK (48, a length of 4, and 20 of value) – or FUTURE_FAIL.
    (call $read_exact (local.get $hub) (i32.const 2048) (i32.const 96))
    (if (i32.ne (i32.load16_u (i32.const 2104)) (i32.const 110)) (then (unreachable)))
    (call $read_exact (local.get $hub) (i32.const 2144) (i32.const 24))
    ;; exec_id, status_flags, stdin_handle, stdout_handle, stderr_handle.
    (local.set $stdout (i32.load (i32.const 2160)))
    (block $done
      (loop $copy
        (local.set $count (call $read (local.get $stdout) (i32.const 4096) (i32.const 4096)))
        (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
        (drop (call $write (local.get $output) (i32.const 4096) (local.get $count)))
        (br $copy)))
    (call $end (local.get $hub))
    (call $end (local.get $output))))
