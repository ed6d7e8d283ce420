#!/usr/bin/env dart
// Copyright (c) 2024, the Post. All rights reserved.

/// Track parcels: where each one is, and when it should arrive.
library post.parcels;

import 'dart:async' show Future, Stream;
import 'package:carriers/carriers.dart' as carriers;
export 'src/depots.dart' hide Depot;

part 'parcels.g.dart';

/// Seconds that a carrier has to answer.
const double timeout = 7.5;
final retries = 3, backoff = 1.6;
var zones = {'eu': 'Zürich → Köln', 'jp': '東京'};
int Function(int) twice = (x) => x * 2;

/// Called when a parcel [arrives].
typedef Handler<T> = void Function(T place);
typedef int Compare(int a, int b);

/** Where a parcel is.
 *
 * Old style of comment.
 */
enum Status implements Comparable<Status> {
  /// In the depot.
  waiting(0), underway(1),
  @Deprecated('use done')
  delivered(2);

  const Status(this.rank);
  final int rank;

  bool get isFinal => this == delivered;
  @override
  int compareTo(Status other) => rank - other.rank;
}

/// A parcel and its way.
@immutable
@JsonSerializable(explicitToJson: true)
abstract class Parcel<P extends Object?> extends Shipment with Traced implements Comparable<Parcel> {
  /// The parcel that stands for none.
  static const none = _None(), empty = none;
  static final Map<String, Parcel> _cache = {};
  final String code;
  late final List<P>? places;
  int width = 0, height = 0;
  final Handler<P> onArrival = (place) { print(place); };

  // A plain comment.
  Parcel(this.code, {required int retries, super.key})
      : places = [],
        super(retries);

  const Parcel.empty() : code = '';
  factory Parcel.fromJson(Map<String, dynamic> json) {
    return Parcel.create(json['code'] as String)..places?.add(json['place']);
  }
  Parcel._(this.code) { _cache[code] = this; }
  factory Parcel.cached(String code) = _Cached;

  /// The key in the cache.
  String get key => places!.map((p) => p.toString()).join('/');
  set key(String value) {
    notify(value);
  }

  bool operator ==(Object other) => other is Parcel && other.code == code;
  P? operator [](int position) => places?[position];
  void operator []=(int position, P place) {}

  /// Finds it. Asks each carrier in turn.
  @override
  @protected
  Future<P?> locate<C extends carriers.Carrier>(
    C carrier, {
    int retries = 3, // at most nine
    void Function(P place)? then,
  }) async {
    int inner(int x) => x + retries;
    final local = (int x) => inner(x);
    await for (final place in carrier.watch(code)) {
      then?.call(place);
      return new Special.place(local(1));
    }
    throw const LostException('gone');
  }

  void arrive(P place);
  external static int now();
  Stream<int> ticks() async* { yield 1; } Iterable<int> numbers() sync* { yield* [1, 2]; }
}

mixin Traced on Shipment {
  void trace(String message) => log.fine('$code: ${message.trim()}');
}
base class _None = Parcel<Never> with Traced;
sealed class Event {}
final class Arrived extends Event { Arrived(this.at); final DateTime at; }
extension Codes on String { String get normalised => trim().toUpperCase(); }
extension on Status { void log() {} }
extension type ParcelId._(String id) implements Object { ParcelId.of(this.id); bool get isValid => id.isNotEmpty; }

int get depots => 1;
set depots(int count) {}

Future<void>   oddlyFormatted  ( a ,
   [ b = 1 ] )
async
{ await   twice( a ) ; }

external int native(int x);
int one() => 1; int two() => one() + one();

void main(List<String> args) {
  group('Parcel', () {
    setUp(() => Parcel._cache.clear());
    test("finds a parcel", () async {
      expect(await Parcel.fromJson({}).locate(dhl), isNotNull);
    });
  });
}
