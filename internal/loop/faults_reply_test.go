package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop"
	"agent/internal/loop/event"
)

// replies are complete but unusual replies.
func replies() []fault {
	noCalls := map[string]string{"text": "a text has no calls"}
	var all []fault
	calls := func(n int, name string, stream func(d speech) string, want string) {
		all = append(all, fault{n: n, name: name, absent: noCalls, scene: func(st *stage, _ phase) scene {
			return scene{acts: []act{sse(stream(st.d))}, want: want}
		}})
	}
	calls(44, "duplicate ids", func(d speech) string {
		return d.begin() + d.call(0, "c1", "look", args("a")) + d.end(0) + d.call(1, "c1", "look", args("b")) + d.end(1) + ended(d, llm.Calls)
	}, `
		call c1 look {"text":"a"}
		call c1_* look {"text":"b"}
		start c1 "look a"
		start c1_* "look b"
		end c1 "look a" ok: did a
		end c1_* "look b" ok: did b`+again(2))
	calls(44, "an id of the turn before", func(d speech) string { return called(d, "c1", args("a")) }, `
		call c1 look {"text":"a"}
		start c1 "look a"
		end c1 "look a" ok: did a
		call c1_* look {"text":"a"}
		start c1_* "look a"
		end c1_* "look a" ok: did a`+again(3))
	again := all[len(all)-1].scene
	all[len(all)-1].scene = func(st *stage, p phase) scene {
		sc := again(st, p)
		sc.acts = times(2, sc.acts[0])
		return sc
	}
	all = append(all, oddCalls(noCalls)...)
	all = append(all, oddEnds()...)
	return append(all,
		fault{n: 61, name: "clock jumps", scene: early(jumps)},
		fault{n: 63, name: "the same call again and again", absent: noCalls, scene: circle},
		fault{n: 64, name: "200 calls", absent: noCalls, scene: crowd},
	)
}

// oddCalls are damaged calls, and calls that cannot run.
func oddCalls(noCalls map[string]string) []fault {
	var all []fault
	calls := func(n int, name string, stream func(d speech) string, want string) {
		all = append(all, fault{n: n, name: name, absent: noCalls, scene: func(st *stage, _ phase) scene {
			return scene{acts: []act{sse(stream(st.d))}, want: want + again(2)}
		}})
	}
	without := func(part string) func(d speech) string {
		return func(d speech) string { return strings.ReplaceAll(called(d, "c1", args("a")), part, "") }
	}
	calls(45, "no id", without(`"id":"c1",`), `
		call call_* look {"text":"a"}
		start call_* "look a"
		end call_* "look a" ok: did a`)
	calls(45, "no index", without(`"index":0,`), `
		call c1 look {"text":"a"}
		start c1 "look a"
		end c1 "look a" ok: did a`)
	calls(46, "interleaved calls", func(d speech) string {
		return d.begin() + d.call(0, "c1", "look") + d.call(1, "c2", "look") + d.call(2, "c3", "look") +
			d.more(1, `{"te`) + d.more(0, `{"text"`) + d.more(2, `{`) + d.more(1, `xt":"b"}`) + d.more(2, `"text":"c"}`) + d.more(0, `:"a"}`) +
			d.end(2) + d.end(0) + d.end(1) + ended(d, llm.Calls)
	}, `
		call c1 look {"text":"a"}
		call c2 look {"text":"b"}
		call c3 look {"text":"c"}
		start c1 "look a"
		start c2 "look b"
		start c3 "look c"
		end c1 "look a" ok: did a
		end c2 "look b" ok: did b
		end c3 "look c" ok: did c`)
	for name, arguments := range map[string]string{"no arguments": "", "arguments null": "null"} {
		calls(47, name, func(d speech) string {
			return d.begin() + d.call(0, "c1", "rest", arguments) + d.end(0) + ended(d, llm.Calls)
		}, `
			call c1 rest {}
			start c1 "rest"
			end c1 "rest" ok: rested`)
	}
	calls(47, "arguments that are no object", func(d speech) string { return called(d, "c1", `["a"]`) }, `
		call c1 look {}
		end c1 "look" error: the arguments of look are not a JSON object, but ["a"]`)
	calls(48, "arguments of the wrong type", func(d speech) string { return called(d, "c1", `{"text":[1]}`) }, `
		call c1 look {"text":[1]}
		end c1 "look" error: look: "text" must be a string (you sent [1])`)
	calls(48, "arguments too many", func(d speech) string { return called(d, "c1", `{"text":"a","more":1}`) }, `
		call c1 look {"text":"a","more":1}
		end c1 "look a" error: look does not take "more". Nothing was done. It takes text`)
	calls(49, "no such tool", func(d speech) string {
		return d.begin() + d.call(0, "c1", "lo\u200bok\u202e ", args("a")) + d.end(0) + ended(d, llm.Calls)
	}, "\n\t\tcall c1 lo\u200bok\u202e  {\"text\":\"a\"}\n"+
		"\t\tend c1 \"lo\\u200bok\\u202e  a\" error: there is no tool \"lo\\u200bok\\u202e \". The tools are: look, rest, hold, change, todo, ask, present_plan")
	calls(49, "no name", func(d speech) string {
		return d.begin() + d.call(0, "c1", "", args("a")) + d.end(0) + ended(d, llm.Calls)
	}, `
		call c1  {"text":"a"}
		end c1 "" error: there is no tool "". The tools are: look, rest, hold, change, todo, ask, present_plan`)
	calls(52, "arguments cut, and said to be whole", func(d speech) string { return called(d, "c1", `{"text":"a`) }, `
		call c1 look {}
		end c1 "look" error: the arguments of look are incomplete JSON: they end in "text". Send the call again`)
	return all
}

// oddEnds are replies with an unusual finish reason.
func oddEnds() []fault {
	stopped := func(reason llm.Reason, text, tool string) func(*stage, phase) scene {
		return func(st *stage, p phase) scene {
			d := st.d
			if p == inText {
				return scene{acts: []act{sse(d.begin() + d.text(0, "so far") + d.end(0) + ended(d, reason))}, want: text + "\n\t\trequests 1"}
			}
			return scene{acts: []act{sse(d.begin() + d.text(0, "so") + d.end(0) + d.call(1, "c1", "look", args("a")) + d.end(1) + ended(d, reason))}, want: tool + "\n\t\trequests 1"}
		}
	}
	// unknown is a complete reply without a known reason: its calls are run.
	unknown := func(reason llm.Reason) func(*stage, phase) scene {
		return func(st *stage, p phase) scene {
			sc := stopped(reason, "\n\t\t\tassistant \"so far\"\n\t\t\tturn done", "")(st, p)
			if p == inTool {
				sc.want = `
			assistant "so"
			call c1 look {"text":"a"}
			start c1 "look a"
			end c1 "look a" ok: did a` + again(2)
			}
			return sc
		}
	}
	unsaid := func(st *stage, p phase) scene {
		sc := unknown("odd")(st, p)
		stream := st.d.begin() + st.d.text(0, "so far") + st.d.end(0) + st.d.done()
		if p == inTool {
			stream = st.d.begin() + st.d.text(0, "so") + st.d.end(0) + st.d.call(1, "c1", "look", args("a")) + st.d.end(1) + st.d.done()
		}
		sc.acts = []act{sse(stream)}
		return sc
	}
	const lengthHint = `the answer reached the model's token limit and was truncated | Send a message to continue.`
	const refusal = `the provider or the model refused to answer | Rephrase the prompt, or choose another model with /model.`
	return []fault{
		{n: 50, name: "token limit in a text", absent: map[string]string{"tool": "51 is the same with a call"}, scene: stopped(llm.Length, `
			assistant "so far" (cut)
			turn length (cut): `+strings.Replace(lengthHint, "Send a message", "Press Enter", 1), "")},
		{n: 51, name: "token limit behind a call", absent: map[string]string{"text": "50 is the same without a call"}, scene: stopped(llm.Length, "", `
			assistant "so"
			call c1 look {"text":"a"} (cut)
			end c1 "look a" interrupted: not run: the reply was truncated at the model's token limit
			turn length: `+lengthHint)},
		{n: 53, name: "refusal", scene: stopped(llm.Filtered, `
			assistant "so far"
			turn content_filter: `+refusal, `
			assistant "so"
			call c1 look {"text":"a"}
			end c1 "look a" interrupted: not run: the reply was refused by the provider
			turn content_filter: `+refusal)},
		{n: 54, name: "empty message", scene: early(func(st *stage) scene {
			return scene{acts: times(2, sse(st.d.begin()+ended(st.d, llm.Stop))), want: `
				retrying 2 of 2 in 0s: the model gave an empty answer
				turn error: the model gave an empty answer twice | Rephrase the prompt, or choose another model with /model.
				requests 2`}
		})},
		{n: 55, name: "unknown finish reason", scene: unknown("odd")},
		{n: 55, name: "no finish reason", scene: unsaid},
		{n: 56, name: "call in the text", scene: early(func(st *stage) scene {
			return scene{acts: []act{sse(said(st.d, "<tool_call>{\"name\":\"look\",\"arguments\":{\"text\":\"a\"}}</tool_call>"))},
				options: func(o *loop.Options) { o.Permissions.Attended = false }, want: `
				call call_* look {"text":"a"}
				start call_* "look a"
				end call_* "look a" ok: did a` + again(2)}
		})},
		{n: 57, name: "usage negative", scene: counted("-10", "-5")},
		{n: 57, name: "usage huge", scene: counted("1e30", "99999999999999999999999999")},
		{n: 57, name: "usage of no number", scene: counted(`"many"`, `{"a":1}`)},
		{n: 57, name: "usage not reported", scene: uncounted},
	}
}

// counted is a reply with impossible token counts, which are treated as unknown.
func counted(input, output string) func(*stage, phase) scene {
	return func(st *stage, p phase) scene {
		stream, want := whole(st, p)
		for _, reason := range []llm.Reason{llm.Stop, llm.Calls} {
			stream = strings.ReplaceAll(stream, st.d.finish(reason, "10", "5"), st.d.finish(reason, input, output))
		}
		return scene{acts: []act{sse(stream)}, want: want, check: usageIs(llm.Usage{})}
	}
}

// uncounted is a reply without token counts.
func uncounted(st *stage, p phase) scene {
	stream, want := whole(st, p)
	var kept []string
	for _, e := range events(stream) {
		if e = strings.ReplaceAll(e, `,"usage":{"input_tokens":10,"output_tokens":5}`, ""); !strings.Contains(e, `"prompt_tokens"`) {
			kept = append(kept, strings.ReplaceAll(e, `,"usage":{"input_tokens":10,"output_tokens":1}`, ""))
		}
	}
	return scene{acts: []act{sse(strings.Join(kept, ""))}, want: want, check: usageIs(llm.Usage{})}
}

// usageIs checks the usage of the first step.
func usageIs(want llm.Usage) func(t *testing.T, p played) {
	return func(t *testing.T, p played) {
		for _, e := range p.events {
			if e, ok := e.(*event.StepEnd); ok {
				if e.Usage != want {
					t.Errorf("got usage %+v, want %+v", e.Usage, want)
				}
				return
			}
		}
		t.Error("no step ended")
	}
}

// jumps is a turn during which the clock jumps back and forth.
func jumps(st *stage) scene {
	lookups := 0
	return scene{acts: []act{answer(429, "Retry-After: 2", problem("rate_limit_error", "slow down"))},
		options: func(o *loop.Options) {
			o.Clock.Now = func() time.Time {
				lookups++
				return noon.Add(time.Duration(lookups%3-1) * 24 * time.Hour)
			}
		},
		want: `
			retrying 2 in 2s: test answered 429: slow down` + again(2)}
}

// circle is a model that repeats the same call.
func circle(st *stage, _ phase) scene {
	sc := scene{answers: map[string]event.Decision{event.StepsAsk: event.Refuse}}
	for _, id := range []string{"c1", "c2", "c3"} {
		sc.acts = append(sc.acts, sse(called(st.d, id, args("a"))))
		sc.want += fmt.Sprintf(`
			call %s look {"text":"a"}
			start %s "look a"
			end %s "look a" ok: did a`, id, id, id)
	}
	sc.want += `
			asked steps "The model made the same call 3 times, with the same result. Continue?" because the model may be in a loop: look a; always: ""
			turn repeating: stopped: the model made the same call 3 times, with the same result: look a | Tell the model what to do differently.
			requests 3`
	return sc
}

// crowd is a reply of 200 calls.
func crowd(st *stage, _ phase) scene {
	d := st.d
	stream := d.begin()
	var calls, starts, ends strings.Builder
	for i := range 200 {
		stream += d.call(i, fmt.Sprint("c", i), "look", args("a")) + d.end(i)
		fmt.Fprintf(&calls, "\ncall c%d look {\"text\":\"a\"}", i)
		if i < 32 {
			fmt.Fprintf(&starts, "\nstart c%d \"look a\"", i)
			fmt.Fprintf(&ends, "\nend c%d \"look a\" ok: did a", i)
		} else {
			fmt.Fprintf(&ends, "\nend c%d \"look a\" interrupted: not run: a reply may contain 32 calls. Make this call again", i)
		}
	}
	return scene{acts: []act{sse(stream + ended(d, llm.Calls))}, want: calls.String() + starts.String() + ends.String() + again(2)}
}
