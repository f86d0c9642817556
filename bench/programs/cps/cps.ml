(* The Fibonacci function and Takeuchi's function in continuation-passing style. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let rec fib n k = if n < 2 then k n else fib (n - 1) (fun a -> fib (n - 2) (fun b -> k (a + b)))

let rec tak x y z k =
  if y >= x then k z
  else tak (x - 1) y z (fun a -> tak (y - 1) z x (fun b -> tak (z - 1) x y (fun c -> tak a b c k)))

let run size =
  let sum = ref 0 in
  for round = 1 to size do
    let n = round land 3 in
    sum := !sum lxor (fib (n + 7) (fun a -> a + round) + tak (n + 5) 3 n (fun b -> b * 3))
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
