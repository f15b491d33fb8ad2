// The licence.
import 'dart:math';

const limit = 10;
String name = 'x', other = 'y';
final int count = 2;

/// A shape.
abstract class Shape {
  int get sides;
  double area();
}

/// A circle.
@immutable
class Circle extends Base with Helps implements Shape {
  static const most = 3;
  final double radius;
  String? _label;

  /// Makes one.
  Circle(this.radius, {String? label}) : _label = label;
  Circle.unit() : radius = 1;
  factory Circle.from(Map json) => Circle(1);

  @override
  double area() {
    final inner = 1;
    int local(int a) => a;
    return 3;
  }

  int get sides => 0;
  set label(String value) => _label = value;
  static Circle make<T>(T of) => Circle(1);
  bool operator ==(Object other) => true;
}

mixin Helps on Base {
  void help() {}
}

extension Grows on Circle {
  Circle grow() => this;
}

enum Colour { red, green }

enum Level {
  low(1),
  high(2);
  const Level(this.code);
  final int code;
}

typedef Compare = int Function(int a, int b);

int topLevel(int a, [int b = 2]) {
  return a + b;
}

Future<void> main() async {}
