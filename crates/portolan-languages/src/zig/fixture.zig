//! The module.
const std = @import("std");

const limit: usize = 10;
pub var counter: u32 = 0;

/// A point.
pub const Point = struct {
    x: f32,
    y: f32 = 0,

    const origin = Point{ .x = 0 };

    /// Its length.
    pub fn length(self: Point) f32 {
        const inner = self.x;
        const Local = struct {
            fn nested() void {}
        };
        _ = Local;
        return inner;
    }
};

const Colour = enum {
    red,
    green,

    fn isRed(self: Colour) bool {
        return self == .red;
    }
};

const Value = union(enum) {
    int: i32,
    text: []const u8,
};

const Failure = error{ Missing, Broken };

// Adds.
fn add(a: i32, b: i32) i32 {
    return a + b;
}

pub fn Stack(comptime T: type) type {
    return struct {
        items: []T,
    };
}

extern fn outside(a: c_int) void;

test "adds" {
    try std.testing.expect(add(1, 2) == 3);
}
