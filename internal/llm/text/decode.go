package text

import (
	"crypto/rand"
	"iter"
	"strings"

	"agent/internal/llm"
)

// Decode reads the calls out of the text of a reply. All else is passed on as
// it comes, text too but for what may be the beginning of a call.
func Decode(deltas iter.Seq2[llm.Delta, error], form Form) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		r := &reader{form: form, others: map[int]int{}, texts: map[int]bool{}}
		for d, err := range deltas {
			if err != nil {
				r.stop(true)
			} else {
				r.add(d)
			}
			for _, x := range r.out {
				if !yield(x, nil) {
					return
				}
			}
			r.out = r.out[:0]
			if err != nil {
				yield(nil, err)
				return
			}
			if r.endless() {
				r.stop(true)
				for _, x := range append(r.out, llm.Finish{Reason: llm.Length, Raw: "limit of a call"}) {
					if !yield(x, nil) {
						return
					}
				}
				return
			}
			if r.over && !r.finished {
				// Nothing that the model still invents is waited for, so that
				// what it counted stays unknown.
				yield(llm.Finish{Reason: llm.Calls}, nil)
				return
			}
		}
	}
}

// maxCall is how long a call may be, in bytes. All of it is held back until its end
// has come.
const maxCall = llm.MaxReplyBytes

// maxBlank is how much blank space is kept in front of a message, in bytes: it is
// only wanted from its last line end on.
const maxBlank = 4 << 10

// endless reports whether a call came in that is too long.
func (r *reader) endless() bool { return r.call != nil && r.taken > maxCall }

// reader makes calls of text.
type reader struct {
	form Form
	out  []llm.Delta
	next int // the first free index

	others map[int]int  // the indexes of what is no text, by those that come in
	texts  map[int]bool // the indexes of text that came in
	source int          // the last of them

	text   int    // the index of the text that goes out
	open   bool   // it has begun
	blank  string // space in front of it
	quoted quoting
	middle bool   // of a line
	held   string // the beginning of a line that may become a call

	call     input // what comes in now
	taken    int   // bytes of it
	name     string
	found    bool // a call was read
	native   bool // one came that was no text
	over     bool // the rest of the reply does not count
	finished bool
}

// add takes a delta.
func (r *reader) add(d llm.Delta) {
	switch d := d.(type) {
	case llm.TextDelta:
		if len(r.texts) > 0 && d.Index != r.source {
			r.stop(false)
		}
		r.source, r.texts[d.Index] = d.Index, true
		r.read(d.Text)
	case llm.ThinkingDelta:
		d.Index = r.other(d.Index)
		r.out = append(r.out, d)
	case llm.CallDelta:
		d.Index, r.native = r.other(d.Index), true
		r.out = append(r.out, d)
	case llm.BlockEnd:
		if _, known := r.others[d.Index]; known || d.Opaque != nil && !r.texts[d.Index] {
			d.Index = r.other(d.Index)
			r.out = append(r.out, d)
		}
	case llm.Finish:
		r.stop(d.Reason == llm.Length)
		if r.finished = true; d.Reason == llm.Stop && (r.found || r.native) {
			d.Reason = llm.Calls
		}
		r.out = append(r.out, d)
	}
}

// other returns the index of what is no text.
func (r *reader) other(index int) int {
	i, ok := r.others[index]
	if !ok {
		r.stop(false)
		i = r.take()
		r.others[index] = i
	}
	return i
}

func (r *reader) take() int {
	r.next++
	return r.next - 1
}

// read takes text.
func (r *reader) read(text string) {
	for text != "" && !r.over {
		switch {
		case r.call != nil:
			r.taken += len(text)
			body, rest, done := r.call.add(text)
			if text = rest; done {
				r.say(body, false)
			}
		case r.middle || r.quoted.until != "":
			text = r.pass(text)
		default:
			text = r.begin(r.held + text)
		}
	}
}

// begin takes the beginning of a line, and returns what is left of it.
func (r *reader) begin(line string) (rest string) {
	r.held = ""
	if r.found && r.form == ReAct {
		return r.pass(line)
	}
	n, name, wait := r.form.heading(line)
	switch {
	case n > 0:
		r.close()
		r.call, r.name, r.taken = r.form.input(), name, 0
		return line[n:]
	case r.found && strings.HasPrefix(line, responseTag):
		r.over = true
		return ""
	case wait || r.found && strings.HasPrefix(responseTag, line):
		r.held = line
		return ""
	}
	return r.pass(line)
}

// pass tells text up to the end of its line, and returns the rest.
func (r *reader) pass(text string) (rest string) {
	line := text
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		line, rest = text[:i+1], text[i+1:]
	}
	r.quoted.add(line)
	r.middle = !strings.HasSuffix(line, "\n")
	r.tell(line)
	return rest
}

// tell sends text on. Blank space in front of a message is left out up to its
// last line end, and altogether if nothing follows.
func (r *reader) tell(text string) {
	if !r.open {
		text = r.blank + text
		said := strings.TrimLeft(text, " \t\r\n")
		if said == "" {
			text = text[strings.LastIndexByte(text, '\n')+1:]
			r.blank = text[max(0, len(text)-maxBlank):]
			return
		}
		if r.found && r.form == ReAct {
			r.over = true
			return
		}
		lead := text[:len(text)-len(said)]
		text, r.blank = text[strings.LastIndexByte(lead, '\n')+1:], ""
		r.open, r.text = true, r.take()
	}
	r.out = append(r.out, llm.TextDelta{Index: r.text, Text: text})
}

// close ends the message that text goes out in.
func (r *reader) close() {
	if r.open {
		r.out = append(r.out, llm.BlockEnd{Index: r.text})
	}
	r.open, r.blank, r.middle = false, "", false
}

// say tells of the call that came in. One that the reply was cut in stays open.
func (r *reader) say(body string, cut bool) {
	name, arguments := r.form.parse(r.name, body)
	i := r.take()
	r.out = append(r.out, llm.CallDelta{Index: i, ID: "call_" + rand.Text()[:16], Name: name, Args: arguments})
	if !cut {
		r.out = append(r.out, llm.BlockEnd{Index: i})
	}
	r.call, r.found = nil, true
}

// stop ends what comes in, as nothing more of it follows.
func (r *reader) stop(cut bool) {
	for r.call != nil {
		body, rest := r.call.end()
		r.say(body, cut)
		r.read(rest)
	}
	for held := r.held; held != "" && !r.over; {
		held = r.pass(held)
	}
	if r.held = ""; !cut {
		r.close()
	}
}
