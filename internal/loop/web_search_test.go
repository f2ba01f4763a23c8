package loop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/rule"
)

// searchOptions returns the options of an agent whose provider can search the web.
func searchOptions(p llm.Provider, rules ...rule.Rule) loop.Options {
	o := options(p)
	o.Models.Current.WebSearch = true
	o.Permissions.Rules = rules
	return o
}

// offered returns for each request whether it offers the search.
func offered(p *script.Provider) (all []bool) {
	for _, r := range p.Requests() {
		all = append(all, r.WebSearch)
	}
	return all
}

func TestWebSearchNeedsApproval(t *testing.T) {
	decide := func(a rule.Action) []rule.Rule {
		return []rule.Rule{{Action: a, Kind: rule.Tool, Pattern: "web_search", Source: "test"}}
	}
	on, off := true, false
	yes, no := event.Allow, event.Refuse
	for name, c := range map[string]struct {
		wanted     bool // by the configuration
		answer     event.Decision
		rules      []rule.Rule
		unattended bool
		none       bool // the provider has no search
		then       []event.SetWebSearch
		want       []bool
		notice     string
	}{
		"off without a yes, also in mode all": {want: []bool{false}},
		"on and off":                          {then: []event.SetWebSearch{{On: &on}, {On: &off}}, want: []bool{false, true, false}, notice: "Web search is on in this session"},
		"only asked":                          {then: []event.SetWebSearch{{}}, want: []bool{false, false}, notice: "Web search is off."},
		"allowed by a rule":                   {rules: decide(rule.Allow), unattended: true, want: []bool{true}},
		"denied by a rule":                    {rules: decide(rule.Deny), then: []event.SetWebSearch{{On: &on}}, want: []bool{false, false}, notice: "Web search stays off: a rule denies it: test: deny tool: web_search."},
		"unattended":                          {unattended: true, then: []event.SetWebSearch{{On: &on}}, want: []bool{false, false}, notice: `--allow "tool: web_search"`},
		"wanted and approved once":            {wanted: true, answer: yes, then: []event.SetWebSearch{{}}, want: []bool{true, true}, notice: "Web search is on"},
		"wanted and rejected":                 {wanted: true, answer: no, then: []event.SetWebSearch{{}}, want: []bool{false, false}, notice: "Web search is off."},
		"wanted and allowed by a rule":        {wanted: true, rules: decide(rule.Allow), unattended: true, want: []bool{true}},
		"wanted and denied by a rule":         {wanted: true, rules: decide(rule.Deny), want: []bool{false}},
		"wanted and unattended":               {wanted: true, unattended: true, want: []bool{false}, notice: `Web search is off: without a user it needs the flag --allow "tool: web_search".`},
		"no search":                           {none: true, rules: decide(rule.Allow), then: []event.SetWebSearch{{On: &on}}, want: []bool{false, false}, notice: "Connect an MCP server that searches instead: agent help tools"},
	} {
		t.Run(name, func(t *testing.T) {
			p := script.New(script.Say("1"), script.Say("2"), script.Say("3"))
			o := searchOptions(p, c.rules...)
			o.Permissions.Attended, o.Models.Current.WebSearch, o.Models.WebSearch = !c.unattended, !c.none, c.wanted
			then, asked := c.then, 0
			events := play(t, o, []string{"a", "b", "c"}[:len(c.then)+1], func(e event.Event) []event.Command {
				if ask, ok := e.(event.Asked); ok {
					asked++
					return []event.Command{event.Answer{ID: ask.Ask.ID, Decision: c.answer}}
				}
				if _, ended := e.(*event.TurnEnd); !ended || len(then) == 0 {
					return nil
				}
				next := then[0]
				then = then[1:]
				return []event.Command{next}
			})
			if diff := cmp.Diff(offered(p), c.want); diff != "" || asked != min(1, len(c.answer)) {
				t.Errorf("asked %d times; got, want:\n%s", asked, diff)
			}
			var notices []string
			for _, e := range events {
				if n, ok := e.(event.Notice); ok {
					notices = append(notices, n.Text)
				}
			}
			if c.notice == "" && len(notices) > 0 || !strings.Contains(strings.Join(notices, "\n"), c.notice) {
				t.Errorf("notices %q, want %q", notices, c.notice)
			}
		})
	}
}

// searching returns the deltas of a search that has ended, unless it is paused.
func searching(query string, opaque string, ended bool) []llm.Delta {
	return []llm.Delta{
		llm.SearchDelta{Index: 0, Search: llm.Search{Query: query, Ended: ended, Results: []llm.Source{{URL: "https://go.dev", Title: "Go"}}}},
		llm.BlockEnd{Index: 0, Opaque: &llm.Opaque{Dialect: "anthropic", Model: "test", Data: json.RawMessage(opaque)}},
	}
}

// A search that the provider pauses continues without a message of the program, the log
// keeps what the provider needs, and an interrupted search is not sent back.
func TestWebSearchInATurn(t *testing.T) {
	allow := rule.Rule{Action: rule.Allow, Kind: rule.Tool, Pattern: "web_search", Source: "test"}
	p := script.New(
		script.Reply{Deltas: append(searching("q", `{"use":{"id":"s1"}}`, false), llm.Finish{Reason: llm.Paused, Raw: "pause_turn"})},
		script.Reply{Deltas: append(searching("", `{"result":{"id":"s1"}}`, true), llm.TextDelta{Index: 1, Text: "Found."},
			llm.BlockEnd{Index: 1, Sources: []llm.Source{{URL: "https://go.dev", Title: "Go"}}}, llm.Finish{Reason: llm.Stop})},
		script.Reply{Deltas: []llm.Delta{llm.SearchDelta{Index: 0, Search: llm.Search{Query: "cut"}}}, Hold: map[int]<-chan struct{}{1: nil}},
		script.Say("done"),
	)
	events := play(t, searchOptions(p, allow), []string{"a", "b", "c"}, func(e event.Event) []event.Command {
		if s, ok := e.(event.Streamed); ok {
			if d, ok := s.Delta.(llm.SearchDelta); ok && d.Search.Query == "cut" {
				return []event.Command{event.Interrupt{}}
			}
		}
		return nil
	})
	requests := p.Requests()
	if len(requests) != 4 {
		t.Fatalf("%d requests, want 4:\n%s", len(requests), trace(events))
	}
	if last := requests[1].Messages[len(requests[1].Messages)-1]; last.Kind != llm.WebSearch || last.Opaque == nil {
		t.Errorf("the request after a pause ends with %+v, want the search", last)
	}
	var got []string
	for _, m := range requests[3].Messages {
		text := string(m.Kind) + " " + m.Text
		if m.Opaque != nil {
			text += string(m.Opaque.Data)
		}
		got = append(got, text)
	}
	want := []string{"user a", `web_search {"use":{"id":"s1"}}`, `web_search {"result":{"id":"s1"}}`, "assistant Found.", "user b", "user c"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

func TestRejectedWebSearch(t *testing.T) {
	allow := rule.Rule{Action: rule.Allow, Kind: rule.Tool, Pattern: "web_search", Source: "test"}
	p := script.New(script.Reply{Err: &llm.Error{Kind: llm.ErrInvalid, Message: "tools.3: web_search_20250305 is not supported"}})
	for _, e := range play(t, searchOptions(p, allow), []string{"a"}, nil) {
		if end, ok := e.(*event.TurnEnd); ok && !strings.Contains(end.Hint, "/web off") {
			t.Errorf("the turn ends with %q and the hint %q", end.Error, end.Hint)
		}
	}
}

// A resumed session in which the search was on asks for it again, once. A typed /web off
// comes first.
func TestResumedWebSearch(t *testing.T) {
	had := []event.Durable{&event.UserSaid{Text: "a"}, &event.Prefix{System: "s", WebSearch: true}, &event.TurnEnd{Reason: event.Done}}
	off := false
	for _, c := range []struct {
		events []event.Durable
		first  []event.SetWebSearch
		asked  int
		want   []bool
	}{
		{had, nil, 1, []bool{true, true}},
		{had, []event.SetWebSearch{{On: &off}}, 0, []bool{false, false}},
		{had[:1], nil, 0, []bool{false, false}},
	} {
		p := script.New(script.Say("1"), script.Say("2"))
		o := searchOptions(p)
		o.Permissions.Attended, o.Log = true, resumedLog(t, c.events...)
		commands, events := make(chan event.Command, 8), make(chan event.Event)
		for _, set := range c.first {
			commands <- set
		}
		commands <- event.Prompt{Text: "b"}
		go loop.NewAgent(fill(o)).Run(t.Context(), commands, events)
		asked, turns := 0, 0
		for e := range events {
			switch e := e.(type) {
			case event.Asked:
				asked++
				commands <- event.Answer{ID: e.Ask.ID, Decision: event.Allow}
			case *event.TurnEnd:
				if turns++; turns == 2 {
					close(commands)
				} else {
					commands <- event.Prompt{Text: "c"}
				}
			}
		}
		if diff := cmp.Diff(offered(p), c.want); diff != "" || asked != c.asked {
			t.Errorf("asked %d times, want %d; got, want:\n%s", asked, c.asked, diff)
		}
	}
}
