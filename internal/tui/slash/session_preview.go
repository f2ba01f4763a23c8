package slash

import (
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// preview shows the end of another session in the picker.
type preview struct{ list *transcript.Transcript }

// newPreview returns a function that makes the preview of a session from its last
// events, or from the error of reading them.
func newPreview(st *ink.Styles, now func() time.Time) func([]event.Event, error) list.Preview {
	return func(events []event.Event, err error) list.Preview {
		t := transcript.New(st)
		f := transcript.NewFeed(t, now)
		for _, ev := range events {
			f.Apply(ev)
		}
		f.FinishReplay()
		if err != nil {
			t.Add(&transcript.Problem{Text: err.Error()})
		}
		return preview{t}
	}
}

func (p preview) Window(st *ink.Styles, width, height int) []string {
	p.list.Restyle(st)
	p.list.Layout(width, height)
	return p.list.Window
}

// PickerSource returns the source of the session picker.
func PickerSource(o *screen.Options, st *ink.Styles, now func() time.Time) list.Source {
	return list.Source{Dir: o.Files.Dir, Sessions: o.Session.List, Preview: o.Session.Preview, Render: newPreview(st, now)}
}
