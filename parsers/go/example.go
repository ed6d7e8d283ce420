// Package ring keeps the last records of a log.
//
// It is safe for one reader.
package ring

import "fmt"
import (
	"errors"
	str "strings"

	. "example.org/log/v2"
	_ "embed"
)

// MaxSlots is the size of the largest ring.
const MaxSlots, minSlots = 1 << 10, 2

// Severities of a record.
const (
	// Debug is dropped first.
	Debug Severity = iota
	Info
	warn, fatal = "warn", "fatal" // two at once
)

var ErrFull = errors.New("ring: full — größer wählen")

var (
	_ Writer = (*Ring[int])(nil)

	count, total int
	// clean strips a line.
	clean = func(s string) string {
		return str.TrimSpace(s)
	}
)

type Severity int

type Pair = struct{ A, B int }

/*
Record is one message.

It is copied in.
*/
type Record struct {
	Text     string `json:"text"`
	row, col int
	Severity // embedded
	*Pair
	meta struct {
		Host string
	}
	done func() error
}

type (
	// Ring is a ring of anything.
	Ring[T any] struct {
		slots []T
		mu    sync.Mutex
	}

	// Writer takes records.
	Writer interface {
		// Write adds one.
		Write(r Record) error
		fmt.Stringer
	}
	Filter    func(Record) bool
	Number    interface{ ~int | ~float64 }
	Map[K comparable, V any] map[K]V
)

// New makes a ring.
//
//go:noinline
func New[T any](size int) *Ring[T] {
	keep := func(n int) bool { return n > 0 }
	type local struct{ seen bool }
	if !keep(size) {
		panic(fmt.Sprintf("size %d", size))
	}
	return &Ring[T]{slots: make([]T, size)}
}

// Write adds a record.
func (r *Ring[T]) Write(rec Record) (err error) {
	defer r.mu.Unlock()
	go func() { rec.done() }()
	return Apply[Record](rec, str.ToUpper)
}

func (Severity) String() string { return "?" }; func (p Pair) Sum() int { return p.A + p.B }

func Apply[T any, F interface {
	~func(T) error
}](value T, f F) error {
	return f(value)
}

func native(a, b int) int

func init() {}

func   odd ( a   int,
	b int) (
	c int) { return a+
		b }

func TestRing(t *testing.T) {
	for _, tc := range []struct{ name string }{{"a"}} {
		t.Run(tc.name, func(t *testing.T) { New[int](1) })
	}
	t.Run("wraps around", func(t *testing.T) {
		New[int](2).Write(Record{})
	})
}

var _ = Describe("the ring", func() {
	It("is empty", func() { Expect(count).To(BeZero()) })
})
