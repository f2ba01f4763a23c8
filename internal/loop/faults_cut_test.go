package loop_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/loop/event"
)

// half returns the beginning of a reply, in a text or in the arguments of a call, and
// the part that is shown.
func half(st *stage, p phase) (stream, shown string) {
	if p == inText {
		return st.d.begin() + st.d.text(0, "half"), "half"
	}
	return st.d.begin() + st.d.text(0, "so") + st.d.end(0) + st.d.call(1, "c1", "look", `{"te`), `{"te`
}

// callAgain is the note to the model after a reply with a call was cut off.
const callAgain = "[The connection was lost in the middle of your reply. None of its tool calls was run. Make them again.]"

// cutBy returns the expected output for a reply that an error cut off. The program
// continues a text once, and asks once for a call again if the error has a hint,
// which says that a retry may help.
func cutBy(p phase, message, hint string) string {
	if p == inText {
		return fmt.Sprintf(`
			assistant "half" (cut)
			notice test: %s. Continuing where it was cut off.
			auto %q`, message, event.ContinuePrompt) + again(2)
	}
	if hint != "" {
		return fmt.Sprintf(`
			assistant "so"
			call c1 look {} (cut)
			notice test: %s. No tool call of this reply was run. Asking the model to repeat it.
			end c1 "look" interrupted: not run: the reply was cut off
			auto %q`, message, callAgain) + again(2)
	}
	return fmt.Sprintf(`
			assistant "so"
			call c1 look {} (cut)
			end c1 "look" interrupted: not run: the reply was cut off
			turn error: test: %s
			requests 1`, message)
}

// Errors and hints for replies that are cut off.
const (
	broke      = "the server cut the answer off"
	tryAgain   = `Press Enter to retry.`
	brokeHint  = "The text received is kept. Press Enter to retry."
	overfull   = "the response contains an event of more than 8 MiB"
	bottomless = "the response is too long: stopped reading after 1 MiB"
)

// cut returns the scene of a reply that how cuts off.
func cut(how func(p *peer) bool) func(*stage, phase) scene {
	return func(st *stage, p phase) scene {
		stream, shown := half(st, p)
		return scene{acts: []act{broken(stream, func(l *peer) bool { l.shown(shown); return how(l) })}, want: cutBy(p, broke, brokeHint)}
	}
}

// cuts are faults after a valid beginning of a reply.
func cuts() []fault {
	noArguments := map[string]string{"text": "a text has no arguments: 13 to 15 cut texts"}
	return []fault{
		{n: 10, name: "headers, then silence", scene: early(func(st *stage) scene {
			return scene{acts: []act{broken("", silent(2*time.Minute))}, want: `
				retrying 2 in 1s: test: the response stalled: no data for 2m0s` + again(2)}
		})},
		{n: 10, name: "half an answer, then silence", scene: func(st *stage, p phase) scene {
			sc := cut(silent(2*time.Minute))(st, p)
			sc.want = cutBy(p, "the response stalled: no data for 2m0s", tryAgain)
			return sc
		}},
		{n: 13, name: "reset", scene: cut((*peer).reset)},
		{n: 14, name: "no end marker", scene: cut(func(p *peer) bool { return p.write("0\r\n\r\n") })},
		{n: 15, name: "closed in mid-chunk", scene: cut(func(p *peer) bool { p.write("40\r\ndata: {\"cho"); return false })},
		{n: 16, name: "closed in the arguments", absent: noArguments, scene: cut(func(*peer) bool { return false })},
		{n: 16, name: "closed behind whole arguments", absent: noArguments, scene: func(st *stage, p phase) scene {
			stream, _ := half(st, p)
			stream += st.d.more(1, `xt":"x"}`)
			return scene{acts: []act{broken(stream, func(*peer) bool { return false })}, want: strings.NewReplacer("look {}", `look {"text":"x"}`, `"look"`, `"look x"`).Replace(cutBy(p, broke, brokeHint))}
		}},
		{n: 35, name: "overloaded, in the answer", scene: struck(func(d speech) string { return d.failure("overloaded_error", "Overloaded") }, "Overloaded")},
		{n: 36, name: "error as data in the answer", scene: struck(func(speech) string {
			return "data: " + problem("server_error", "The server is overloaded") + "\n\n"
		}, "The server is overloaded")},
		{n: 41, name: "a line of 100 MB", scene: endless},
		{n: 58, name: "gzip", scene: packed},
		{n: 58, name: "gzip that is broken", scene: func(st *stage, p phase) scene {
			stream, shown := half(st, p)
			return scene{acts: []act{func(l *peer) bool {
				l.head("text/event-stream", "Content-Encoding: gzip")
				l.chunk(string(zipped(stream, false)))
				l.shown(shown)
				l.chunk("this is no gzip")
				return false
			}}, want: cutBy(p, broke, brokeHint)}
		}},
		{n: 58, name: "gzip of a flood", scene: flood},
		{n: 58, name: "brotli", scene: early(func(*stage) scene {
			return scene{acts: []act{answer(200, "Content-Encoding: br\r\nContent-Type: text/event-stream", "\x0b\x02\x80")}, want: `
				turn error: test: the response is compressed with "br", which was not requested
				requests 1`}
		})},
		{n: 59, name: "GOAWAY before the answer", scene: early(func(st *stage) scene {
			return http2(st, func(p *peer) { p.goAway(0) }, again(1))
		})},
		{n: 59, name: "RST_STREAM before the answer", scene: early(func(st *stage) scene {
			return http2(st, func(p *peer) { p.rstStream() }, `
				retrying 2 in 1s: test: cannot reach HOST: stream error: stream ID 1; INTERNAL_ERROR; received from peer`+again(1))
		})},
		{n: 59, name: "RST_STREAM in the answer", scene: cutHTTP2((*peer).rstStream)},
		{n: 59, name: "GOAWAY in the answer", scene: cutHTTP2(func(p *peer) { p.goAway(1) })},
	}
}

// struck is a reply whose stream reports an error.
func struck(failure func(speech) string, message string) func(*stage, phase) scene {
	return func(st *stage, p phase) scene {
		stream, _ := half(st, p)
		return scene{acts: []act{sse(stream + failure(st.d))}, want: cutBy(p, message, tryAgain)}
	}
}

// packed is a compressed reply.
func packed(st *stage, p phase) scene {
	stream, want := whole(st, p)
	return scene{acts: []act{func(l *peer) bool {
		l.head("text/event-stream", "Content-Encoding: gzip")
		return l.chunk(string(zipped(stream, true))) && l.write("0\r\n\r\n")
	}}, want: want}
}

// flood is a small compressed body that expands to a huge one.
func flood(st *stage, p phase) scene {
	stream, _ := half(st, p)
	return scene{limits: wire.Limits{Bytes: 1 << 20}, acts: []act{func(l *peer) bool {
		l.head("text/event-stream", "Content-Encoding: gzip")
		l.chunk(string(zipped(stream+strings.Repeat(": still there\n", 1<<17), true)))
		return l.gone()
	}}, want: cutBy(p, bottomless, "")}
}

// zipped returns s compressed with gzip, truncated unless whole is set.
func zipped(s string, whole bool) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(s))
	if err == nil {
		err = w.Flush()
	}
	if err == nil && whole {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// whole returns a valid reply and its expected output.
func whole(st *stage, p phase) (stream, want string) {
	if p == inText {
		return said(st.d, "Grüße", " and", " \"more\""), `
			assistant "Grüße and \"more\""
			turn done
			requests 1`
	}
	return st.d.begin() + st.d.call(0, "c1", "look", `{"te`, `xt":"Grü`, `ße"}`) + st.d.end(0) + ended(st.d, llm.Calls), `
			call c1 look {"text":"Grüße"}
			start c1 "look Grüße"
			end c1 "look Grüße" ok: did Grüße` + again(2)
}
