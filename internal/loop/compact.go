package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// replyRoom is what is left of a window for the reply, where the model has no
// limit of its own.
const replyRoom = 8 << 10

// muchCut is from how many tokens on it is worth the time to look at once for
// the memory that a cut made free. No window of today holds as many.
const muchCut = 4 << 20

// filling is how much of its window a model was told of.
type filling struct {
	tokens int // as the provider counted them
	msgs   int // of so many messages
}

// of is about how much msgs fill, the first of which were counted.
func (f filling) Of(msgs []llm.Message) int {
	if f.msgs > len(msgs) {
		return tokens(msgs)
	}
	return f.tokens + tokens(msgs[f.msgs:])
}

// Measured is f brought up to date: msgs are all counted, by estimate.
func (f filling) Measured(msgs []llm.Message) filling { return filling{f.Of(msgs), len(msgs)} }

// counted returns what a provider counted after a reply, the last of msgs. One
// that counts nothing changes nothing.
func (f filling) Counted(u llm.Usage, msgs int) filling {
	if u.Input == 0 {
		return f
	}
	return filling{u.Input + u.Output, msgs}
}

// less is what is filled after a cut that saved some of before.
func (f filling) After(before []llm.Message, saved int, after []llm.Message) filling {
	return filling{max(f.Of(before)-saved, 0), len(after)}
}

// need is what a cut is made for.
type need struct {
	Enough int    // tokens to save: no more is shortened
	Least  int    // tokens: nothing is shortened to save fewer
	Why    string // for the user
}

// compact cuts as little of what is old as the need is met with, and says so in
// an event without a time. It is nil where nothing is cut. What is cut from
// results is in the directory outputs afterwards; where that cannot be done,
// the error says why and they are cut all the same.
func compact(msgs []llm.Message, f filling, outputs string, n need) ([]llm.Message, *event.Compacted, error) {
	for _, replies := range []int{8, 4, 2, 1} {
		out, whole := cutOld(msgs, replies, outputs)
		saved := f.saved(msgs, out)
		if saved < n.Least || saved < n.Enough && replies > 1 {
			continue
		}
		err := keepWhole(outputs, whole)
		if err != nil {
			outputs = ""
			out, _ = cutOld(msgs, replies, outputs)
			saved = f.saved(msgs, out)
		}
		return out, &event.Compacted{Replies: replies, Saved: saved, Why: n.Why, Outputs: outputs}, err
	}
	return msgs, nil, nil
}

// saved is about how many tokens fewer after are than before, in the measure of
// the provider.
func (f filling) saved(before, after []llm.Message) int {
	all := tokens(before)
	saved := all - tokens(after)
	if f.msgs > 0 && all > 0 {
		used := min(max(f.Of(before), all/2), all*3/2) // beyond that it is not the text that is counted
		saved = int(float64(saved) * float64(used) / float64(all))
	}
	return saved
}

// keepWhole writes what references stand for into dir, for this person alone.
func keepWhole(dir string, results []wholeResult) error {
	if dir == "" || len(results) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, r := range results {
		if err := writeWhole(filepath.Join(dir, r.name), r.text); err != nil {
			return err
		}
	}
	return nil
}

// writeWhole makes a file that is whole or not there.
func writeWhole(name, text string) error {
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		return nil // its name tells its text
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".call-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// remaining returns the readings that a conversation still holds.
func remaining(reads []reading, msgs []llm.Message) []reading {
	cut := map[string]bool{}
	for _, m := range msgs {
		if m.Kind == llm.ToolResult && strings.HasPrefix(m.Text, cutMark) {
			cut[m.ID] = true
		}
	}
	var out []reading
	for _, r := range reads {
		if !cut[r.Call] {
			out = append(out, r)
		}
	}
	return out
}

// makeRoom cuts what is old when the window fills.
func (t *Turn) makeRoom(msgs []llm.Message) []llm.Message {
	m := t.Model()
	if m.Context == 0 {
		return msgs
	}
	room := m.MaxTokens
	if room == 0 {
		room = replyRoom
	}
	limit := (m.Context - min(room, m.Context/4)) / 5 * 4
	used := t.filled.Of(msgs)
	if used <= limit {
		return msgs
	}
	out, cut := t.compact(msgs, need{
		Enough: used - limit/2, Least: limit / 10,
		Why: fmt.Sprintf("about %d of the %d tokens of its window were used", used, m.Context),
	})
	if cut && used > muchCut {
		debug.FreeOSMemory() // what was cut makes room for the request that is written now
	}
	return out
}

// askInFull is ask for a conversation that may turn out to be too long for the
// model: then what is old is cut, and it is asked once more.
func (t *Turn) askInFull(ctx context.Context, msgs []llm.Message) ([]llm.Message, *llm.Reply, Model, error) {
	msgs = t.makeRoom(msgs)
	reply, model, err := t.ask(ctx, msgs)
	if tooLong(err) && !accepted(reply) && ctx.Err() == nil {
		if out, ok := t.compact(msgs, need{Enough: t.filled.Of(msgs) / 3, Least: 1, Why: "it was too long for the model"}); ok {
			msgs = out
			reply, model, err = t.ask(ctx, msgs)
		}
	}
	t.filled = t.filled.Counted(reply.Finish.Usage, len(msgs)+len(reply.Messages()))
	return msgs, reply, model, err
}

func tooLong(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Kind == llm.ErrTooLong
}

// compact cuts what is old for a need, and reports whether it did.
func (t *Turn) compact(msgs []llm.Message, n need) ([]llm.Message, bool) {
	out, c, err := compact(msgs, t.filled, t.outputs, n)
	if c == nil {
		return msgs, false
	}
	if err != nil {
		t.emit(event.Notice{Text: uncopied(err)})
	}
	c.Meta = t.now()
	t.emit(c)
	t.filled = t.filled.After(msgs, c.Saved, out)
	t.reads = remaining(t.reads, out)
	t.Ledger.Reset()
	for _, r := range t.reads {
		t.Ledger.Add(r.Step, restored(r.Files)...)
	}
	return out, true
}

// compact cuts what is old because the person wants it.
func (a *Agent) compact() {
	if err := a.recall(); err != nil {
		_ = a.emit(event.Notice{Text: "Nothing was cut: " + err.Error()})
		return
	}
	out, c, err := compact(a.msgs, a.filled, a.outputs(), need{Enough: a.filled.Of(a.msgs) / 4, Least: 1, Why: "asked for"})
	if c == nil {
		_ = a.emit(event.Notice{Text: "There is nothing to cut: what is old is short already."})
		return
	}
	if err != nil {
		_ = a.emit(event.Notice{Text: uncopied(err)})
	}
	c.Meta = event.Meta{Time: a.o.Now()}
	_ = a.emit(c)
	a.filled = a.filled.After(a.msgs, c.Saved, out)
	a.msgs = out
	a.know(remaining(a.reads, out))
}

func uncopied(err error) string {
	return "What is cut from the conversation is in the session alone, the model cannot look it up: " + err.Error()
}

// outputs is where what was cut can be looked up; nowhere without a log.
func (a *Agent) outputs() string {
	if a.o.Log == nil {
		return ""
	}
	return a.o.Log.Outputs()
}
