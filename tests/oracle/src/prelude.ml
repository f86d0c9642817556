(* The functions that programs of the oracle call, with `int` of 32 bits. Evaluation is from left to right. *)
let zero = 0
let scale = 1
let out = print_string
let wrap8 x = x land 255
let wrap16 x = ((x land 0xffff) lxor 0x8000) - 0x8000
let wrap32 x = ((x land 0xffffffff) lxor 0x80000000) - 0x80000000
let fits low high other v = if low <= v && v <= high then v else other
let multiply16 a b = fits (-32768) 32767 1 (a * b)
let add32 a b = fits (-2147483648) 2147483647 2 (a + b)
let multiply32 a b = fits (-2147483648) 2147483647 3 (a * b)
let option_map2 f a b = match a, b with Some a, Some b -> Some (f a b) | _ -> None
let bool_text v = if v then "True" else "False"
let rec for_range first step last f =
  if (step > 0 && first <= last) || (step < 0 && first >= last) then (f first; for_range (first + step) step last f)
let collect f = let items = ref [] in f (fun item -> items := item :: !items); List.rev !items
let array_iter f a = for i = 0 to Array.length a - 1 do f a.(i) done
let cat first second = if String.length first + String.length second > 48 then "~" else first ^ second
let join first second = if List.length first + List.length second > 9 then first else first @ second
let string_replicate n s = String.concat "" (List.init n (fun _ -> s))
let string_length = String.length
let id x = x
let rec list_truncate n = function x :: rest when n > 0 -> x :: list_truncate (n - 1) rest | _ -> []
let few items = list_truncate 9 items
let list_init n f = collect (fun add -> for i = 0 to n - 1 do add (f i) done)
let grown count f = list_init (count land 7) f
let list_length = List.length
let list_isEmpty = function [] -> true | _ -> false
let list_rev = List.rev
let list_tryHead = function [] -> None | x :: _ -> Some x
let rec list_tryLast = function [] -> None | [x] -> Some x | _ :: rest -> list_tryLast rest
let list_tryItem n l = if n < 0 then None else List.nth_opt l n
let list_mapi f l = collect (fun add -> List.iteri (fun i x -> add (f i x)) l)
let list_map f l = collect (fun add -> List.iter (fun x -> add (f x)) l)
let list_iter = List.iter
let list_filter f l = collect (fun add -> List.iter (fun x -> if f x then add x) l)
let list_choose f l = collect (fun add -> List.iter (fun x -> match f x with Some y -> add y | None -> ()) l)
let list_fold = List.fold_left
let list_foldBack f l s = List.fold_right f l s
let list_exists = List.exists
let list_forall = List.for_all
let list_tryFind = List.find_opt
let rec list_tryPick f = function [] -> None | x :: rest -> (match f x with None -> list_tryPick f rest | found -> found)
let list_cons x l = x :: l
let list_toArray = Array.of_list
let list_ofArray = Array.to_list
let spread f l = few (List.concat (list_map f l))
let array_create = Array.make
let array_init n f = Array.of_list (list_init n f)
let array_length = Array.length
let array_isEmpty a = Array.length a = 0
let array_rev a = Array.of_list (List.rev (Array.to_list a))
let array_tryHead a = if Array.length a = 0 then None else Some a.(0)
let array_tryItem n a = if n < 0 || n >= Array.length a then None else Some a.(n)
let array_items a = collect (fun add -> array_iter add a)
let array_mapi f a =
  let items = ref [] in
  for i = 0 to Array.length a - 1 do items := f i a.(i) :: !items done;
  Array.of_list (List.rev !items)
let array_map f a = array_mapi (fun _ x -> f x) a
let array_filter f a = Array.of_list (collect (fun add -> array_iter (fun x -> if f x then add x) a))
let array_fold f s a = let state = ref s in array_iter (fun x -> state := f !state x) a; !state
let array_foldBack f a s = let state = ref s in for i = Array.length a - 1 downto 0 do state := f a.(i) !state done; !state
let array_exists f a = let rec go i = i < Array.length a && (f a.(i) || go (i + 1)) in go 0
let array_forall f a = let rec go i = i >= Array.length a || (f a.(i) && go (i + 1)) in go 0
let array_copy = Array.copy
let at items index otherwise = if index >= 0 && index < Array.length items then items.(index) else otherwise
let put items index value = if index >= 0 && index < Array.length items then items.(index) <- value
let lazy_force = Lazy.force
let rec seq_each f s after () =
  match s () with Seq.Nil -> after () | Seq.Cons (x, rest) -> Seq.append (f x) (seq_each f rest after) ()
let rec seq_range first step last () =
  if (step > 0 && first <= last) || (step < 0 && first >= last) then Seq.Cons (first, seq_range (first + step) step last)
  else Seq.Nil
let seq_ofList l = List.to_seq l
let seq_ofArray a =
  let rec go i () = if i < Array.length a then Seq.Cons (a.(i), go (i + 1)) else Seq.Nil in go 0
let seq_toList s = collect (fun add -> Seq.iter add s)
let seq_toArray s = Array.of_list (seq_toList s)
let seq_length s = Seq.fold_left (fun n _ -> n + 1) 0 s
let seq_isEmpty s = match s () with Seq.Nil -> true | Seq.Cons _ -> false
let seq_tryHead s = match s () with Seq.Nil -> None | Seq.Cons (x, _) -> Some x
let rec seq_truncate n s () =
  if n <= 0 then Seq.Nil else match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, rest) -> Seq.Cons (x, seq_truncate (n - 1) rest)
let seq_append a b = Seq.append a b
let seq_fold = Seq.fold_left
let seq_iter = Seq.iter
let seq_map f s = Seq.map f s
let seq_filter f s = Seq.filter f s
let option_isSome = function Some _ -> true | None -> false
let option_orElse other v = match v with Some _ -> v | None -> other
let option_iter f = function Some x -> f x | None -> ()
let option_map f = function Some x -> Some (f x) | None -> None
let option_bind f = function Some x -> f x | None -> None
let option_filter f v = match v with Some x when f x -> v | _ -> None
let option_defaultWith f = function Some x -> x | None -> f ()
let option_fold f s = function Some x -> f s x | None -> s
let result_defaultWith f = function Ok x -> x | Error e -> f e
let defaultArg v otherwise = match v with Some x -> x | None -> otherwise
let guard number = out ("<+" ^ string_of_int number ^ ">"); number
let dispose number = out ("<-" ^ string_of_int number ^ ">")
let ticking start = let count = ref start in fun () -> count := wrap32 (!count + 1); !count
let rec turned count step state = if count <= 0 then state else turned (count - 1) step (step state)
let often step state = turned 1000 step state
