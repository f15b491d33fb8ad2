// The licence.
#include <vector>
#include "shape.hpp"

namespace geometry {

/// A shape.
class Shape : public Base {
public:
    Shape();
    explicit Shape(int sides) : sides_(sides) {}
    virtual ~Shape() = default;
    virtual double area() const = 0;
    static Shape *make(const std::string &name);
    int sides() const { return sides_; }
    bool operator==(const Shape &other) const;
    operator bool() const { return true; }
    template <typename T>
    T as() const { return T(); }
    enum class Kind { Round, Square };
    struct Part {
        int x;
    };
    using Parts = std::vector<Part>;

private:
    int sides_ = 0;
    static constexpr int kMost = 8;
};

template <typename T, int N = 3>
class Buffer {
    T items[N];
    void push(T item);
};

template <typename T, int N>
void Buffer<T, N>::push(T item) {
    items[0] = item;
}

// Makes one.
Shape *Shape::make(const std::string &name) {
    auto local = [](int a) { return a; };
    return nullptr;
}

Shape::Shape() : sides_(0) {}

bool Shape::operator==(const Shape &other) const { return true; }

template <typename T>
T larger(T a, T b) {
    return a > b ? a : b;
}

namespace detail {
inline int hidden() { return 1; }
}  // namespace detail

concept_t global_value = 3;
constexpr double kPi = 3.14;
using Name = std::string;
typedef Shape *ShapePtr;

enum Flags : unsigned { kNone = 0, kAll };

template <typename T>
concept Number = requires(T a) { a + a; };

}  // namespace geometry

extern "C" {
int plain(int a);
}

std::ostream &operator<<(std::ostream &out, const geometry::Shape &shape) {
    return out;
}

int &reference_to(int &a) { return a; }

#define CHECK(x) do { } while (0)

union Word { int i; char c[4]; };

int main() {}
