(* A table of event handlers that share state; some events replace a handler. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

type state = { mutable level : int; mutable alarms : int }

let rise state amount = fun value -> state.level <- (state.level + (value * amount)) land 0xFFFF
let fall state = fun value -> state.level <- state.level asr (value land 3)
let check state limit = fun value -> if state.level + value > limit then state.alarms <- state.alarms + 1

let run size =
  let state = { level = 0; alarms = 0 } in
  let handlers = [| rise state 3; fall state; check state 30000; rise state 7; check state 50000; fall state |] in
  let random = ref 1 in
  for i = 1 to size do
    random := ((!random * 25173) + 13849) land 0xFFFF;
    handlers.(!random mod 6) (!random asr 4);
    if !random land 1023 = 0 then handlers.(i mod 6) <- rise state (i land 7)
  done;
  state.level lxor (state.alarms lsl 8)

let () = ignore (bench_result (run (bench_size ())))
