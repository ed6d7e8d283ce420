/*
 * Shapes, and what can be drawn.
 */
package com.example
package shapes

import scala.collection.mutable.{ArrayBuffer, Map => MutableMap}
import cats.syntax.all._
import Ordering.given
export codecs.{encode, decode}

/** A shape. Knows its area.
  *
  * @tparam A the type of its label
  */
@SerialVersionUID(1L)
@deprecated("use Figure", "2.0")
sealed abstract class Shape[+A <: AnyRef](val label: A, scale: Double = 1.0)(implicit ctx: Context)
    extends Base(label)
    with Drawable {
  type Out = Double
  type Unit0

  /** Area in square metres. */
  def area: Double
  val corners: Int
  protected lazy val cache: MutableMap[String, A] = MutableMap.empty
  private[shapes] var hits, misses = 0

  def this(label: A) = this(label, 1.0)(Context.default)

  // Scales both sides.
  @inline final def *(factor: Double): Shape[A] = copy(scale * factor)

  def fold[B, C >: B](zero: B)(
      step: (B, Double) => C
  )(implicit show: Show[A]): C = {
    def loop(n: Int, acc: B): C = if (n <= 0) acc else loop(n - 1, step(acc, area).asInstanceOf[B])
    val local = new ArrayBuffer[Double](4)
    class Cell { def get = zero }
    local.map(_ + 1).foreach(println)
    loop(3, zero)
  }

  override def toString(): String = s"Shape($label) – 形 ${area.show}"; def unary_- : Shape[A] = this
}

final case class Circle(radius: Double, name: String = "circle") extends Shape[String](name) {
  def area = math.Pi * radius * radius
  val corners = 0
}

/** Makes circles. */
object Circle extends (Double => Circle) {
  val Unit = Circle(1.0)
  final val MaxRadius = 100
  val double: Double => Double = (x: Double) => x * 2
  implicit val order: Ordering[Circle] = Ordering.by(_.radius)

  def apply(radius: Double): Circle = new Circle(radius)
  def unapply[A](shape: Shape[A]): Option[Double] = shape match {
    case Circle(r, _) => Some(r)
    case _            => None
  }

  implicit class CircleOps(private val self: Circle) extends AnyVal {
    def grow(by: Double): Circle = self.copy(radius = self.radius + by)
  }
  object Defaults { val color = "red" }
}

case object Empty extends Shape[String]("empty") { def area = 0; val corners = 0 }

trait Draw[F[_], -A] extends Serializable { self: Logging =>
  def draw(a: A): F[Unit]
  def `draw twice`(a: A)(using Monad[F]): F[Unit] = draw(a) >> draw(a)
}

package object utils {
  type Id[A] = A
  def clamp(x: Int, low: Int, high: Int): Int = x max low min high
}

package inner {
  class Hidden
}

enum Color(val rgb: Int) derives Eq {
  /** The first. */
  case Red extends Color(0xff0000)
  case Green, Blue
  case Mix(first: Color, second: Color) extends Color(first.rgb | second.rgb)

  def isWarm: Boolean = this == Red
}

/** Orders by area. */
given byArea: Ordering[Shape[?]] with {
  def compare(x: Shape[?], y: Shape[?]): Int = x.area compare y.area
}
given Show[Color] = Show.fromToString
given listShow[A](using Show[A]): Show[List[A]] with
  def show(list: List[A]): String = list.map(_.show).mkString

extension (text: String)
  def shout: String = text.toUpperCase + "!"
  /** The text, several times. */
  def repeat(times: Int): String = text * times
extension [A](list: List[A]) def second: A = list(1)

opaque type Meters = Double
val Origin = (0, 0)
inline def debug[T](inline value: T): T = ${ debugImpl('value) }

@main def run(args: String*): Unit =
  val shapes = args.map(parse[Circle])
  def total(list: Seq[Circle]): Double =
    list.map(_.area).sum
  println(total(shapes))

class ShapeSuite extends FunSuite {
  test("a circle has an area") {
    assertEquals(Circle(1).area, math.Pi)
  }
}

class StackSpec extends AnyWordSpec {
  "A stack" should {
    "pop what was pushed" in { new Stack().pop() shouldBe 1 }
  }
  it should "be empty" in { Stack.empty }
}

   object   Odd{def f( x :Int )
     =x+1;val   y=2
  case   class Pair ( a:Int,b : Int )}
