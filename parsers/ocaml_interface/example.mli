(* SPDX-License-Identifier: ISC *)

(** Track parcels: where each one is, and when it should arrive. *)

open! Base
include Carrier.S with type t := string

(** Seconds that a carrier has to answer; “7½” by default. *)
val timeout : float

exception Lost of string * int
(** Raised by {!locate}. *)

type abstract

(** Where a parcel is. *)
type status =
  | Waiting
  | Underway of { since : float; depot : string }

(** A parcel and its way. *)
type 'place t = private {
  code : string;  (** as printed on the label *)
  mutable depots : 'place list;
}
[@@deriving sexp_of, equal]

and colour = [ `Red | `Other of int ]
and 'a way = 'a list

type Carrier.event += Arrived of string

(** [locate ?retries code] returns where a parcel is. Raises {!Lost}. *)
val locate
  :  ?retries:int (* at most nine *)
  -> on_error:(exn -> unit)
  -> string
  -> 'place t option

val ( >>= ) : 'a option -> ('a -> 'b option) -> 'b option
val iter : 'a 'b. ('a -> 'b) -> 'a list -> unit [@@deprecated "[since 2] Use map"]
val one : int val two : unit -> int
external now : unit -> float = "caml_sys_time" [@@noalloc]

(** What can be tracked. *)
module type TRACKABLE = sig
  type place

  val origin : place

  (** Return the place of a code. *)
  val place_of : string -> place
end

module Codes : Map.S with type key = string

(** A tracker whose answers are cached. *)
module Make (T : TRACKABLE) : sig
  val track : string -> T.place option

  module Stats : sig
    val hits : unit -> int
  end
end

module rec Sender : TRACKABLE
and Receiver : sig val origin : int end

(** A depot of parcels. *)
class virtual ['a] depot : string -> object
  inherit ['a] Building.base
  val mutable parcels : 'a list
  method push : 'a -> unit
  method private virtual notify : 'a -> unit
end

class type named = object method name : string end

   val   oddly_formatted:int->
 int
