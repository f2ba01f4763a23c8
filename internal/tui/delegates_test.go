package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// someAgents returns the agents of the tests.
func someAgents() []screen.Agent {
	return []screen.Agent{
		{Name: "explore", Description: "searches the code and answers questions about it"},
		{Name: "general", Description: "works on any task"},
		{Name: "review", Description: "reads a diff with fresh eyes and reports findings"},
		{Name: "schema", Description: "knows the database\x1b[2J schema", Source: ".agents/agents/schema.md"},
	}
}

// withAgents returns options with agents.
func withAgents() screen.Options { return screen.Options{Agents: someAgents} }

// working returns a delegate that has worked for that time.
func (d *driver) working(id int, call, name, task, action string, steps, tokens int, took time.Duration) event.Delegate {
	return event.Delegate{ID: id, Call: call, Name: name, Task: task, Action: action, State: event.DelegateWorking,
		Model: "anthropic/claude-haiku", Session: "s" + name, Steps: steps, Tokens: tokens, Cost: 0.01, Began: d.time.Add(-took)}
}

// threeCalls starts a turn with three delegates.
func (d *driver) threeCalls() []event.Delegate {
	d.t.Helper()
	d.events(userSaid("find out why the build is slow"), done(llm.Assistant, "r1", "I'll look at three places at once."),
		call("r1", "a", "delegate"), call("r1", "b", "delegate"), call("r1", "c", "delegate"),
		start("a", "delegate explore: list what the build compiles twice", event.DelegateEffect),
		start("b", "delegate explore: measure the tests", event.DelegateEffect),
		start("c", "delegate schema: check the migrations", event.DelegateEffect))
	all := []event.Delegate{
		d.working(1, "a", "explore", "list what the build compiles twice, and which targets depend on generated code", "read Makefile", 3, 12_300, 8*time.Second),
		d.working(2, "b", "explore", "measure the tests", "shell go test -json ./...", 12, 118_300, 64*time.Second),
		d.working(3, "c", "schema", "check the migrations", "", 0, 0, 0),
	}
	all[2].State = event.DelegateQueued
	d.events(event.DelegatesNow{Delegates: all})
	return all
}

// Delegates of tool calls are drawn in place of the calls, and their ends as results.
func TestDelegatesOfCalls(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, withAgents())
		all := d.threeCalls()
		all[1].State, all[2].State, all[2].Action = event.DelegateWaiting, event.DelegateWorking, "thinking"
		d.advance(2 * time.Second)
		d.golden("delegates-" + size)
		d.events(event.DelegatesNow{Delegates: all})
		d.golden("delegates-waiting-" + size)
		end := result("a", "delegate explore: list what the build compiles twice", event.DelegateEffect, event.OK, "4 steps, 14.1k tokens", "It compiles ./gen twice.\n\n[explore 1: done]", 12*time.Second)
		all[0].Ended, all[0].State = d.time, event.DelegateDone
		cost := 0.02
		d.events(event.DelegatesNow{Delegates: all})
		d.shows("· explore 1  ", "waiting for 2 d") // its result comes with those of the others
		detached := slices.Clone(all)
		detached[1].Background = true
		d.events(event.DelegatesNow{Delegates: detached})
		d.shows("· explore 2  continues in the", "waiting for schema")
		d.events(event.DelegatesNow{Delegates: all})
		d.events(event.DelegatesNow{Delegates: all}, &event.DelegateEnd{ID: 1, Name: "explore", Reason: event.Done, Answer: "It compiles ./gen twice.", Steps: 4,
			Usage: llm.Usage{Input: 14_000, Output: 100}, Cost: &cost, Duration: 12 * time.Second}, end)
		d.golden("delegates-one-ended-" + size)
	})
}

// background starts n delegates in the background while no turn runs.
func (d *driver) background(n int) []event.Delegate {
	var all []event.Delegate
	for i := range n {
		task := []string{"find all callers of Close", "measure the tests", "read the diff of the last commit", "check the migrations", "list the flags"}[i%5]
		name := []string{"explore", "general", "review"}[i%3]
		d.events(&event.DelegateStart{ID: i + 1, Name: name, Prompt: task + ",\nand say where", Model: "anthropic/claude-haiku", Session: "s" + name})
		b := d.working(i+1, "", name, task+", and say where", "search Close", i, 1000*i, time.Duration(i)*time.Second)
		b.Background = true
		all = append(all, b)
	}
	d.events(event.DelegatesNow{Delegates: all})
	return all
}

// Delegates in the background are drawn above the prompt, and their ends in the
// transcript, where they expand to the answer.
func TestBackgroundDelegates(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, withAgents())
		all := d.background(6)
		d.advance(1500 * time.Millisecond)
		d.golden("delegates-background-" + size)
		d.press("ctrl+c")
		d.golden("delegates-leaving-" + size)
		d.press("x", "backspace", "esc")
		d.wantCommands()
		cost := 0.02
		ends := []event.Event{
			&event.DelegateEnd{ID: 1, Name: "explore", Reason: event.Done, Answer: "Close is called in **two** places:\n\n- `a.go`\n- `b.go`", Steps: 4,
				Usage: llm.Usage{Input: 14_000, Output: 100}, Cost: &cost, Duration: 12 * time.Second, Background: true, Transcript: "/tmp/out/explore-1.md"},
			&event.DelegateEnd{ID: 2, Name: "general", Reason: event.ProviderError, Error: "rate limited\x1b[2J (429)", Steps: 1, Duration: time.Second, Background: true},
			&event.DelegateEnd{ID: 3, Name: "review", Reason: event.UserInterrupt, Duration: time.Second, Background: true},
		}
		for i := range 3 {
			all[i].Ended, all[i].State = d.time, event.DelegateDone
		}
		d.events(append(ends, event.DelegatesNow{Delegates: all})...)
		stale := slices.Clone(all)
		stale[0].Ended = time.Time{}
		d.events(event.DelegatesNow{Delegates: stale})
		d.events(&event.UserSaid{Text: "[The delegate explore 1, which worked in the background, has ended. Its answer:]\n\n" + ends[0].(*event.DelegateEnd).Answer + "\n\n[explore 1: done]", Auto: true, Steered: true})
		if !d.m.session.Feed.Running {
			t.Error("the answer of a background delegate does not start a turn on the screen")
		}
		d.events(turnEnd(event.Done, time.Second))
		d.golden("delegates-background-ended-" + size)
		resumed := newDriver(t, w, h, screen.Options{Agents: someAgents, Session: screen.Session{History: d.log}})
		resumed.events(event.DelegatesNow{Delegates: all})
		if w >= 80 { // a low window differs in its hints
			d.sameTranscript(resumed)
		}
		d.press("ctrl+t")
		d.golden("delegates-background-open-" + size)
		if got := d.m.session.Feed.State.Cost; got != cost {
			t.Errorf("the cost is %v, want %v", got, cost)
		}
	})
}

// sameTranscript compares the transcript with that of another driver.
func (d *driver) sameTranscript(other *driver) {
	d.t.Helper()
	if a, b := strings.Join(d.m.session.Transcript.Window, "\n"), strings.Join(other.m.session.Transcript.Window, "\n"); a != b {
		d.t.Errorf("got\n%s\nwant\n%s", b, a)
	}
}

// openAgents opens the list of /agents.
func (d *driver) openAgents() {
	d.t.Helper()
	d.press("alt+a")
	d.shows("Delegates and agents")
}

// The list of /agents shows delegates and agents, and the keys for the marked row.
func TestAgentsList(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, withAgents())
		all := d.threeCalls()
		all[2].State, all[2].Ended = event.DelegateFailed, d.time
		d.events(event.DelegatesNow{Delegates: all})
		d.openAgents()
		d.golden("agents-" + size)
		d.advance(3 * time.Second)
		d.press("down", "ctrl+b", "ctrl+x")
		all[1].Background = true
		d.events(event.DelegatesNow{Delegates: all})
		d.golden("agents-background-" + size)
		d.press("down")
		d.golden("agents-ended-" + size)
		d.press("ctrl+x", "ctrl+b", "ctrl+s") // it has ended
		d.typeText("review")
		d.golden("agents-filter-" + size)
		d.wantCommands(event.ListDelegates{}, event.DetachDelegate{ID: 2}, event.StopDelegate{ID: 2})
		d.press("esc")
		d.typeText("my draft")
		d.openAgents()
		d.typeText("review")
		d.press("enter")
		d.promptIs("@agent:review my draft")
	})
}

// Opening the list of /agents reads the agents again.
func TestAgentsListIsReadAgain(t *testing.T) {
	o := withAgents()
	all := someAgents()[:1]
	o.Agents = func() []screen.Agent { return all }
	o.ReadAgents = func() { all = someAgents() }
	d := newDriver(t, 100, 24, o)
	d.openAgents()
	d.shows("@agent:explore", "@agent:review")
}

// enter types a line and sends it as it is.
func (d *driver) enter(line string) {
	d.t.Helper()
	d.typeText(line)
	if d.m.prompt.Suggestions.Open() {
		d.press("esc")
	}
	d.press("enter")
}

// /agents with arguments starts, stops and steers. Errors name what to do.
func TestAgentsCommand(t *testing.T) {
	for line, want := range map[string]string{
		"/agents start":                   "usage: /agents [start NAME TASK | stop N",
		"/agents start nobody x":          "There is no agent “nobody”. The agents are: explore, general, review, schema.",
		"/agents start explor x":          "(did you mean explore?)",
		"/agents start explore":           "Describe the task after the name: @agent:explore",
		"/agents stop":                    "usage: /agents [start NAME TASK | stop N",
		"/agents stop it":                 "name a delegate by its number, such as 2 for explore 2",
		"/agents stop 9":                  "There is no delegate 9. /agents lists them.",
		"/agents stop 3":                  "schema 3 has ended.",
		"/agents steer 1":                 "usage: /agents [start NAME TASK | stop N",
		"/agents pause 1":                 "usage: /agents [start NAME TASK | stop N",
		"/agents background 2":            "explore 2 works in the background already.",
		"@agent:nobody do it":             "There is no agent “nobody”.",
		"@agent:explore":                  "Describe the task after the name: @agent:explore",
		"@agent:explore @agent:nobody do": "There is no agent “nobody”.",
	} {
		d := newDriver(t, 120, 24, withAgents())
		all := d.threeCalls()
		all[1].Background = true
		all[2].Ended = d.time
		d.events(event.DelegatesNow{Delegates: all})
		d.enter(line)
		d.shows(want)
		d.promptIs(line)
		d.wantCommands()
	}
	for line, want := range map[string][]event.Command{
		"/agents start explore find X":       {event.StartDelegate{Agent: "explore", Prompt: "find X"}},
		"/agents stop 1":                     {event.StopDelegate{ID: 1}},
		"/agents steer 2 look at  b.go":      {event.SteerDelegate{ID: 2, Text: "look at  b.go"}},
		"/agents background 1":               {event.DetachDelegate{ID: 1}},
		"@agent:explore find X":              {event.StartDelegate{Agent: "explore", Prompt: "find X"}},
		"@agent:explore, @agent:review do X": {event.StartDelegate{Agent: "explore", Prompt: "do X"}, event.StartDelegate{Agent: "review", Prompt: "do X"}},
		"ask @agent:explore to find X":       {event.Prompt{Text: "ask @agent:explore to find X"}},
	} {
		d := newDriver(t, 120, 24, withAgents())
		d.threeCalls()
		d.enter(line)
		d.wantCommands(want...)
		d.promptIs("")
	}
}

// The line of a delegate that has ended leaves out steps and tokens if its name and
// ending have less than the columns that they need, of at most 24.
func TestEndOfADelegateInANarrowWindow(t *testing.T) {
	const facts = "4 steps · 9k tokens · 2 s"
	for _, c := range []struct {
		reason event.Reason
		least  int
	}{{event.Done, len("explore 1  done")}, {event.ProviderError, 24}} {
		end := &event.DelegateEnd{ID: 1, Name: "explore", Reason: c.reason, Error: "the quota is exceeded", Steps: 4, Usage: llm.Usage{Input: 9000}, Duration: 2 * time.Second, Background: true}
		width := ink.Gutter + c.least + 2 + ansi.StringWidth(facts)
		d := newDriver(t, width, 24, withAgents())
		d.events(end)
		d.shows(facts)
		d = newDriver(t, width-1, 24, withAgents())
		d.events(end)
		d.shows("explore 1  ", " 2 s")
		d.hides("steps", "tokens")
	}
}

// delegated wraps events of a delegate.
func delegated(id int, evs ...event.Event) (all []event.Event) {
	for _, ev := range evs {
		all = append(all, event.Delegated{ID: id, Event: ev})
	}
	return all
}

// The transcript of a running delegate is live. The user can steer and stop it there.
func TestWatchDelegate(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, withAgents())
		all := d.threeCalls()
		d.openAgents()
		d.press("enter")
		d.events(delegated(1, userSaid("list what the build compiles twice, and which targets depend on generated code"),
			call("x1", "a", "read"), start("a", "read Makefile", "read", file("Makefile")), result("a", "read Makefile", "read", event.OK, "120 lines", "all:", time.Millisecond),
			&event.StepEnd{Reply: "x1"}, streamed("x2", "The Makefile compiles **gen** "))...)
		d.events(delegated(2, streamed("y", "NOT SHOWN"))...)
		d.events(askOf(2, "explore", "1", "ls"))
		d.shows("? a question waits")
		d.events(event.AskDone{ID: "2:1"})
		d.hides("? a question waits")
		d.events(delegated(1, streamed("x2", "twice."))...)
		d.golden("delegate-" + size)
		d.press("ctrl+s")
		d.typeText("also look at CI")
		d.golden("delegate-message-" + size)
		d.press("esc")
		d.hides("also look at CI")
		d.press("ctrl+s", "enter")
		d.shows("also look", "sent with the next")
		d.events(delegated(1, done(llm.Assistant, "x2", "The Makefile compiles **gen** twice."), &event.UserSaid{Text: "also look at CI", Steered: true})...)
		d.hides("sent with the next")
		d.press("ctrl+b", "ctrl+x")
		all[0].State, all[0].Ended, all[0].Action = event.DelegateStopped, d.time, ""
		d.events(append(delegated(1, turnEnd(event.UserInterrupt, time.Second)), event.DelegatesNow{Delegates: all})...)
		d.press("x")
		d.golden("delegate-stopped-" + size)
		d.press("ctrl+s", "ctrl+x", "q")
		d.hides("The Makefile")
		d.wantCommands(event.ListDelegates{}, event.WatchDelegate{ID: 1}, event.SteerDelegate{ID: 1, Text: "also look at CI"}, event.DetachDelegate{ID: 1}, event.StopDelegate{ID: 1}, event.WatchDelegate{})
	})
}

// ctrl+c in a message to a delegate does not interrupt the turn.
func TestCtrlCInAMessage(t *testing.T) {
	d := newDriver(t, 80, 24, withAgents())
	d.threeCalls()
	d.openAgents()
	d.press("ctrl+s")
	d.typeText("look at b.go")
	d.press("ctrl+c")
	d.hides("look at b.go")
	d.press("ctrl+s")
	d.shows("look at b.go")
	d.wantCommands(event.ListDelegates{}, event.WatchDelegate{ID: 1})
	d.press("ctrl+c", "ctrl+c")
	d.wantCommands(event.ListDelegates{}, event.WatchDelegate{ID: 1}, event.Interrupt{}, event.WatchDelegate{})
}

// The transcript of a delegate that has ended is read from its session.
func TestEndedDelegate(t *testing.T) {
	o := withAgents()
	o.Session.Preview = func(id string) ([]event.Event, error) {
		if id != "sexplore" {
			return nil, errors.New("no session " + id)
		}
		return []event.Event{userSaid("find all callers"), done(llm.Assistant, "x", "There are **two** callers."), turnEnd(event.Done, time.Second)}, nil
	}
	d := newDriver(t, 100, 24, o)
	all := d.background(3)
	for i := range all {
		all[i].State, all[i].Ended = event.DelegateDone, d.time
	}
	all[2].Session = ""
	d.events(event.DelegatesNow{Delegates: all})
	d.openAgents()
	d.press("enter")
	d.shows("The transcript of review 3 is not saved.")
	d.press("esc")
	d.openAgents()
	d.press("down", "enter")
	d.shows("cannot read the transcript of general 2: no session sgeneral")
	d.press("esc")
	d.openAgents()
	d.press("down", "down", "enter")
	d.golden("delegate-ended")
}

// askOf returns a question of a delegate.
func askOf(id int, name, call, command string) event.Asked {
	ask := askCommand(fmt.Sprintf("%d:%s", id, call), command)
	ask.Ask.Agent = fmt.Sprintf("%s %d", name, id)
	return ask
}

// Questions of delegates and of the main agent queue in one dialog, which names the
// delegate. AskDone removes one that no longer waits.
func TestDelegatesAsk(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, withAgents())
		d.threeCalls()
		d.events(askOf(2, "explore", "1", "go test ./..."), askCommand("b", "make"), askOf(3, "schema", "1", "psql"), askOf(1, "explore", "7", "go vet ./..."))
		d.armDialog()
		d.golden("delegate-asks-" + size)
		d.events(event.AskDone{ID: "3:1"})
		d.press("1")
		d.advance(dialog.QuietNext)
		d.hides("explore 2:")
		d.press("3")
		d.advance(dialog.QuietNext)
		d.shows("explore 1: Run this command?")
		d.press("1")
		if diff := cmp.Diff(answersOf(d), []event.Answer{{ID: "2:1", Decision: event.Allow}, {ID: "b", Decision: event.Refuse}, {ID: "1:7", Decision: event.Allow}}); diff != "" {
			t.Errorf("answers (-got +want):\n%s", diff)
		}
	})
}

// Esc rejects only the question of a delegate: the turn and the other questions continue.
// The key that interrupts the turn ends all of them.
func TestEscRejectsTheQuestionOfADelegate(t *testing.T) {
	d := newDriver(t, 80, 24, withAgents())
	d.threeCalls()
	d.events(askOf(2, "explore", "1", "go test ./..."), askOf(1, "explore", "7", "go vet ./..."))
	d.armDialog()
	d.press("esc")
	d.advance(dialog.QuietNext)
	d.shows("explore 1: Run this command?")
	d.wantCommands(event.Answer{ID: "2:1", Decision: event.Refuse})
	d.press("ctrl+c")
	d.hides("Run this command?")
	d.wantCommands(event.Answer{ID: "2:1", Decision: event.Refuse}, event.Interrupt{})
}

// A question that is withdrawn is not answered by the key that was meant for it: the next
// one takes keys only after the long pause. A comment on it becomes the draft.
func TestWithdrawnQuestionOfADelegate(t *testing.T) {
	d := newDriver(t, 80, 24, withAgents())
	d.threeCalls()
	d.events(askOf(2, "explore", "1", "go test ./..."), askOf(1, "explore", "7", "rm -rf /"))
	d.armDialog()
	d.press("down", "up")
	d.events(event.AskDone{ID: "2:1"})
	d.advance(400 * time.Millisecond)
	d.press("1")
	d.wantCommands()
	d.promptIs("1")
	d.press("backspace")
	d.armDialog()
	d.typeText("use go")
	d.events(event.AskDone{ID: "1:7"})
	d.promptIs("use go")
	d.wantCommands()
}

// The question of a background delegate stays when the turn ends or is interrupted, and
// esc only rejects it.
func TestBackgroundDelegateAsks(t *testing.T) {
	d := newDriver(t, 80, 24, withAgents())
	all := d.background(1)
	d.events(userSaid("hello"), done(llm.Assistant, "r1", "I build it."), askCommand("x", "make"), askOf(1, "explore", "1", "go test ./..."))
	d.armDialog()
	d.press("esc")
	d.shows("explore 1: Run this command?")
	d.wantCommands(event.Interrupt{})
	d.events(turnEnd(event.UserInterrupt, time.Second), event.DelegatesNow{Delegates: all})
	d.armDialog()
	d.shows("explore 1: Run this command?", "esc reject")
	d.hides("esc interrupt", "reject and interrupt")
	d.press("ctrl+c")
	d.shows("ctrl+c again to quit and stop 1 delegate")
	d.advance(3 * time.Second)
	d.hides("again to quit")
	d.armDialog()
	d.press("esc")
	d.hides("explore 1: Run")
	d.wantCommands(event.Interrupt{}, event.Answer{ID: "1:1", Decision: event.Refuse})
}

// After @agent: the prompt completes agents. A lone @ lists files first.
func TestCompleteAgents(t *testing.T) {
	o := withAgents()
	o.Files.Find = func(_ context.Context, query string, _ int) ([]screen.Match, bool) {
		var found []screen.Match
		for i := range 12 {
			found = append(found, screen.Match{Path: fmt.Sprintf("%sfile%d.go", query, i)})
		}
		return found, true
	}
	d := newDriver(t, 100, 24, o)
	d.typeText("@")
	d.golden("complete-at")
	d.typeText("age")
	d.shows("› agefile0.go", "agent:", "delegate to an agent")
	d.typeText("nt:")
	d.golden("complete-agents")
	d.typeText("re")
	d.press("tab")
	d.promptIs("@agent:review ")
	d.typeText("the diff")
	d.shows("enter to delegate")
	d.press("enter")
	d.wantCommands(event.StartDelegate{Agent: "review", Prompt: "the diff"})
}

// A list of delegates draws only the rows that changed.
func TestDelegatesDrawOnlyTheirRows(t *testing.T) {
	d := newDriver(t, 120, 60, screen.Options{Agents: someAgents, Session: screen.Session{History: long(60)}})
	all := d.threeCalls()
	drawn := func() map[*transcript.Row]int {
		versions := map[*transcript.Row]int{}
		for _, p := range d.m.session.Transcript.Pages.All {
			for _, r := range p.Rows {
				versions[r] = r.Drawn.Version
			}
		}
		return versions
	}
	d.advance(200 * time.Millisecond)
	before := drawn()
	all[1].Tokens++
	d.events(event.DelegatesNow{Delegates: all})
	d.events(delegated(2, streamed("x", "text"))...)
	changed := 0
	for r, version := range drawn() {
		if before[r] != version {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d rows were drawn again, want 1", changed)
	}
}

// A decision about a call of a delegate adds no call to the transcript, only the standing
// permission that it grants.
func TestDecisionForADelegate(t *testing.T) {
	d := newDriver(t, 100, 40, withAgents())
	d.events(userSaid("go"), done(llm.Assistant, "r1", "I delegate."), call("r1", "a", "delegate"),
		start("a", "delegate to general 1: write it", event.DelegateEffect),
		&event.Decided{ID: "1:w", Decision: event.Always, Scope: "all edits"},
		&event.Decided{ID: "apply-1", Decision: event.Refuse},
		&event.ToolEnd{Title: "delegate to general 1: write it", Effect: event.DelegateEffect, Outcome: event.OK, Summary: "2 steps, 9.1k tokens", Result: llm.Message{Kind: llm.ToolResult, ID: "a", Text: "written"}},
		&event.TurnEnd{Reason: event.Done})
	d.shows("always allowed in this session: all edits", "to general 1: write it")
	d.hides("outcome unknown")
}
