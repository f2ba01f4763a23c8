package terminal

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"
)

// paper is a Canvas and the emulator that it draws on.
type paper struct {
	Canvas
	em      *vt.Emulator
	written int // bytes
}

func newPaper(width, height int) *paper {
	p := &paper{em: vt.NewEmulator(width, height)}
	_, _ = io.WriteString(p.em, takeScreen)
	return p
}

func (p *paper) show(lines ...string) {
	var b bytes.Buffer
	p.Paint(&b, strings.Join(lines, "\n"), max(len(lines), 1))
	p.written = b.Len()
	_, _ = p.em.Write(b.Bytes())
}

// drawn returns the lines that the emulator shows, with styles.
func drawn(em *vt.Emulator) []string {
	lines := strings.Split(em.Render(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \r")
	}
	return lines
}

// same compares the screen of p with lines drawn on an empty one.
func (p *paper) same(t *testing.T, lines ...string) {
	t.Helper()
	fresh := newPaper(p.em.Width(), p.em.Height())
	fresh.show(lines...)
	if diff := cmp.Diff(drawn(p.em), drawn(fresh.em)); diff != "" {
		t.Fatalf("the screen (-got +want):\n%s", diff)
	}
}

const dim = "\x1b[2m"

// The screen shows the content, and only changes are written.
func TestPaint(t *testing.T) {
	list := func(from, to int) (lines []string) {
		for i := from; i <= to; i++ {
			lines = append(lines, fmt.Sprintf("  this is line %d of the list", i))
		}
		return lines
	}
	foot := []string{"────", "› typed", "status"}
	for _, c := range []struct {
		name      string
		old, line []string
		atMost    int // bytes
	}{
		{"nothing changed", list(1, 5), list(1, 5), 0},
		{"a word is added", []string{"  one"}, []string{"  one two"}, len("\x1b[1;6H two")},
		{"words are cut off", []string{"  one two"}, []string{"  one"}, len("\x1b[1;6H\x1b[K")},
		{"a styled line grows", []string{dim + "one" + resetStyle}, []string{dim + "one two" + resetStyle}, 30},
		{"a style ends", []string{dim + "one two" + resetStyle}, []string{dim + "one" + resetStyle + " two"}, 30},
		{"a style is not closed", []string{"one", "two"}, []string{dim + "one", "TWO"}, 40},
		{"a letter gets an accent", []string{"cafe"}, []string{"cafe\u0301"}, 20},
		{"a letter loses its accent", []string{"cafe\u0301 x"}, []string{"cafe x"}, 20},
		{"wide letters", []string{"日本", "x"}, []string{"日x", "日"}, 60},
		{"a list scrolls", append(list(1, 7), foot...), append(list(2, 8), foot...), 60},
		{"a list scrolls back", append(list(4, 10), foot...), append(list(1, 7), foot...), 140},
		{"the foot grows", append(list(1, 7), foot...), append(list(2, 7), append([]string{"1 job"}, foot...)...), 60},
		{"another picture", list(1, 5), []string{"a", "", "c", "d", ""}, 80},
		{"another height", list(1, 5), list(1, 7), 300},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPaper(40, 12)
			p.show(c.old...)
			p.show(c.line...)
			p.same(t, c.line...)
			if p.written > c.atMost && (runtime.GOOS != "windows" || c.atMost == 0) { // Windows never scrolls
				t.Errorf("%d bytes were written, want at most %d", p.written, c.atMost)
			}
		})
	}
}

// FuzzPaint draws random frames, one over another.
func FuzzPaint(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		const width, height = 30, 14
		p := newPaper(width, height)
		var lines []string
		for range 40 {
			lines = next(r, lines, width, height)
			p.show(lines...)
			p.same(t, lines...)
		}
	})
}

// next returns a frame derived from the last one.
func next(r *rand.Rand, lines []string, width, height int) []string {
	lines = append([]string(nil), lines...)
	for len(lines) < height {
		lines = append(lines, phrase(r, width))
	}
	switch y := r.IntN(height); r.IntN(5) {
	case 0:
		lines[y] = phrase(r, width)
	case 1: // lines above a footer move up
		n := 1 + r.IntN(3)
		end := n + r.IntN(height-n)
		copy(lines, lines[n:end+1])
		for i := range n {
			lines[end-i] = phrase(r, width)
		}
	case 2: // or down
		n := 1 + r.IntN(3)
		copy(lines[n:], lines)
		for i := range n {
			lines[i] = phrase(r, width)
		}
	case 3: // a line grows
		lines[y] = ansi.Truncate(lines[y]+phrase(r, 9), width, "")
	default:
		for i := range lines {
			if r.IntN(3) == 0 {
				lines[i] = phrase(r, width)
			}
		}
	}
	return lines
}

// phrase returns random styled text of at most width columns that ends without a style.
func phrase(r *rand.Rand, width int) string {
	s := ""
	for range r.IntN(8) {
		s += []string{"word ", "a", "  ", "日本", "👩‍👩‍👧", "e\u0301", "·", dim, "\x1b[1m", "\x1b[31m", resetStyle, "\x1b[1;32m",
			"\x1b]8;;http://x.y\a", "\x1b]8;;\a"}[r.IntN(14)]
	}
	return ansi.Truncate(s, width, "") + "\x1b]8;;\a" + resetStyle
}
