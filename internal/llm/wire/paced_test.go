package wire

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// talker answers with pieces of so many bytes, after so much time each.
type talker struct {
	clock  *movedClock
	pieces int
	size   int
	every  time.Duration
	tls    *tls.ConnectionState
}

func (s *talker) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, TLS: s.tls, Header: http.Header{}, Body: io.NopCloser(s)}, nil
}

func (s *talker) Read(b []byte) (int, error) {
	if s.pieces--; s.pieces < 0 {
		return 0, io.EOF
	}
	s.clock.move(s.every)
	return copy(b, strings.Repeat(" ", s.size-1)+"\n"), nil
}

// movedClock is a Clock that tests move. Short timers are noted and ring at
// once, unless stuck is set.
type movedClock struct {
	mu    sync.Mutex
	now   time.Time
	rests []time.Duration
	stuck bool
}

func (c *movedClock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *movedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *movedClock) AfterFunc(d time.Duration, f func()) Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d > time.Second { // a limit
		return newFakeClock(c.now).AfterFunc(d, f)
	}
	c.rests = append(c.rests, d)
	if c.stuck {
		return time.AfterFunc(time.Hour, f)
	}
	return time.AfterFunc(0, f)
}

// A long answer that comes in small pieces is read at most once per pace; nothing
// else is delayed.
func TestPace(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name  string
		say   talker
		hurry bool
		want  []time.Duration
	}{
		{name: "short", say: talker{pieces: 60, size: 100, every: 5 * ms}},
		{name: "long", say: talker{pieces: 64, size: 100, every: 5 * ms}, want: []time.Duration{25 * ms, 25 * ms, 25 * ms}},
		{name: "in larger pieces", say: talker{pieces: 64, size: 2 << 10, every: 5 * ms}, want: []time.Duration{25 * ms, 25 * ms, 25 * ms}},
		{name: "fast", say: talker{pieces: 64, size: 3 << 10, every: 5 * ms}},
		{name: "in records", say: talker{pieces: 64, size: 100, every: 5 * ms, tls: &tls.ConnectionState{}}},
		{name: "at its end", say: talker{pieces: 64, size: 100, every: 5 * ms}, hurry: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := &movedClock{now: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)}
			c.say.clock = clock
			x := New(Endpoint{Base: "http://model.test", Transport: &c.say, Clock: clock}).Exchange(t.Context(), "m")
			p, err := x.Post("/ask", nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.hurry {
				x.hurry()
			}
			if _, err := p.Next(); err == nil {
				t.Error("blank lines are payloads")
			}
			if d := cmp.Diff(clock.rests, c.want); d != "" {
				t.Errorf("rests (-got +want):\n%s", d)
			}
		})
	}
}

// A wait ends with the exchange.
func TestPaceEndsWithItsContext(t *testing.T) {
	clock := &movedClock{now: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC), stuck: true}
	say := &talker{clock: clock, pieces: 3, size: 100, every: time.Second}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &paced{ReadCloser: io.NopCloser(say), ctx: ctx, clock: clock, drains: true}
	if b, err := io.ReadAll(p); len(b) != 300 || err != nil {
		t.Errorf("got %d bytes, %v", len(b), err)
	}
	if len(clock.rests) == 0 {
		t.Error("it never waited")
	}
}
