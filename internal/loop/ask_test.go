package loop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

const whichOne = `{"question":"Which one?","choices":[{"text":"red","explain":"like fire"},{"text":"blue"},{"text":"green"}]}`

// The user's answer is recorded as text and sent to the model.
func TestAsk(t *testing.T) {
	some := strings.Replace(whichOne, `}]}`, `}],"many":true}`, 1)
	for name, c := range map[string]struct {
		args   string
		answer event.Answer
		want   string // between the call's start and the turn's end
	}{
		"one of them": {
			args: whichOne, answer: event.Answer{Decision: event.Answered, Choices: []int{1}},
			want: `
				asked c1 "Which one?" [{red like fire} {blue } {green }]
				decision c1 answer "" "" ["blue"]
				end c1 "ask Which one?" ok: The user chose: blue`,
		},
		"more than may be taken": {
			args: whichOne, answer: event.Answer{Decision: event.Answered, Choices: []int{7, -1, 2, 0}},
			want: `
				asked c1 "Which one?" [{red like fire} {blue } {green }]
				decision c1 answer "" "" ["red"]
				end c1 "ask Which one?" ok: The user chose: red`,
		},
		"several, with words": {
			args: some, answer: event.Answer{Decision: event.Answered, Choices: []int{2, 0}, Note: "and a little grey"},
			want: `
				asked c1 "Which one?" [{red like fire} {blue } {green }] many
				decision c1 answer "" "and a little grey" ["red" "green"]
				end c1 "ask Which one?" ok: The user chose: red; green
				The user's own words: and a little grey`,
		},
		"only words": {
			args: whichOne, answer: event.Answer{Decision: event.Answered, Note: "none, drop the colors"},
			want: `
				asked c1 "Which one?" [{red like fire} {blue } {green }]
				decision c1 answer "" "none, drop the colors"
				end c1 "ask Which one?" ok: The user's own words: none, drop the colors`,
		},
		"no answer": {
			args: whichOne, answer: event.Answer{Decision: event.Refuse},
			want: `
				asked c1 "Which one?" [{red like fire} {blue } {green }]
				decision c1 refuse "" ""
				end c1 "ask Which one?" ok: The user leaves the choice to you: decide, and state your decision in your answer.`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := script.New(script.Call("c1", "ask", c.args), script.Say("done"))
			o := options(p)
			o.Permissions.Mode, o.Permissions.Attended = event.ModeAsk, true
			events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
				if a, ok := e.(event.Asked); ok {
					c.answer.ID = a.Ask.ID
					return []event.Command{c.answer}
				}
				return nil
			})
			want := dedent(`
				user "go"
				call c1 ask `+c.args+`
				start c1 "ask Which one?"`) + dedent(c.want) + dedent(`
				assistant "done"
				turn done after 2`)
			if d := cmp.Diff(trace(events), want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAskIsChecked(t *testing.T) {
	for args, want := range map[string]string{
		`{"question":"a?","choices":[{"text":"b"}]}`:                                                                               "the question has 1 choice: offer 2 to 6",
		`{"question":" ","choices":[{"text":"b"},{"text":"c"}]}`:                                                                   "the question is empty",
		`{"question":"a?","choices":[{"text":"b"},{"text":"b"}]}`:                                                                  "choice 2 is a duplicate: b",
		`{"question":"a?","choices":[{"text":"b"},{"text":"c\nd"}]}`:                                                               "choice 2 has more than one line",
		`{"question":"a?","choices":[{"text":"b"},{"text":""}]}`:                                                                   "choice 2 is empty",
		`{"question":"a?","choices":[{"text":"b"},{"text":"c","explain":"` + strings.Repeat("x", 301) + `"}]}`:                     "the explanation of choice 2 has 301 characters: shorten it to 300",
		`{"question":"` + strings.Repeat("x", 1001) + `","choices":[{"text":"b"},{"text":"c"}]}`:                                   "the question has 1001 characters: shorten it to 1000",
		`{"question":"a?","choices":[{"text":"b"},{"text":"c"},{"text":"d"},{"text":"e"},{"text":"f"},{"text":"g"},{"text":"h"}]}`: "the question has 7 choices",
	} {
		p := script.New(script.Call("c1", "ask", args), script.Say("done"))
		play(t, options(p), []string{"go"}, nil)
		msgs := p.Requests()[1].Messages
		if got := msgs[len(msgs)-1].Text; !strings.Contains(got, want) {
			t.Errorf("%.60s: got %q, want %q", args, got, want)
		}
	}
}

// A question gets a result if the user interrupts the turn. If the program exits right
// after the answer, the user is not asked again.
func TestAskIsInterrupted(t *testing.T) {
	p := script.New(script.Reply{}.Call("c1", "ask", whichOne).Call("c2", "look", args("a")).Calls())
	events := play(t, options(p, echo("look", tools.Read)), []string{"go"}, func(e event.Event) []event.Command {
		if _, ok := e.(event.Asked); ok {
			return interrupt()
		}
		return nil
	})
	want := dedent(`
		user "go"
		call c1 ask ` + whichOne + `
		call c2 look {"text":"a"}
		start c1 "ask Which one?"
		asked c1 "Which one?" [{red like fire} {blue } {green }]
		end c1 "ask Which one?" interrupted: interrupted by the user
		end c2 "look a" interrupted: not run: the user interrupted the turn
		turn interrupted after 1`)
	if d := cmp.Diff(trace(events), want); d != "" {
		t.Error(d)
	}
	var kept []event.Durable
	for _, e := range durable(events) {
		if end, ok := e.(*event.ToolEnd); ok && end.Result.ID == "c1" {
			break
		}
		kept = append(kept, e)
	}
	state := replayOf(t, append(kept, &event.Decided{ID: "c1", Decision: event.Answered, Chosen: []string{"blue"}}))
	if got := state.Messages[len(state.Messages)-2]; got.Text != "The user chose: blue" || got.IsError {
		t.Errorf("got result %+v of the answered question", got)
	}
}
