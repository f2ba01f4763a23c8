package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
)

// reply tracks the current reply of the model: streaming messages, tool calls until
// they end, and the notice of a retry.
type reply struct {
	list     *Transcript
	id       string
	previews []*preview
	calls    []*Row          // in order
	tools    map[string]*Row // the calls by ID
	retry    *Row            // a *Retry; nil for none
	summary  *Row            // shows that a model summarizes the conversation; nil for none
}

// preview is a message that is still streaming.
type preview struct {
	kind  llm.Kind
	index int             // in the reply
	row   *Row            // its last row, which grows
	ended []*Row          // the previous rows of a long answer
	cut   markdown.Cutter // splits a long answer
}

// keptParts is the number of complete parts of a streaming answer that stay drawn.
const keptParts = 4

// rows returns all rows of the message.
func (p *preview) rows() []*Row { return append(p.ended[:len(p.ended):len(p.ended)], p.row) }

// begin starts the reply with that ID, if it is not the current one. It drops the
// unfinished messages of another reply, whose request failed.
func (r *reply) begin(id string) {
	r.clearRetry()
	if id != r.id {
		r.dropPreviews()
		r.id, r.calls = id, nil
	}
}

// dropPreviews removes the unfinished messages.
func (r *reply) dropPreviews() {
	for _, p := range r.previews {
		for _, row := range p.rows() {
			r.list.remove(row)
		}
		r.calls = slices.DeleteFunc(r.calls, func(row *Row) bool { return row == p.row })
	}
	r.previews = nil
}

// stream adds a piece of the reply.
func (r *reply) stream(delta llm.Delta) {
	switch d := delta.(type) {
	case llm.TextDelta:
		p := r.preview(llm.Assistant, d.Index)
		for rest := d.Text; rest != ""; { // in small pieces, so that a large one is not copied for each part
			n := min(markdown.PartBytes, len(rest))
			r.grow(p, rest[:n])
			rest = rest[n:]
		}
	case llm.ThinkingDelta:
		row := r.preview(llm.Thinking, d.Index).row
		row.Item.(*thinking).text.WriteString(d.Text)
		row.Touch()
	case llm.SearchDelta:
		row := r.preview(llm.WebSearch, d.Index).row
		row.Item.(*webSearch).Search = d.Search
		row.Touch()
	case llm.CallDelta:
		row := r.preview(llm.ToolCall, d.Index).row
		t := row.Item.(*Tool)
		t.compose(d.Name, d.Args)
		row.Touch()
	}
}

// grow adds a piece of at most markdown.PartBytes bytes to an answer. Complete parts of a long answer
// get rows of their own, so that only the last part is drawn again.
func (r *reply) grow(p *preview, text string) {
	a := p.row.Item.(*answer)
	a.text.WriteString(text)
	for {
		done, rest, ok := p.cut.Next(a.text.String())
		if !ok {
			break
		}
		a.finish(done)
		p.row.Touch()
		if n := len(p.ended) - keptParts; n >= 0 { // it is far above the window now
			p.ended[n].Item.(*answer).md = nil
			p.ended[n].release()
		}
		p.ended = append(p.ended, p.row)
		a = &answer{Edges: p.cut.Edges}
		a.text.WriteString(rest)
		p.row = r.list.Pages.insertAfter(p.row, a)
	}
	p.row.Touch()
}

// preview returns the streaming message at an index, or a new one.
func (r *reply) preview(kind llm.Kind, index int) *preview {
	for _, p := range r.previews {
		if p.kind == kind && p.index == index {
			return p
		}
	}
	for _, p := range r.previews { // a new message ends the reasoning before it
		if it, ok := p.row.Item.(*thinking); ok && !it.done {
			it.done = true
			p.row.Touch()
		}
	}
	p := &preview{kind: kind, index: index, row: r.addMessage(kind)}
	r.previews = append(r.previews, p)
	return p
}

// addMessage adds an empty item for a message.
func (r *reply) addMessage(kind llm.Kind) *Row {
	switch kind {
	case llm.Thinking:
		return r.list.append(&thinking{})
	case llm.WebSearch:
		return r.list.append(&webSearch{})
	case llm.ToolCall:
		t := &Tool{}
		if rows := r.list.Pages.last().Rows; len(rows) > 0 && len(r.calls) > 0 {
			t.joins = rows[len(rows)-1] == r.calls[len(r.calls)-1]
		}
		row := r.list.append(t)
		r.calls = append(r.calls, row)
		return row
	}
	return r.list.append(&answer{})
}

// finish replaces the preview of a message by the finished message.
func (r *reply) finish(m llm.Message) {
	r.begin(m.Reply)
	if m.Kind != llm.ToolCall && m.Search == nil && strings.TrimSpace(m.Text) == "" {
		return
	}
	p := r.takePreview(m.Kind)
	p.row.setEvent(r.list.Pages.Events() - 1)
	p.row.Touch()
	switch it := p.row.Item.(type) {
	case *answer:
		r.finishAnswer(p.rows(), m)
	case *thinking:
		it.finish(m.Text)
	case *webSearch:
		it.finish(m)
	case *Tool:
		it.id, it.Title, it.Stage = m.ID, callTitle(m.Name, string(m.Input)), waiting
		r.tools[m.ID] = p.row
	}
}

// takePreview removes and returns the first preview of a kind, or a new one.
func (r *reply) takePreview(kind llm.Kind) *preview {
	i := slices.IndexFunc(r.previews, func(p *preview) bool { return p.kind == kind })
	if i < 0 {
		return &preview{kind: kind, row: r.addMessage(kind)}
	}
	p := r.previews[i]
	r.previews = slices.Delete(r.previews, i, i+1)
	return p
}

// finishAnswer sets the final text of an answer. rows are its current rows; a long
// text has one for each part.
func (r *reply) finishAnswer(rows []*Row, m llm.Message) {
	parts := markdown.Parts(m.WithSources())
	for len(rows) > len(parts) {
		r.list.remove(rows[len(rows)-1])
		rows = rows[:len(rows)-1]
	}
	var row *Row
	for i, part := range parts {
		if i < len(rows) {
			row = rows[i]
		} else {
			row = r.list.Pages.insertAfter(row, &answer{})
		}
		it := row.Item.(*answer)
		it.finish(part)
		it.cut = m.Cut && i == len(parts)-1
		row.setEvent(r.list.Pages.Events() - 1)
		row.Touch()
	}
}

// call changes the tool call with that ID and touches the rows that show it.
func (r *reply) call(id string, change func(*Tool)) {
	row := r.tools[id]
	if row == nil {
		row = r.addMessage(llm.ToolCall)
		row.Item.(*Tool).id = id
		r.tools[id] = row
	}
	t := row.Item.(*Tool)
	change(t)
	groupCalls(r.calls)
	r.markChanged(row)
}

// markChanged marks the row of a call and the row of its group.
func (r *reply) markChanged(row *Row) {
	row.Touch()
	if t := row.Item.(*Tool); t.isGrouped() {
		r.tools[t.head.id].Touch()
	}
}

func (r *reply) asked(ask event.Ask) {
	if ask.AboutTurn() {
		return
	}
	r.call(ask.ID, func(t *Tool) {
		if ask.Plan == "" { // the title of the call names the plan
			t.Title = ask.Title
		}
		t.Effect, t.targets, t.Stage = ask.Effect, ask.Targets, asking
	})
}

// answered shows that a call no longer waits for approval.
func (r *reply) answered(id string) {
	if row := r.tools[id]; row != nil {
		row.Item.(*Tool).answered()
		row.Touch()
	}
}

// decided notes the decision about a call. A decision for a delegate has no call here:
// only a standing permission is shown.
func (r *reply) decided(ev *event.Decided) {
	if r.tools[ev.ID] == nil {
		if text := standing(ev); text != "" {
			r.list.append(&Notice{text})
		}
		return
	}
	r.call(ev.ID, func(t *Tool) {
		t.decided.byUser = true
		t.decided.note, t.decided.scope = cmp.Or(DecisionNote(ev), t.decided.note), cmp.Or(standing(ev), t.decided.scope)
		t.answered()
	})
}

func (r *reply) ended(ev *event.ToolEnd) {
	r.call(ev.Result.ID, func(t *Tool) { t.end(ev) })
	r.tools[ev.Result.ID].end = r.list.Pages.Events() - 1
}

func (r *reply) progress(ev event.Progress) {
	if row := r.tools[ev.ID]; row != nil {
		row.Item.(*Tool).progress(ev.Text)
		row.Touch()
	}
}

// finishAll ends the reply: it keeps unfinished text and removes unfinished calls. It
// returns the text of the last unfinished answer.
func (r *reply) finishAll() string {
	last := ""
	for _, p := range r.previews {
		switch it := p.row.Item.(type) {
		case *answer:
			it.done = true
			var text strings.Builder
			for _, row := range p.rows() {
				text.WriteString(row.Item.(*answer).own())
			}
			last = text.String()
		case *thinking:
			it.done = true
		case *webSearch:
			it.done = true
		case *Tool:
			r.list.remove(p.row)
		}
		p.row.Touch()
	}
	r.previews = nil
	for _, row := range r.calls {
		if t := row.Item.(*Tool); t.Stage != Finished && t.id != "" {
			r.call(t.id, (*Tool).abandon)
		}
	}
	r.calls, r.id = nil, ""
	clear(r.tools)
	return last
}

// contains reports whether q matches streaming text.
func (r *reply) contains(q ink.Query) bool {
	return slices.ContainsFunc(r.previews, func(p *preview) bool {
		return slices.ContainsFunc(p.rows(), func(row *Row) bool {
			switch it := row.Item.(type) {
			case *answer:
				return q.In(it.text.String())
			case *thinking:
				return q.In(it.text.String())
			}
			return false
		})
	})
}

// tick updates the times of running calls and the time until a retry.
func (r *reply) tick(now time.Time) {
	for _, row := range r.calls {
		if t := row.Item.(*Tool); t.Stage == running {
			t.tick(now)
			r.markChanged(row)
		}
	}
	if r.retry != nil {
		failed := r.retry.Item.(*Retry)
		failed.left = failed.at.Sub(now)
		r.retry.Touch()
	}
}

// retrying shows that a request failed and is retried.
func (r *reply) retrying(ev event.Retrying, now time.Time) {
	r.dropPreviews()
	r.clearRetry()
	r.retry = r.list.Add(&Retry{ev, now.Add(ev.In), ev.In})
}

// summarizing shows that a model summarizes the conversation.
func (r *reply) summarizing(ev event.Summarizing) {
	r.clearSummary()
	r.summary = r.list.Add(&Closing{"summarizing the conversation with " + ink.SanitizeLine(ev.Model) + " …"})
}

// clearSummary removes the notice that a model summarizes the conversation.
func (r *reply) clearSummary() {
	if r.summary != nil {
		r.list.remove(r.summary)
		r.summary = nil
	}
}

// clearRetry removes the notice of a retry.
func (r *reply) clearRetry() {
	if r.retry != nil {
		r.list.remove(r.retry)
		r.retry = nil
	}
}

// Retry is an item for a failed request that is retried.
type Retry struct {
	event.Retrying
	at   time.Time // time of the retry
	left time.Duration
}

// Draw implements Item.
func (r *Retry) Draw(c Canvas) []string {
	return ink.Hang(c.Styles.Yellow.Render(ink.MarkFailed), ink.Wrap(r.Text(), c.Inner()))
}

// Text returns the error, and when the request is sent again. It is sanitized.
func (r *Retry) Text() string {
	attempt := fmt.Sprintf("attempt %d", r.Attempt)
	if r.Of > 0 {
		attempt += fmt.Sprintf(" of %d", r.Of)
	}
	return withHint(fmt.Sprintf("%s. Retrying %s (%s).", strings.TrimRight(ink.Sanitize(r.Error), "."), phrase.In(r.left), attempt), r.Hint)
}
