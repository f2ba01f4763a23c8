package loop

import (
	"agent/internal/llm"
	"agent/internal/loop/session"
	"agent/internal/loop/window"
	"agent/internal/tools/workspace"
)

// conversation is what the next request continues from. A running turn owns it:
// the agent hands it over at the start and gets it back with the outcome, so that
// a rewind or a compaction cannot touch it meanwhile.
type conversation struct {
	folded   bool          // it holds the session so far; otherwise recall folds the log first
	messages []llm.Message // what the model is sent
	steps    int           // of the whole session
	reads    []window.Reading
	meter    window.Meter
	resting  resting         // models that failed and are not asked for now
	asText   map[string]bool // models that write their tool calls as text
	planning bool            // the model was told that the mode is plan
}

func newConversation() *conversation {
	return &conversation{resting: resting{}, asText: map[string]bool{}}
}

// take sets c to a folded session.
func (c *conversation) take(f *session.Folding, known *workspace.Ledger) {
	c.messages, c.steps, c.meter = f.Messages, f.Steps, f.Meter().Measured(f.Messages)
	c.planning = toldToPlan(f.Messages)
	c.know(window.Remaining(f.Readings(), f.Messages), known)
}

// compacted brings the meter and the readings up to date after a compaction made
// after of before.
func (c *conversation) compacted(before, after []llm.Message, saved int, known *workspace.Ledger) {
	c.meter = c.meter.After(before, saved, after)
	c.know(window.Remaining(c.reads, after), known)
}

// know replaces what the model knows of files, here and in the ledger that the
// tools consult.
func (c *conversation) know(reads []window.Reading, known *workspace.Ledger) {
	c.reads = reads
	known.Reset()
	for _, r := range reads {
		known.Add(r.Step, restored(r.Files)...)
	}
}
