(* A ring buffer of bytes between a producer and a consumer of other speeds. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

type ring = { items : int array; mutable first : int; mutable count : int }

let try_push item ring =
  if ring.count = Array.length ring.items then false
  else begin
    ring.items.((ring.first + ring.count) mod Array.length ring.items) <- item;
    ring.count <- ring.count + 1;
    true
  end

let try_pop ring =
  if ring.count = 0 then None
  else begin
    let item = ring.items.(ring.first) in
    ring.first <- (ring.first + 1) mod Array.length ring.items;
    ring.count <- ring.count - 1;
    Some item
  end

let run size =
  let ring = { items = Array.make 48 0; first = 0; count = 0 } in
  let random = ref 1 and lost = ref 0 and sum = ref 0 in
  for _ = 1 to size do
    random := ((!random * 25173) + 13849) land 0xFFFF;
    if !random land 96 <> 0 && not (try_push !random ring) then incr lost;
    if !random land 24 <> 0 then
      match try_pop ring with
      | Some item -> sum := ((!sum * 31) lxor item) land 0xFFFFFF
      | None -> sum := !sum lxor 1
  done;
  !sum + !lost

let () = ignore (bench_result (run (bench_size ())))
