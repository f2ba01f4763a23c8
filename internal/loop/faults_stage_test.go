package loop_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm/wire"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// secret is an API key that must not be shown or saved.
const secret = "sk-test-0123456789"

// soon is a generous limit for an interrupt, which should take a few milliseconds.
const soon = 2 * time.Second

// scene is a fault with its expected output.
type scene struct {
	acts  []act  // for consecutive requests; later requests get valid replies
	dials []dial // for consecutive connections; later ones use the default
	tls   bool   // the server speaks TLS
	// before is the number of requests before the fault.
	before int
	// limits are the limits of the endpoint.
	limits wire.Limits
	// proxy is the proxy of the request with the fault.
	proxy *server
	// options changes the agent.
	options func(o *loop.Options)
	// answers are the user's answers to questions, by ID.
	answers map[string]event.Decision
	// esc returns true for the event at which the user presses Esc.
	esc func(event.Event) bool
	// unread skips the comparison with want; check replaces it.
	unread bool
	want   string
	check  func(t *testing.T, p played)
}

// played is the result of a scene.
type played struct {
	events []event.Event // of the first turn
	state  session.State // resumed after both turns
	stage  *stage
}

// stage is a misbehaving server and an agent that connects to it.
type stage struct {
	t      *testing.T
	d      speech
	certs  *certificates
	clock  *clock
	server *server
	others []*server
	dials  dials
	screen screen
	esc    chan struct{} // pressed by a scene, once
	turns  []int         // number of requests of each turn
	dir    string        // of the session
}

func newStage(t *testing.T, d speech, certs *certificates) *stage {
	st := &stage{t: t, d: d, certs: certs, clock: newClock(), esc: make(chan struct{}, 1), dir: t.TempDir()}
	st.server = newServer(t, st)
	return st
}

// host returns the address of the server.
func (st *stage) host() string { return st.server.ln.Addr().String() }

// press presses Esc.
func (st *stage) press() { st.esc <- struct{}{} }

// play runs the turn of the fault and another one.
func (st *stage) play(sc scene) {
	t := st.t
	t.Helper()
	at := wire.Endpoint{Name: "test", Base: "http://" + st.host() + "/v1", KeyName: "TEST_KEY", Limits: sc.limits,
		Clock: st.clock, Dial: st.dials.next, Proxy: sc.through(), Roots: st.certs.pool}
	if sc.tls {
		at.Base = "https://" + st.host() + "/v1"
		st.server.tls = &tls.Config{Certificates: []tls.Certificate{st.certs.right}}
	}
	st.dials.list = sc.dials
	st.server.start(sc.acts)
	p := st.d.provider(at)
	defer p.Close()
	defer st.server.left(t)
	log := history.Open(st.dir).Create(history.Header{Dir: "/w"})
	o := fill(options(p, echo("look", tools.Read), noopTool(), hold(), echo("change", tools.Write)))
	o.Models.Current.ID, o.Log = "m", log
	if sc.options != nil {
		sc.options(&o)
	}
	all := st.run(o, sc)
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	first, second := atFirstEnd(all)
	if want := st.place(dedent(sc.want), p.BaseURL()); !sc.unread {
		if d := cmp.Diff(shownText(first)+st.asked(0, sc.before), want); d != "" {
			t.Errorf("got, want:\n%s", d)
		}
	}
	if d := cmp.Diff(shownText(second)+st.asked(1, 0), dedent(`
		assistant "fine"
		turn done
		requests 1`)); d != "" {
		t.Errorf("the next turn: got, want:\n%s", d)
	}
	state := st.resume(log.Header().ID, all)
	if sc.check != nil {
		sc.check(t, played{first, state, st})
	}
}

// other returns another server, not started, which the stage closes.
func (st *stage) other(config *tls.Config) *server {
	s := newServer(st.t, st)
	s.tls = config
	st.others = append(st.others, s)
	return s
}

// through returns the proxy function of the endpoint.
func (sc scene) through() func(*http.Request) (*url.URL, error) {
	n := 0
	return func(*http.Request) (*url.URL, error) {
		if n++; n != sc.before+1 || sc.proxy == nil {
			return nil, nil
		}
		return &url.URL{Scheme: "http", Host: sc.proxy.ln.Addr().String()}, nil
	}
}

// asked formats the number of requests in a turn.
func (st *stage) asked(turn, before int) string {
	if turn >= len(st.turns) {
		return ""
	}
	return fmt.Sprintf("requests %d\n", st.turns[turn]-before)
}

// place replaces the placeholders BASE and HOST.
func (st *stage) place(want, base string) string {
	return strings.NewReplacer("BASE", base, "HOST", st.host()).Replace(want)
}

// run plays two turns and returns their events. It interrupts the agent when the scene
// presses Esc.
func (st *stage) run(o loop.Options, sc scene) []event.Event {
	t := st.t
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command, 16), make(chan event.Event)
	go loop.NewAgent(o).Run(ctx, commands, events)
	commands <- event.Prompt{Text: "go"}
	var all []event.Event
	var pressed time.Time
	asked := 0
	for {
		select {
		case <-st.esc:
			pressed = time.Now()
			commands <- event.Interrupt{}
			continue
		case e, ok := <-events:
			if !ok {
				if ctx.Err() != nil {
					t.Fatalf("the agent hung; events so far:\n%s", shownText(all))
				}
				return all
			}
			all = append(all, e)
			st.screen.show(e)
			if a, ok := e.(event.Asked); ok && sc.answers[a.Ask.ID] != "" {
				commands <- event.Answer{ID: a.Ask.ID, Decision: sc.answers[a.Ask.ID]}
			}
			if sc.esc != nil && len(st.turns) == 0 && sc.esc(e) {
				st.press()
			}
			if _, ok := e.(*event.TurnEnd); !ok {
				continue
			}
			if took := time.Since(pressed); len(st.turns) == 0 && !pressed.IsZero() && took > soon {
				t.Errorf("Esc took %s", took)
			}
			n := st.server.count()
			st.turns = append(st.turns, n-asked)
			asked = n
			if len(st.turns) == 1 {
				st.server.left(t)
				commands <- event.Prompt{Text: "again"}
			} else {
				close(commands)
			}
		}
	}
}

// resume reads the session from disk. It checks that the session is complete and equal
// to the shown events, and contains no API key.
func (st *stage) resume(id string, all []event.Event) session.State {
	t := st.t
	t.Helper()
	log, problems, err := history.Open(st.dir).Resume(id)
	if err != nil || len(problems) > 0 {
		t.Fatalf("resume: %v %v", err, problems)
	}
	defer log.Close()
	state, err := session.ReplayRecords(recorded(log))
	if err != nil {
		t.Fatal(err)
	}
	if err := valid(state.Messages); err != nil {
		t.Errorf("the session: %v", err)
	}
	if len(state.Closing) > 0 {
		t.Errorf("the session needs closing: %v", state.Closing)
	}
	var resumed, live []event.Event
	for _, e := range state.Events {
		resumed = append(resumed, e)
	}
	for _, e := range all {
		if d, ok := e.(event.Durable); ok {
			live = append(live, d)
		}
	}
	if d := cmp.Diff(shownText(resumed), shownText(live)); d != "" {
		t.Errorf("resumed, live:\n%s", d)
	}
	raw, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	if s := string(raw) + shownText(all); strings.Contains(s, secret) {
		t.Error("the key shows")
	}
	return state
}

// close stops the servers and checks that all clients have disconnected.
func (st *stage) close() {
	st.t.Helper()
	for _, s := range append(st.others, st.server) {
		s.left(st.t)
		s.close()
	}
	if n := st.clock.waiting(); n > 0 {
		st.t.Errorf("%d timers still run", n)
	}
}

// noopTool returns a tool without arguments.
func noopTool() tools.Tool {
	return tools.New("rest", "a tool for tests", func(context.Context, struct{}) (tools.Call, error) {
		return tools.Call{Title: "rest", Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			return tools.Result{Text: "rested"}, nil
		}}, nil
	})
}

// hold returns a tool that runs until it is interrupted.
func hold() tools.Tool {
	return tools.New("hold", "a tool for tests", func(_ context.Context, a textArgs) (tools.Call, error) {
		return tools.Call{Title: "hold " + a.Text, Effect: tools.Execute, Run: func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
			ok.Progress("holding")
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		}}, nil
	})
}

// leftover counts resources that a provider could leak.
type leftover struct{ goroutines, files int }

func leftovers() leftover {
	files, _ := os.ReadDir("/proc/self/fd") // if it exists
	return leftover{runtime.NumGoroutine(), len(files)}
}

// settled waits until no resources are leaked. It returns 1 if that does not happen.
func settled(t *testing.T, before leftover) int {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for {
		now := leftovers()
		if now.goroutines <= before.goroutines && now.files <= before.files {
			return 0
		}
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Errorf("left over: %+v, before %+v\n%s", now, before, stacks[:runtime.Stack(stacks, true)])
			return 1
		}
		runtime.Gosched()
	}
}
