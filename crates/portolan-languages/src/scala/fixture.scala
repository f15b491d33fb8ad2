// The licence.
package app.shapes

import scala.collection.mutable

/** A shape. */
sealed trait Shape {
  val sides: Int
  def area: Double
}

/** A circle. */
case class Circle(radius: Double, label: String = "a") extends Shape with Serializable {
  private val inner = 1
  var count: Int = 0
  type Element = Int

  /** Its area. */
  override def area: Double = {
    val local = 1
    def nested(x: Int) = x
    3.0
  }

  def this(radius: Int) = this(radius.toDouble)
  class Part(val x: Int)
}

object Circle {
  val Unit = Circle(1)
  def make[T](of: T)(implicit ev: Ordering[T]): Circle = ???
  implicit class Rich(val c: Circle) extends AnyVal { def twice: Circle = c }
}

abstract class Base

enum Colour:
  case Red, Green
  case Other(code: Int)

def topLevel(a: Int): Int = a + 1

given ordering: Ordering[Circle] = ???

extension (c: Circle) def grow: Circle = c
