// The licence.
import Foundation

let limit = 10
var name: String = "x", other = 2

/// A shape.
public protocol Shape: AnyObject {
    associatedtype Element
    var sides: Int { get }
    func area() -> Double
    init(sides: Int)
}

/// A circle.
@objc
public final class Circle: Base, Shape {
    static let most = 3
    private var radius: Double = 1
    var label: String { return "a" }
    lazy var other: Int = { 1 }()

    /// Makes one.
    init(radius: Double) {
        let inner = 1
        self.radius = radius
    }

    deinit { print("gone") }

    @discardableResult
    override func area() -> Double {
        func local() {}
        return 3
    }

    class func make<T: Shape>(of kind: T) -> Circle where T: Hashable { Circle(radius: 1) }

    subscript(index: Int) -> Int { index }

    enum Kind: String {
        case round, square = "s"
        case other(Int)
    }

    struct Part { let x: Int }
}

struct Point {
    var x = 0
    mutating func move() {}
}

extension Circle: Equatable {
    static func == (a: Circle, b: Circle) -> Bool { true }
    func grow() {}
}

typealias Name = String

actor Counter {
    var count = 0
}

func topLevel(_ a: Int, b: Int = 2) async throws -> Int {
    a + b
}

infix operator ***
