package terminal

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// chunks are reads that come at given times after the first one.
type chunks struct {
	at   time.Duration
	rest []chunk
}

type chunk struct {
	at   time.Duration
	text string
}

func (c *chunks) more(d time.Duration) bool { return len(c.rest) > 0 && c.rest[0].at <= c.at+d }

func (c *chunks) Read(p []byte) (int, error) {
	next := c.rest[0]
	c.at, c.rest = max(c.at, next.at), c.rest[1:]
	return copy(p, next.text), nil
}

// passed returns what passes of the reads, with pastes as "<text>" and "<text>enter".
func passed(p *pastes, all ...chunk) (got []string) {
	c := &chunks{rest: all}
	p.now = func() time.Time { return time.Unix(0, 0).Add(c.at) }
	buf := make([]byte, 4096)
	for len(c.rest) > 0 {
		n, _ := c.Read(buf)
		in, isPaste := buf[:n], false
		if p.mayBurst(in) {
			in, isPaste = gather(c, buf, n, p.isQuick())
		}
		if !isPaste {
			got = append(got, string(p.divide(nil, in)))
			continue
		}
		out := p.burst(nil, in)
		switch msg := p.complete(tea.PasteMsg{}).(type) {
		case tea.PasteMsg:
			got = append(got, "<"+msg.Content+">")
		case PasteEnter:
			got = append(got, "<"+msg.Content+">enter")
		}
		if keys := out[len(ansi.BracketedPasteStart+ansi.BracketedPasteEnd):]; len(keys) > 0 {
			got = append(got, string(keys))
		}
	}
	return got
}

// Text that comes faster than anybody types is a paste, however it is split.
func TestPasteWithoutMarkers(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		in   []chunk
		want []string
	}{
		"lines":                      {[]chunk{{0, "a\r!b\r/c\rd"}}, []string{"<a\r!b\r/c\rd>"}},
		"a final Enter":              {[]chunk{{0, "a\rb\r"}}, []string{"<a\rb>enter"}},
		"empty lines":                {[]chunk{{0, "a\n\n"}}, []string{"<a\n>enter"}},
		"what follows":               {[]chunk{{0, "a\r"}, {9 * ms, "!b\r"}, {18 * ms, "/c\r"}, {60 * ms, "d"}, {200 * ms, "e"}}, []string{"<a\r!b\r/c\rd>", "e"}},
		"byte by byte":               {[]chunk{{0, "a"}, {ms, "b"}, {2 * ms, "\r"}, {3 * ms, "!"}, {4 * ms, "c"}, {5 * ms, "\r"}}, []string{"a", "b", "<\r!c>enter"}},
		"colors":                     {[]chunk{{0, "\x1b[31ma\x1b[m\r\n!b"}}, []string{"<\x1b[31ma\x1b[m\r\n!b>"}},
		"an interrupt ends it":       {[]chunk{{0, "a\rb\r"}, {50 * ms, "\x03"}}, []string{"<a\rb\r>", "\x03"}},
		"control characters":         {[]chunk{{0, "a\rb\x03\x03!c\r"}}, []string{"<a\rb\x03\x03!c>enter"}},
		"a line with an interrupt":   {[]chunk{{0, "a\x03!b\r"}}, []string{"<a\x03!b>enter"}},
		"a line with ctrl+u":         {[]chunk{{0, "a\x15!b\r"}}, []string{"<a\x15!b>enter"}},
		"a line with two escapes":    {[]chunk{{0, "a\x1b\x1b!b\r"}}, []string{"<a\x1b\x1b!b>enter"}},
		"a cleared line":             {[]chunk{{0, "\x15!b\r"}}, []string{"\x15!b\r"}},
		"lines after pauses":         {[]chunk{{0, "a b\r"}, {60 * ms, "!b\r"}, {120 * ms, "/c\r"}, {180 * ms, "d"}}, []string{"<a b\r!b\r/c\rd>"}},
		"parts after pauses":         {[]chunk{{0, "notes"}, {60 * ms, "a\r"}, {120 * ms, "!b"}, {180 * ms, "c\r"}}, []string{"notes", "<a\r!bc>enter"}},
		"characters after pauses":    {[]chunk{{0, "a"}, {20 * ms, "b"}, {40 * ms, "c"}, {60 * ms, "d"}, {80 * ms, "\r"}, {100 * ms, "!"}, {120 * ms, "b"}, {140 * ms, "\r"}}, []string{"a", "b", "c", "d", "<\r!b>enter"}},
		"a key after a line":         {[]chunk{{0, "/mode\r"}, {50 * ms, "\x1b[B"}, {100 * ms, "\r"}}, []string{"/mode\r\x1b[B", "\r"}},
		"typed with pauses":          {[]chunk{{0, "a"}, {40 * ms, "\r"}, {80 * ms, "b"}, {120 * ms, "\r"}}, []string{"a", "\r", "b", "\r"}},
		"text and Enter in one read": {[]chunk{{0, "/help\r"}, {50 * ms, "x"}, {200 * ms, "y\r"}}, []string{"/help\rx", "y\r"}},
		"a composed text":            {[]chunk{{0, "日本語"}, {30 * ms, "\r"}}, []string{"日本語", "\r"}},
		"keys and Enter":             {[]chunk{{0, "\x1b[B\r\x1b[A"}}, []string{"\x1b[B\r\x1b[A"}},
		"a reply of the terminal":    {[]chunk{{0, "\x1b]11;rgb:0/0/0\x1b\\\r"}}, []string{"\x1b]11;rgb:0/0/0\x1b\\\r"}},
		"alt+enter":                  {[]chunk{{0, "a\x1b\rb"}}, []string{"a\x1b\rb"}},
	} {
		if d := cmp.Diff(c.want, passed(newPastes(100), c.in...)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// On a terminal that marks pastes, everything else is typed.
func TestMarkedPasteEndsBursts(t *testing.T) {
	p := newPastes(100)
	p.divide(nil, []byte(ansi.BracketedPasteStart+"x"+ansi.BracketedPasteEnd))
	if d := cmp.Diff([]string{"a\rb\r"}, passed(p, chunk{0, "a\rb\r"})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	first := ansi.BracketedPasteStart + "a\rb" + ansi.BracketedPasteEnd
	if got := passed(newPastes(100), chunk{0, first}); len(got) != 1 || got[0] != ansi.BracketedPasteStart+ansi.BracketedPasteEnd {
		t.Errorf("got %q of a marked paste", got)
	}
}
