package text

import (
	"crypto/rand"
	"iter"
	"strings"

	"agent/internal/llm"
)

// Decode turns the calls in the text of a reply into CallDeltas. It passes
// everything else through immediately, except text that may be the beginning of
// a call.
func Decode(deltas iter.Seq2[llm.Delta, error], form Form) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		r := &reader{form: form, otherIndexes: map[int]int{}, textIndexes: map[int]bool{}}
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
				// Do not wait for the text that the model may still invent. The
				// token counts remain unknown.
				yield(llm.Finish{Reason: llm.Calls}, nil)
				return
			}
		}
	}
}

// maxCall limits the length of a call, in bytes. A call is buffered until its
// end.
const maxCall = llm.MaxReplyBytes

// maxBlank limits the whitespace buffered before a message, in bytes. Only the
// part after its last line break is used.
const maxBlank = 4 << 10

// endless reports whether the current call is too long.
func (r *reader) endless() bool { return r.call != nil && r.callBytes > maxCall }

// reader finds calls in text.
type reader struct {
	form Form
	out  []llm.Delta
	next int // the first free output index

	otherIndexes map[int]int  // output index of each input index that is not text
	textIndexes  map[int]bool // input indexes of text
	source       int          // the last of them

	text   int    // output index of the current text message
	open   bool   // the text message has begun
	blank  string // whitespace before it
	quoted quoting
	inLine bool   // in the middle of a line
	held   string // beginning of a line that may become a call

	call      input // the call being read
	callBytes int   // bytes of it
	name      string
	found     bool // a call was read
	native    bool // the model also made a native call
	over      bool // the rest of the reply is ignored
	finished  bool
}

// add processes a delta.
func (r *reader) add(d llm.Delta) {
	switch d := d.(type) {
	case llm.TextDelta:
		if len(r.textIndexes) > 0 && d.Index != r.source {
			r.stop(false)
		}
		r.source, r.textIndexes[d.Index] = d.Index, true
		r.read(d.Text)
	case llm.ThinkingDelta:
		d.Index = r.other(d.Index)
		r.out = append(r.out, d)
	case llm.CallDelta:
		d.Index, r.native = r.other(d.Index), true
		r.out = append(r.out, d)
	case llm.BlockEnd:
		if _, known := r.otherIndexes[d.Index]; known || d.Opaque != nil && !r.textIndexes[d.Index] {
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

// other returns the output index of an input index that is not text.
func (r *reader) other(index int) int {
	i, ok := r.otherIndexes[index]
	if !ok {
		r.stop(false)
		i = r.nextIndex()
		r.otherIndexes[index] = i
	}
	return i
}

func (r *reader) nextIndex() int {
	r.next++
	return r.next - 1
}

// read processes text.
func (r *reader) read(text string) {
	for text != "" && !r.over {
		switch {
		case r.call != nil:
			r.callBytes += len(text)
			body, rest, done := r.call.add(text)
			if text = rest; done {
				r.addCall(body, false)
			}
		case r.inLine || r.quoted.until != "":
			text = r.pass(text)
		default:
			text = r.begin(r.held + text)
		}
	}
}

// begin processes the beginning of a line and returns the rest.
func (r *reader) begin(line string) (rest string) {
	r.held = ""
	if r.found && r.form == ReAct {
		return r.pass(line)
	}
	n, name, wait := r.form.heading(line)
	switch {
	case n > 0:
		r.close()
		r.call, r.name, r.callBytes = r.form.input(), name, 0
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

// pass forwards text up to the end of its line and returns the rest.
func (r *reader) pass(text string) (rest string) {
	line := text
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		line, rest = text[:i+1], text[i+1:]
	}
	r.quoted.add(line)
	r.inLine = !strings.HasSuffix(line, "\n")
	r.forward(line)
	return rest
}

// forward outputs text. It drops whitespace before a message up to the last
// line break, or all of it if nothing follows.
func (r *reader) forward(text string) {
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
		r.open, r.text = true, r.nextIndex()
	}
	r.out = append(r.out, llm.TextDelta{Index: r.text, Text: text})
}

// close ends the current text message.
func (r *reader) close() {
	if r.open {
		r.out = append(r.out, llm.BlockEnd{Index: r.text})
	}
	r.open, r.blank, r.inLine = false, "", false
}

// addCall outputs the call that was read. A call cut off by the end of the
// reply stays open.
func (r *reader) addCall(body string, cut bool) {
	name, arguments := r.form.parse(r.name, body)
	i := r.nextIndex()
	r.out = append(r.out, llm.CallDelta{Index: i, ID: "call_" + rand.Text()[:16], Name: name, Args: arguments})
	if !cut {
		r.out = append(r.out, llm.BlockEnd{Index: i})
	}
	r.call, r.found = nil, true
}

// stop finishes the current call and text.
func (r *reader) stop(cut bool) {
	for r.call != nil {
		body, rest := r.call.end()
		r.addCall(body, cut)
		r.read(rest)
	}
	for held := r.held; held != "" && !r.over; {
		held = r.pass(held)
	}
	if r.held = ""; !cut {
		r.close()
	}
}
