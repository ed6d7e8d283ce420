//
//  Parcel.swift
//  Copyright (c) 2024 Post. All rights reserved.
//

import Foundation
import struct Dispatch.DispatchTime
@_exported import Carriers
@testable import Depots

#if canImport(os)
import os
#endif

/// Seconds that a carrier has to answer.
public let timeout: TimeInterval = 7.5
let retries = 3, backoff = 1.6
let (low, high) = (0, 9)
var now: Date { Date() }
let normalise: (String) -> String = { code in code.uppercased() }

/// What can be tracked. It has a code.
///
/// - Note: carriers adopt it for their own.
@MainActor
public protocol Trackable: AnyObject, Sendable {
    associatedtype Place: Hashable
    var code: String { get set }
    init(code: String)
    func locate(at moment: Date) async throws -> Place?
    subscript(index: Int) -> Place { get }
    static func + (left: Self, right: Self) -> [Self]
}

/**
 Where a parcel is.

 Second paragraph.
 */
@frozen public enum Status: String, CaseIterable {
    /// In the depot.
    case waiting, underway
    case delivered = "done"
    indirect case nested(of: Status, count: Int)

    static let first = Status.waiting
    var isFinal: Bool { self == .delivered }
    mutating func advance() { self = .delivered }
}

@available(iOS 15, macOS 12, *)
@objc(PSTParcel)
open class Parcel<Place: Hashable, Item>: NSObject, @unchecked Sendable where Item: Codable {
    public typealias Handler = (Result<Place, Error>) -> Void
    /// The parcel that stands for none.
    public static let none = Parcel(code: "∅ – 空")
    @Published private(set) var code: String {
        didSet { notify(code) }
    }
    var width = 0, height = 0
    lazy var formatter: NumberFormatter = {
        let formatter = NumberFormatter()
        return formatter
    }()
    let onArrival: (Place) -> Void = { place in print(place) }
    var (x, y) = (0, 0)

    /// The key in the cache.
    open var key: String {
        get { depots.map(\.name).joined(separator: "/") }
        set { depots = [] ; log.debug("\(newValue)") }
    }

    // A plain comment.
    public init(code: String) { self.code = code; super.init() }
    required convenience public init?(coder: NSCoder) throws {
        self.init(code: try coder.decode()!)
    }
    deinit { notify("gone") }

    /* Returns the depot at some position. */
    subscript(position: Int) -> Depot? { depots[position] }
    subscript<T>(dynamicMember path: KeyPath<Place, T>) -> T where T: Equatable {
        get { fatalError() }
    }

    @discardableResult
    @available(*, deprecated, renamed: "locate(at:)")
    open func locate<C: Carrier>(
        with carrier: C, // the one that took it
        completion: @escaping (Place?) async throws -> Void
    ) async rethrows -> [Place]? where C.Place == Place {
        let local = 1
        func nested(_ value: Int) -> Int { value + local }
        struct Local { let inner: Int }
        let closure = { (value: Int) in nested(value) }
        return try await carrier.session.request(code).map { Local(inner: $0) }?.retry(times: closure(2))
    }

    class func `default`() -> Self { Self.init(code: "") }
    static func == (left: Parcel, right: Parcel) -> Bool { left.code == right.code }

    public final class Builder { struct Options { var strict = false; func check() {} } }
}

infix operator <+>: AdditionPrecedence
func <+> (left: Int, right: Int) -> Int { left + right }

// MARK: - Conveniences

extension Parcel: Trackable {
    public func locate(at moment: Date) async throws -> Int? { nil }
}
extension Parcel.Builder.Options: CustomStringConvertible { var description: String { "\(strict)" } }
extension Array where Element == Status { func finals() -> [Status] { filter { $0.isFinal } } }

/// Counts what passes.
public actor Counter<T> { private var count = 0; nonisolated func reset() { Dictionary<String, Int>(minimumCapacity: 3) } }

#if DEBUG
private func trace(_ message: String) { os_log("%@", message) }
#endif

@freestanding(expression)
public macro stringify<T>(_ value: T) -> (T, String) = #externalMacro(module: "Macros", type: "Stringify")

struct  Odd
{ func   run (  )
    throws { _ = #stringify(1) } }

final class ParcelSpec: QuickSpec {
    override class func spec() {
        describe("a parcel") {
            it("has a code") { expect(Parcel.none.code).to(equal("∅")) }
        }
    }
}

@Test("a parcel can be located") func locating() async { await #expect(throws: Never.self) { try run() } }
