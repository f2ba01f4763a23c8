package responses

import (
	"cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// outputs turns the output items of a response into deltas. Several items may
// be open at once. Each message, call and part of the reasoning gets its own
// index, in the order of the items.
type outputs struct {
	model    string            // for opaque bytes
	custom   map[string]string // arguments that are plain text, by tool
	out      wire.Deltas       // deltas to yield next
	items    map[int]*output   // the last item at each output index
	waiting  []*output         // announced, but still without content
	next     int               // the first free delta index
	called   bool              // there was a call
	refused  bool
	searches int // web searches that ended
}

// customType is the type of a call whose argument is plain text.
const customType = "custom_tool_call"

// output is an item being decoded.
type output struct {
	place      int    // output index
	typ        string // "message", "function_call", customType, "reasoning", searchType; other types are ignored
	id         string
	index      int // index of its deltas, if begun
	begun      bool
	hasContent bool    // some of its text or arguments arrived
	named      bool    // the CallDelta with ID and name was added
	argument   string  // name of the argument of a customType call
	closed     bool    // all text of that argument arrived
	part       thought // the part that index belongs to
	ended      bool
}

// thought identifies a part of a reasoning item: of the summary, or of the full
// text.
type thought struct {
	summary bool
	part    int
}

// at returns the item of type typ at an output index. It begins one if the
// server did not announce it.
func (os *outputs) at(place int, typ string) *output {
	if o := os.items[place]; o != nil && o.typ == typ {
		return o
	}
	return os.add(&output{place: place, typ: typ})
}

func (os *outputs) add(o *output) *output {
	if os.items == nil {
		os.items = map[int]*output{}
	}
	os.items[o.place] = o
	os.out.Keep(1, 0)
	if o.typ == "message" || o.typ == "reasoning" {
		os.waiting = append(os.waiting, o)
	}
	return o
}

// announce begins an item and ends another one at the same index, because some
// servers do not count indexes up.
func (os *outputs) announce(place int, it *item) {
	o := os.at(place, it.Type)
	if o.ended || o.id != "" && o.id != it.ID {
		o = os.add(&output{place: place, typ: it.Type})
	}
	if o.typ == searchType && !o.begun {
		os.begin(o)
		os.out.Add(llm.SearchDelta{Index: o.index})
	}
	if o.id = it.ID; o.typ == "function_call" || o.typ == customType {
		os.call(o, it)
	}
}

// say adds to the text of a message.
func (os *outputs) say(place int, text string) {
	os.extend(place, "message", llm.Assistant, text)
}

// think adds to the reasoning. Each part becomes its own message, because only
// a bold title separates them.
func (os *outputs) think(place int, part thought, text string) {
	if text == "" {
		return
	}
	o := os.at(place, "reasoning")
	if o.hasContent && o.part != part {
		os.out.Add(llm.BlockEnd{Index: o.index})
		o.begun = false
	}
	os.begin(o)
	o.hasContent, o.part = true, part
	os.out.AddText(llm.Thinking, o.index, text)
}

// call adds the ID and name of a call, once.
func (os *outputs) call(o *output, it *item) {
	if o.named || it.CallID == "" && it.Name == "" {
		return
	}
	os.begin(o)
	o.named = true
	o.argument = os.custom[string(it.Name)]
	os.out.Add(llm.CallDelta{Index: o.index, ID: string(it.CallID), Name: string(it.Name)})
}

// arguments adds to the arguments of a call.
func (os *outputs) arguments(place int, text string) {
	os.extend(place, "function_call", llm.ToolCall, text)
}

// extend adds text to an output of a type.
func (os *outputs) extend(place int, typ string, kind llm.Kind, text string) {
	if text == "" {
		return
	}
	o := os.at(place, typ)
	os.begin(o)
	o.hasContent = true
	os.out.AddText(kind, o.index, text)
}

// plainText adds to the plain text of a call, which becomes the only argument of a
// JSON object.
func (os *outputs) plainText(o *output, text string) {
	if text == "" || o.closed {
		return
	}
	os.begin(o)
	if !o.hasContent {
		os.out.AddText(llm.ToolCall, o.index, `{"`+quoted(cmp.Or(o.argument, "input"))+`":"`)
	}
	o.hasContent = true
	os.out.AddText(llm.ToolCall, o.index, quoted(text))
}

// closeText ends the plain text of a call. Text is all of it.
func (os *outputs) closeText(o *output, text string) {
	if !o.hasContent {
		os.plainText(o, text)
	}
	if o.hasContent && !o.closed {
		o.closed = true
		os.out.AddText(llm.ToolCall, o.index, `"}`)
	}
}

// begin gives o an index, after the waiting items before it.
func (os *outputs) begin(o *output) {
	if o.begun {
		return
	}
	var still []*output
	for _, w := range os.waiting {
		switch {
		case w.begun || w.ended || w == o:
			continue
		case w.place > o.place:
			still = append(still, w)
			continue
		case w.typ == "message":
			os.out.Add(llm.TextDelta{Index: os.next})
		default:
			os.out.Add(llm.ThinkingDelta{Index: os.next})
		}
		os.assignIndex(w)
	}
	os.waiting = still
	os.assignIndex(o)
	os.called = os.called || o.typ == "function_call" || o.typ == customType
}

func (os *outputs) assignIndex(o *output) {
	o.begun, o.index = true, os.next
	os.next++
}

// done takes a finished item and adds the content that was not streamed. An
// item that the end of the response cut short stays open.
func (os *outputs) done(place int, it *item) {
	o := os.at(place, it.Type)
	if o.ended {
		return
	}
	var kept opaque
	var sources []llm.Source
	switch o.typ {
	case "message":
		os.wholeMessage(o, it)
		kept.Phase, sources = it.Phase, it.sources()
	case "function_call":
		os.call(o, it)
		if !o.hasContent {
			os.arguments(place, string(it.Arguments))
		}
	case customType:
		os.call(o, it)
		if it.Status != "incomplete" {
			os.closeText(o, string(it.Input))
		}
	case "reasoning":
		os.wholeThought(o, it)
		kept.Reasoning = it.reasoning()
	case searchType:
		kept.Search = os.wholeSearch(o, it)
	}
	if it.Status != "incomplete" {
		os.end(o, kept, sources)
	}
}

// end closes o. Reasoning to keep needs a message, even an empty one; an item
// without content and without reasoning is dropped.
func (os *outputs) end(o *output, kept opaque, sources []llm.Source) {
	o.ended = true
	if kept.Reasoning != nil {
		os.begin(o)
	}
	if !o.begun {
		return
	}
	os.out.Add(llm.BlockEnd{Index: o.index, Opaque: wire.Pack(dialect, os.model, kept), Sources: sources})
}

func (os *outputs) wholeMessage(o *output, it *item) {
	streamed := o.hasContent
	for _, p := range it.Content {
		os.refused = os.refused || p.Refusal != ""
		if !streamed {
			os.say(o.place, p.Text+p.Refusal)
		}
	}
}

func (os *outputs) wholeThought(o *output, it *item) {
	if o.hasContent {
		return
	}
	for i, p := range it.Summary {
		os.think(o.place, thought{summary: true, part: i}, p.Text)
	}
	for i, p := range it.Content {
		os.think(o.place, thought{part: i}, p.Text)
	}
}

// reasoning returns it in the form that is sent back, nil if the model could
// not read it again.
func (it *item) reasoning() *reasoningItem {
	if it.Encrypted == "" {
		return nil
	}
	r := &reasoningItem{Type: "reasoning", ID: it.ID, Summary: []summaryText{}, Encrypted: it.Encrypted}
	for _, p := range it.Summary {
		r.Summary = append(r.Summary, summaryText{Type: p.Type, Text: p.Text})
	}
	return r
}
