package loop_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop"
	"agent/internal/loop/event"
)

// stops are the states in which the user may press Esc.
func stops() []fault {
	waits := func(name string, scenery func(st *stage) scene) fault {
		return fault{n: 62, name: "Esc " + name, scene: early(scenery)}
	}
	// held presses Esc and sends nothing more.
	held := func(p *peer) bool {
		p.st.press()
		return p.gone()
	}
	const interrupted = `
		turn interrupted
		requests `
	return []fault{
		waits("while resolving", func(st *stage) scene {
			return scene{dials: []dial{resolved("nowhere.invalid", pressed(st))}, want: interrupted + "0"}
		}),
		waits("while connecting", func(st *stage) scene {
			hang := pressed(st)
			return scene{dials: []dial{func(ctx context.Context, _, _ string) (net.Conn, error) { return hang(ctx) }}, want: interrupted + "0"}
		}),
		waits("while shaking hands", func(st *stage) scene {
			other := st.other(nil)
			other.greet = func(p *peer) { held(p) }
			other.start(nil)
			return scene{tls: true, dials: []dial{to(other)}, want: interrupted + "0"}
		}),
		waits("before headers", func(st *stage) scene { return scene{acts: []act{held}, want: interrupted + "1"} }),
		waits("within headers", func(st *stage) scene {
			return scene{acts: []act{func(p *peer) bool { p.write("HTTP/1.1 200 OK\r\nContent-"); return held(p) }}, want: interrupted + "1"}
		}),
		waits("before content", func(st *stage) scene {
			return scene{acts: []act{broken(": wait\n\n", held)}, want: interrupted + "1"}
		}),
		waits("within an error's body", func(st *stage) scene {
			return scene{acts: []act{func(p *peer) bool { p.write("HTTP/1.1 500 Oh\r\nContent-Length: 100\r\n\r\nhalf"); return held(p) }}, want: interrupted + "1"}
		}),
		waits("while a retry waits", func(st *stage) scene {
			hang := pressed(st)
			return scene{acts: []act{answer(429, "Retry-After: 100", "")},
				options: func(o *loop.Options) {
					o.Clock.Sleep = func(ctx context.Context, _ time.Duration) error { _, err := hang(ctx); return err }
				},
				want: `
					retrying 2 in 1m40s: test answered 429: too many requests` + interrupted + "1"}
		}),
		{n: 62, name: "Esc within the answer", scene: func(st *stage, p phase) scene {
			stream, shown := half(st, p)
			want := `
				assistant "half" (cut)
				turn interrupted (cut)
				requests 1`
			if p == inTool {
				want = `
				assistant "so"
				call c1 look {} (cut)
				end c1 "look" interrupted: not run: the user interrupted the turn` + interrupted + "1"
			}
			return scene{acts: []act{broken(stream, func(l *peer) bool { l.shown(shown); return held(l) })}, want: want}
		}},
		{n: 62, name: "Esc while a truncated answer continues", absent: map[string]string{"tool": "one with a call is not continued"}, scene: func(st *stage, p phase) scene {
			sc := cut(func(*peer) bool { return false })(st, p)
			sc.acts = append(sc.acts, held)
			sc.want = `
				assistant "half" (cut)
				notice test: ` + broke + `. Continuing where it was cut off.
				auto "` + event.ContinuePrompt + `"
				turn interrupted (cut)
				requests 2`
			return sc
		}},
		{n: 62, name: "Esc while a tool runs", absent: map[string]string{"text": "no tool runs"}, scene: func(st *stage, _ phase) scene {
			return scene{acts: []act{sse(calls(st.d, "hold"))}, esc: func(e event.Event) bool { _, ok := e.(event.Progress); return ok }, want: `
				call c1 hold {"text":"a"}
				start c1 "hold a"
				end c1 "hold a" interrupted: interrupted by the user` + interrupted + "1"}
		}},
		{n: 62, name: "Esc at a question", absent: map[string]string{"text": "nothing is asked"}, scene: func(st *stage, _ phase) scene {
			return scene{acts: []act{sse(calls(st.d, "change"))}, options: func(o *loop.Options) { o.Permissions.Mode = event.ModeAsk },
				esc: func(e event.Event) bool { _, ok := e.(event.Asked); return ok }, want: `
				call c1 change {"text":"a"}
				asked c1 "change a" because changes files (permission mode: ask); always: "all edits"
				end c1 "change a" interrupted: not run: the user interrupted the turn before approving this call` + interrupted + "1"}
		}},
		{n: 62, name: "Esc in a flood of deltas", scene: func(st *stage, p phase) scene {
			stream, _ := half(st, p)
			return scene{unread: true, check: stopped, acts: []act{broken(stream, func(l *peer) bool {
				piece := st.d.text(0, "more ")
				if p == inTool {
					piece = st.d.more(1, "more ")
				}
				if p == inText && st.d.name() == "anthropic" {
					piece = events(piece)[1]
				}
				l.st.press()
				for l.chunk(piece) {
				}
				return false
			})}}
		}},
	}
}

// stopped checks that Esc ended the turn.
func stopped(t *testing.T, p played) {
	t.Helper()
	if end, ok := p.events[len(p.events)-1].(*event.TurnEnd); !ok || end.Reason != event.UserInterrupt {
		t.Errorf("got %s", shownText(p.events[len(p.events)-1:]))
	}
}

// pressed returns a dial that presses Esc once and waits for the end of ctx.
func pressed(st *stage) func(ctx context.Context) (net.Conn, error) {
	var once sync.Once // several name servers are queried at once
	return func(ctx context.Context) (net.Conn, error) {
		once.Do(st.press)
		<-ctx.Done()
		return nil, ctx.Err()
	}
}

// calls returns the stream of a reply that calls a tool.
func calls(d speech, name string) string {
	return d.begin() + d.call(0, "c1", name, args("a")) + d.end(0) + ended(d, llm.Calls)
}
