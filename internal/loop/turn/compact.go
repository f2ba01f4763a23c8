package turn

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

const (
	// replyRoom is what is left of a window for the reply, where the model has no
	// limit of its own.
	replyRoom = 8 << 10
	// muchFreed is the number of tokens from which a compaction is worth the time
	// to return its memory at once. No window of today holds as many.
	muchFreed = 4 << 20
)

// makeRoom compacts the conversation when the window fills.
func (q *requester) makeRoom() {
	m := q.Models.Current()
	if m.Context == 0 {
		return
	}
	room := cmp.Or(m.MaxTokens, replyRoom)
	limit := (m.Context - min(room, m.Context/4)) / 5 * 4
	used := q.conv.Tokens()
	if used <= limit {
		return
	}
	done := q.conv.Compact(window.Need{
		Enough: used - limit/2, Least: limit / 10,
		Why: fmt.Sprintf("about %d of the %d tokens of its window were used", used, m.Context),
	}, q.out.emit, q.out.meta)
	if done && used > muchFreed {
		debug.FreeOSMemory() // what was cut makes room for the request that is written now
	}
}

// Tokens returns about how much of the window the conversation uses.
func (c *Conversation) Tokens() int { return c.meter.Of(c.Messages) }

// Compact shortens old content for a need, and reports whether there was any. It
// emits the Compacted, with meta, and a notice if the originals were not saved.
func (c *Conversation) Compact(n window.Need, emit func(event.Event), meta func() event.Meta) bool {
	dir := ""
	if c.outputs != nil {
		dir = c.outputs.Outputs()
	}
	out, e, err := window.Compact(c.Messages, c.meter, dir, n, c.saveOriginals)
	if e == nil {
		return false
	}
	if err != nil {
		emit(event.Notice{Text: "What is cut from the conversation is in the session alone, the model cannot look it up: " + err.Error()})
	}
	e.Meta = meta()
	emit(e)
	c.meter = c.meter.After(c.Messages, e.Saved, out)
	c.Messages = out
	c.setReads(window.Remaining(c.reads, out))
	return true
}

// saveOriginals saves the originals of shortened results.
func (c *Conversation) saveOriginals(originals []window.Original) error {
	if c.outputs == nil {
		return nil
	}
	for _, o := range originals {
		if err := c.outputs.SaveOutput(o.Name, o.Text); err != nil {
			return err
		}
	}
	return nil
}
