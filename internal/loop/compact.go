package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

// replyRoom is what is left of a window for the reply, where the model has no
// limit of its own.
const replyRoom = 8 << 10

// muchCut is from how many tokens on it is worth the time to look at once for
// the memory that a cut made free. No window of today holds as many.
const muchCut = 4 << 20

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
	used := t.conv.meter.Of(msgs)
	if used <= limit {
		return msgs
	}
	out, cut := t.compact(msgs, window.Need{
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
		if out, ok := t.compact(msgs, window.Need{Enough: t.conv.meter.Of(msgs) / 3, Least: 1, Why: "it was too long for the model"}); ok {
			msgs = out
			reply, model, err = t.ask(ctx, msgs)
		}
	}
	t.conv.meter = t.conv.meter.Counted(reply.Finish.Usage, len(msgs)+len(reply.Messages()))
	return msgs, reply, model, err
}

func tooLong(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Kind == llm.ErrTooLong
}

// compact cuts what is old for a need, and reports whether it did.
func (t *Turn) compact(msgs []llm.Message, n window.Need) ([]llm.Message, bool) {
	out, c, err := window.Compact(msgs, t.conv.meter, t.outputs, n, saveTo(t.outputs))
	if c == nil {
		return msgs, false
	}
	if err != nil {
		t.emit(event.Notice{Text: uncopied(err)})
	}
	c.Meta = t.now()
	t.emit(c)
	t.conv.compacted(msgs, out, c.Saved, t.Ledger)
	return out, true
}

// compact cuts what is old because the person wants it.
func (a *Agent) compact() {
	conv := a.conv
	if err := a.recall(conv); err != nil {
		_ = a.emit(event.Notice{Text: "Nothing was cut: " + err.Error()})
		return
	}
	out, c, err := window.Compact(conv.messages, conv.meter, a.outputs(), window.Need{Enough: conv.meter.Of(conv.messages) / 4, Least: 1, Why: "asked for"}, saveTo(a.outputs()))
	if c == nil {
		_ = a.emit(event.Notice{Text: "There is nothing to cut: what is old is short already."})
		return
	}
	if err != nil {
		_ = a.emit(event.Notice{Text: uncopied(err)})
	}
	c.Meta = event.Meta{Time: a.o.Now()}
	_ = a.emit(c)
	conv.compacted(conv.messages, out, c.Saved, a.o.Ledger)
	conv.messages = out
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

// saveTo returns what saves the originals of shortened results in dir, readable
// by the user only; nowhere if dir is empty.
func saveTo(dir string) func([]window.Original) error {
	return func(originals []window.Original) error {
		if dir == "" || len(originals) == 0 {
			return nil
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		for _, o := range originals {
			if err := writeNew(filepath.Join(dir, o.Name), o.Text); err != nil {
				return err
			}
		}
		return nil
	}
}

// writeNew writes a file atomically, unless it exists: its name is derived from
// its text.
func writeNew(name, text string) error {
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		return nil
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
