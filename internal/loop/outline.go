package loop

import (
	"iter"
	"strings"

	"agent/internal/history"
	"agent/internal/llm"
)

// Outline is what a list of sessions tells of one.
type Outline struct {
	Title    string // the first words of the first prompt, on one line
	Messages int    // said by the person and by the model
}

// OutlineOf reads a session as far as it can be read.
func OutlineOf(records iter.Seq2[history.Record, error]) Outline {
	var o Outline
	for r, err := range records {
		if err != nil {
			continue
		}
		e, err := Decode(r.Body)
		if err != nil {
			continue
		}
		switch e := e.(type) {
		case *UserSaid:
			o.Messages++
			if o.Title == "" {
				o.Title = firstWords(e.Text)
			}
		case *MessageDone:
			if e.Message.Kind == llm.Assistant {
				o.Messages++
			}
		}
	}
	return o
}

// firstWords returns text on one line, cut where no list shows more.
func firstWords(text string) string {
	const limit = 200
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return strings.Join(strings.Fields(text), " ")
}
