//! A ring buffer of log records.
//! One reader, many writers.

const std = @import("std");
const Allocator = std.mem.Allocator;
const assert = @import("std").debug.assert;
const c = @cImport({
    @cInclude("time.h");
});
pub usingnamespace @import("slots.zig");

/// How many slots a ring has.
pub const slots: usize = 64;
var counter: u32 = 0;
threadlocal var scratch: [16]u8 = undefined;
pub extern var environ: [*]u8;

/// What went wrong.
pub const Error = error{
    /// No slot is free.
    Full,
    Closed,
};

/// How urgent a record is.
pub const Severity = enum(u8) {
    debug,
    info = 10, // between
    _,

    pub const default = Severity.info;

    /// Tells the short name: „größer“.
    pub fn label(self: Severity) []const u8 {
        return @tagName(self);
    }
};

const Value = union(enum) { int: i64, text: []const u8, none };
const Flags = packed struct(u8) { urgent: bool, sticky: bool = false, rest: u6 };
const Handle = opaque {
    extern fn close(h: *Handle) void;
};

/// A record.
/// It is copied in.
pub const Record = struct {
    when: i64 = 0,
    /// The text, not zero-terminated.
    text: []const u8,
    level: Severity, next: ?*Record,

    pub const max_len = 240;
    const Self = @This();

    pub fn init(allocator: Allocator, comptime T: type, text: T) !*Self {
        const self = try allocator.create(Self);
        self.* = .{ .text = text, .level = .info, .next = null };
        return self;
    }

    const Nested = struct {
        deep: u8,
        fn get(n: Nested) u8 {
            return n.deep;
        }
    };

    test "record keeps its text" {
        const record = try Record.init(std.testing.allocator, []const u8, "résumé");
        try std.testing.expectEqualStrings("résumé", record.text);
    }
};

/// Makes a ring of anything.
pub fn Ring(comptime T: type) type {
    return struct {
        items: [slots]T,
        head: usize = 0,

        const Self = @This();

        /// Adds one.
        pub fn push(self: *Self, item: T) Error!void {
            if (self.head == slots) return error.Full;
            self.items[self.head] = item;
        }
    };
}

pub const IntRing = Ring(i64);
const Callback = *const fn (record: *Record) void;

// A plain comment above a function.
fn add(a: i32, b: i32) callconv(.c) i32 { return a + b; } inline fn half(a: i32) i32 { return @divTrunc(a, 2); }

pub extern "c" fn puts(s: [*:0]const u8) c_int;
export fn ring_entry() void {}

fn   odd (
    a : u32,
      b: u32,
) u32 { const Local = struct { q: u32 };
    return Local{ .q = a }.q +
        b; }

pub fn @"select"() void {}

comptime {
    assert(slots > 1);
}

test "ring wraps around" {
    var ring: Ring(u8) = undefined;
    try ring.push(1);
}

test add {
    try std.testing.expectEqual(3, add(1, 2));
}

test {
    _ = Record;
}
