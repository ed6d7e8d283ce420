// Shapes and the store that holds them.
//
// Everything here is header-style C++20 on purpose.
#include <memory>
#include <string>
#include "shape.hpp"

using namespace std::literals;
using std::vector;
namespace fs = std::filesystem;

#define SHAPE_LIMIT 128
#define CHECK_SHAPE(s) do { if (!(s)) fail(#s); } while (0)

namespace geo::detail {

constexpr double pi = 3.14159;
inline int counter = 0, *counter_ptr = nullptr;

/// A point in the plane.
struct Point {
    double x{0}, y{0};
    /** Distance to the origin. */
    [[nodiscard]] double norm() const noexcept { return std::sqrt(x * x + y * y); }
    friend bool operator==(const Point& a, const Point& b) { return a.x == b.x; }
};

enum class Color : unsigned char { Red, Green = 2, Blau /* „blau“ */ };
enum { PLAIN_A, PLAIN_B };
union Cell { int i; float f; };

using Points = std::vector<Point>;
template <typename T> using Ptr = std::shared_ptr<T>;
typedef void (*Callback)(const Point&);

template <typename T>
concept Drawable = requires(T t) { t.draw(); };

/*!
 * Base of every shape.
 */
template <class T, int N = 2>
class Shape : public Base<T>, private Noncopyable {
public:
    Shape() = default;
    explicit Shape(T value) : value_(value), count_{N} {}
    Shape(const Shape&) = delete;
    virtual ~Shape();

    /// Draws it.
    virtual void draw(Canvas& canvas) const = 0;
    T* get() { return &value_; }
    const T& ref() const;
    Shape& operator+=(const Shape& other) { value_ += other.value_; return *this; }
    explicit operator bool() const { return count_ > 0; }
    template <class U> U as() const { return static_cast<U>(value_); }
    static Shape make(int n);

    class Iterator {
    public:
        Iterator& operator++();
        int position = 0;
    };
    std::function<void(int)> on_change = [](int) {};

private:
    T value_;
    int count_ = N, *spare_ = nullptr;
    static constexpr int kMax = 8;
    void (*hook_)(int);
};

// Out of class, with template arguments.
template <class T, int N>
Shape<T, N>::~Shape() { release(); }

template <class T, int N>
const T& Shape<T, N>::ref() const
{
    return value_;
}

template <> class Shape<void, 0> { int nothing; };

class GEO_EXPORT Exported : public Shape<int> {
    int area() const { return 1; }
};

} // namespace geo::detail

namespace {
const char* const kName = "größe";
int helper(int a) { return a; }
}

int geo::Store::count_ = 3;

/**
 * Adds a shape. Takes ownership.
 */
bool geo::Store::add(std::unique_ptr<Shape<int>> shape) {
    auto visit = [&](const Point& p) { return p.norm() > 1; };
    auto made = std::make_unique<Circle<int>>(3);
    shapes_.push_back(std::move(shape));
    this->notify<int>(visit, new geo::Event(1));
    return CHECK_SHAPE(made), geo::detail::verify(*made);
}
geo::Store::Store(int n) : n_(n) {}
geo::Store::operator int() const { return 1; }
std::ostream& operator<<(std::ostream& out, const Point& p) { return out << p.x; }
auto trailing(int a) -> std::vector<int> { return {a}; } double half(double a) { return a / 2; }
long double operator""_km(long double v) { return v * 1000; }

// Documented, so it is one.
void documented_prototype(int a);
void bare_prototype(int a);

extern "C" int c_entry(int argc) { return helper(argc); }
constexpr auto square = [](int x) { return x * x; };

TEST(StoreTest, AddsShapes) { EXPECT_TRUE(geo::Store(1).add(nullptr)); }

TEST_CASE("store keeps order", "[store]")
{
    SECTION("when empty")
    {
        REQUIRE(helper(0) == 0);
    }
}
