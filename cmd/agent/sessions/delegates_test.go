package sessions

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// delegating is a store with a session p in /w, its delegates d1 and d2, and an older
// session q in /w. d2 worked in a git worktree and did not finish.
type delegating struct {
	t        *testing.T
	store    *history.Store
	out, err bytes.Buffer
}

func newDelegating(t *testing.T) *delegating {
	t.Helper()
	d := &delegating{t: t, store: history.Open(t.TempDir())}
	cost := 0.25
	step := func(reply, model string) *event.StepEnd {
		return &event.StepEnd{Reply: reply, Model: model, Usage: llm.Usage{Input: 100, Output: 10}, Cost: &cost}
	}
	d.add(history.Header{ID: "q", Dir: "/w"}, "", 9*time.Hour, &event.UserSaid{Text: "an older prompt"}, step("q1", "p/big"))
	d.add(history.Header{ID: "p", Dir: "/w"}, "", 3*time.Hour,
		&event.UserSaid{Text: "how is the config loaded?"},
		&event.DelegateStart{ID: 1, Name: "explore", Prompt: "find the loader", Model: "p/small", Session: "d1"},
		&event.DelegateEnd{ID: 1, Name: "explore", Reason: event.Done, Answer: "in load.go", Steps: 2, Usage: llm.Usage{Input: 200, Output: 20}, Cost: &cost, Duration: time.Second},
		step("p1", "p/big"), &event.TurnEnd{Reason: event.Done})
	d.add(history.Header{ID: "d1", Dir: "/w", Parent: "p", Agent: "explore"}, "1", 2*time.Hour,
		&event.UserSaid{Text: "find the loader"}, step("e1", "p/small"),
		&event.UserSaid{Text: "the loader of JSON", Steered: true},
		&event.MessageDone{Message: llm.Message{Kind: llm.Assistant, Reply: "e2", Text: "the needle is in load.go"}},
		step("e2", "p/small"), &event.TurnEnd{Reason: event.Done})
	d.add(history.Header{ID: "d2", Dir: "/tree", Parent: "p", Agent: "general"}, "2", time.Hour, &event.UserSaid{Text: "change the loader"}, step("g1", "p/big"))
	return d
}

// add adds a session that was last used before the given time. Agent is the number of
// the delegate.
func (d *delegating) add(h history.Header, agent string, ago time.Duration, events ...event.Durable) {
	d.t.Helper()
	for _, e := range events {
		*event.MetaOf(e) = event.Meta{Agent: agent, Time: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
	}
	log, err := d.store.CreateFrom(h, encodeAll(events))
	if err != nil {
		d.t.Fatal(err)
	}
	path := log.Path()
	if err := log.Close(); err != nil {
		d.t.Fatal(err)
	}
	at := time.Now().Add(-ago)
	if err := os.Chtimes(path, at, at); err != nil {
		d.t.Fatal(err)
	}
}

func (d *delegating) io() command.IO {
	d.out.Reset()
	d.err.Reset()
	return command.IO{Out: command.Console{Writer: &d.out}, Err: command.Console{Writer: &d.err}}
}

// has checks the output of a command.
func (d *delegating) has(err error, want string) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	got := regexp.MustCompile(`(?m) +$`).ReplaceAllString(d.out.String(), "")
	if diff := cmp.Diff(got, want); diff != "" {
		d.t.Errorf("got (-), want (+): %s", diff)
	}
}

// ids returns the IDs of the stored logs.
func (d *delegating) ids() (ids []string) {
	d.t.Helper()
	logs, err := filepath.Glob(filepath.Join(filepath.Dir(d.store.Outputs("p")), "*.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, l := range logs {
		ids = append(ids, strings.TrimSuffix(filepath.Base(l), ".jsonl"))
	}
	return ids
}

func TestListAndTreeOfDelegates(t *testing.T) {
	t.Parallel()
	d := newDelegating(t)
	err := listRun(t.Context(), &ListOptions{IO: d.io(), Store: storeOf(d.store), Dir: "/w"})
	times := regexp.MustCompile(`  (WHEN|\d\d:\d\d|\d{4}-\d\d-\d\d) +`)
	list := times.ReplaceAllString(d.out.String(), "  T  ")
	d.out.Reset()
	d.out.WriteString(list)
	d.has(err, `ID  T  DIRECTORY  MESSAGES  TITLE
p   T  /w         1         how is the config loaded?
q   T  /w         1         an older prompt
`)
	err = listRun(t.Context(), &ListOptions{IO: d.io(), Store: storeOf(d.store), Dir: "/w", Tree: true})
	tree := times.ReplaceAllString(d.out.String(), "  T  ")
	d.out.Reset()
	d.out.WriteString(tree)
	d.has(err, `ID    T  DIRECTORY  MESSAGES  TITLE
p     T  /w         1         how is the config loaded?
└ d1  T  /w         3         explore 1  find the loader  done
└ d2  T  /tree      1         general 2  change the loader  not finished
q     T  /w         1         an older prompt
`)
}

func TestSearchAndShowDelegates(t *testing.T) {
	t.Parallel()
	d := newDelegating(t)
	err := searchRun(t.Context(), &SearchOptions{IO: d.io(), Store: storeOf(d.store), Words: []string{"needle"}, Dir: "/w"})
	if got := d.out.String(); err != nil || !regexp.MustCompile(`^d1  .*model, explore of p  the needle is in load.go\n$`).MatchString(got) {
		t.Errorf("got %q, %v", got, err)
	}
	err = searchRun(t.Context(), &SearchOptions{IO: d.io(), Store: storeOf(d.store), Words: []string{"loader"}})
	if got := d.out.String(); err != nil || !strings.Contains(got, "task, explore of p  find the loader\n") || !strings.Contains(got, "you, explore of p  the loader of JSON\n") {
		t.Errorf("got %q, %v", got, err)
	}
	if err := Show(t.Context(), &ShowOptions{IO: d.io(), Store: storeOf(d.store), ID: "d1"}); err != nil || !strings.Contains(d.out.String(), "\nfind the loader\ndelegate explore of session p\n") {
		t.Errorf("got %q, %v", &d.out, err)
	}
	err = Show(t.Context(), &ShowOptions{IO: d.io(), Store: storeOf(d.store), ID: "p"})
	for _, want := range []string{
		"\n› delegated to explore 1: find the loader\n",
		"\n· explore 1  done · 2 steps · 1.0 s · 200 tokens in, 20 out · $0.25 · agent sessions show d1\n",
	} {
		if err != nil || !strings.Contains(d.out.String(), want) {
			t.Errorf("got %q, %v, want %q", &d.out, err, want)
		}
	}
	if err := exportRun(t.Context(), &ExportOptions{IO: d.io(), Store: storeOf(d.store), ID: "d1", Format: "md"}); err != nil || !strings.Contains(d.out.String(), "- Delegate of: `p`") {
		t.Errorf("got %q, %v", &d.out, err)
	}
}

// The picker and the prompt history offer the user's own sessions. A search finds them
// by the text of their delegates.
func TestPickerWithoutDelegates(t *testing.T) {
	t.Parallel()
	d := newDelegating(t)
	pick := Picker(d.store, "")
	for query, want := range map[string][]string{"": {"p", "q"}, "needle": {"p"}, "older": {"q"}, "change": {"p"}} {
		rows, err := pick(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
		if diff := cmp.Diff(ids, want); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
	if d := cmp.Diff(Prompts(d.store, "/w", "")(t.Context(), 10), []string{"an older prompt", "how is the config loaded?"}); d != "" {
		t.Error(d)
	}
}

// The steps of delegates count once: in their own sessions, with their own models.
func TestStatsOfDelegates(t *testing.T) {
	t.Parallel()
	d := newDelegating(t)
	for _, dir := range []string{"", "/w"} {
		err := statsRun(t.Context(), &StatsOptions{IO: d.io(), Store: storeOf(d.store), Dir: dir, Output: "text"})
		d.has(err, `2 sessions, 2 delegates, 5 steps, $1.25

MODEL    STEPS  INPUT  CACHED  OUTPUT  COST
p/big    3      300    0       30      $0.75
p/small  2      200    0       20      $0.50
`)
	}
}

func TestDeleteAndExpireDelegates(t *testing.T) {
	t.Parallel()
	d := newDelegating(t)
	if err := deleteRun(t.Context(), &DeleteOptions{IO: d.io(), Store: storeOf(d.store), IDs: []string{"p", "d1"}, Yes: true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.ids(), []string{"q"}); diff != "" {
		t.Error(diff)
	}
	all, err := newDelegating(t).store.ListWithDelegates("")
	if err != nil || countDelegates(all, []string{"p"}) != 2 || countDelegates(all, []string{"p", "d1"}) != 1 || countDelegates(all, []string{"d1", "q"}) != 0 {
		t.Errorf("got %v, %v", all, err)
	}
	d = newDelegating(t)
	old := time.Now().AddDate(0, 0, -40)
	for _, id := range []string{"p", "d1"} {
		if err := os.Chtimes(filepath.Join(filepath.Dir(d.store.Outputs("p")), id+".jsonl"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	notice := <-Expire(t.Context(), d.store, 30, time.Now())
	if diff := cmp.Diff(d.ids(), []string{"q"}); diff != "" || !strings.HasPrefix(notice, "Deleted 1 session not used for 30 days") {
		t.Errorf("got %q: %s", notice, diff)
	}
}
