(* SPDX-License-Identifier: ISC *)

(** Track parcels: where each one is, and when it should arrive.

    The carriers bill by the request, so answers are cached. *)

open! Base
open Stdio
include Carrier.Types
module Codes = Map.Make (String)

(** Seconds that a carrier has to answer. *)
let timeout = 7.5

let (low, high) = (0, 9)
let zones = [ "eu", "Zürich → Köln"; "jp", "東京" ]

(* A plain comment. *)
exception Lost of string * int

(** Where a parcel is. *)
type status =
  | Waiting
  | Underway of { since : float; depot : string }  (** between depots *)
  | Delivered : 'a -> status

(** A parcel and its way. *)
type 'place t = {
  code : string;  (** as printed on the label *)
  mutable depots : 'place list;
  status : status;
}
[@@deriving show, eq]

and 'a way = 'a list
and colour = [ `Red | `Other of int ]

type event = ..
type event += Arrived of string

external now : unit -> float = "caml_sys_time"

let ( >>= ) option f = Option.bind option ~f
let ( let* ) = ( >>= )
let[@inline always] twice x = x * 2

(** Tell whether a number of stops is even. *)
let rec even n = n = 0 || odd (n - 1)

(** Tell whether it is odd; [even] and it call each other. *)
and odd = fun n -> n <> 0 && even (n - 1)

let describe : type a. a t -> string = function
  | { code; status = Waiting; _ } -> code ^ " waits"
  | { code; _ } -> code

(** What can be tracked. *)
module type TRACKABLE = sig
  type place

  val origin : place

  (** Return where a code is. *)
  val locate : ?retries:int -> string -> place option

  val map : 'a 'b. ('a -> 'b) -> 'a list -> 'b list
end

(** A tracker whose answers are cached. *)
module Make (T : TRACKABLE) (Clock : sig val now : unit -> float end) : sig
  val track : string -> T.place option
end = struct
  let cache = Hashtbl.create (module String)

  let track ?(retries = 3) code =
    let rec attempt n =
      match T.locate ~retries code with
      | Some place -> Some place
      | None when n > 0 -> attempt (n - 1)
      | None -> None
    in
    let local = 3 in
    let open Result.Let_syntax in
    Hashtbl.find_or_add cache code ~default:(fun () -> attempt local) |> Option.join

  module Stats = struct let hits = ref 0 let hit () = incr hits end
end

module rec Sender : TRACKABLE = struct
  type place = int
  let origin = 0
end

and Receiver : TRACKABLE = Sender

(** A depot of parcels. *)
class virtual ['a] depot (name : string) = object (self)
  inherit ['a] Building.base name as super
  val mutable parcels : 'a list = []
  method name = name
  method push parcel = parcels <- parcel :: parcels; self#notify parcel
  method private virtual notify : 'a -> unit
  initializer ignore (super#name)
end

class type named = object method name : string end

let make_depot (type a) (x : a) = new Special.depot "d" x

let  odd_looking a
       ~b:(b : int) (* in days *)
    ?c () : int Codes.t
  = Fn.flip twice
      @@ b ; let inner y = y + a in inner (Option.value_exn c)

let one () = 1 let two () = one () + one ()

let%expect_test "a lost parcel" =
  print_endline (describe sample);
  [%expect {| PX-1 waits |}]

let%test_unit _ = ()

let () =
  let code = Sys.get_argv () |> Array.to_list |> List.last_exn in
  printf "%s\n" (describe (load code))
