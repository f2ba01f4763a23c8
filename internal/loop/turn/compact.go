package turn

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

const (
	// replyRoom is the part of the window reserved for the reply, in tokens, if the
	// model has no limit of its own.
	replyRoom = 8 << 10
	// muchFreed is the number of tokens above which a compaction returns its memory
	// to the system at once. Today's windows are smaller.
	muchFreed = 4 << 20
)

// makeRoom compacts the conversation if the window is nearly full.
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
		Enough: used - limit/2, Minimum: limit / 10,
		Why: fmt.Sprintf("about %d of %d tokens of the context window were used", used, m.Context),
	}, q.out.emit, q.out.meta)
	if done && used > muchFreed {
		debug.FreeOSMemory() // before the next request is encoded
	}
}

// Tokens estimates how many tokens of the window the conversation uses.
func (c *Conversation) Tokens() int { return c.meter.Of(c.Messages) }

// Compact shortens old content for a need and reports whether it shortened any.
// It emits the Compacted, with meta, and a notice if the originals were not saved.
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
		emit(event.Notice{Text: "The model cannot look up the content removed by compaction: " + err.Error()})
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
