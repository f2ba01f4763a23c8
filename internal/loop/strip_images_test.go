package loop_test

import (
	"strings"
	"testing"

	"agent/internal/llm/script"
)

// A model without image input gets a note instead of an image; the session keeps the
// image.
func TestModelWithoutImageInput(t *testing.T) {
	p := script.New(script.Reply{}.Call("c1", "look", args("seen")).Calls(), script.Say("done"), script.Say("again"))
	o := options(p, reader())
	o.Models.Current.NoImages, o.Models.Current.Context = true, 0
	play(t, o, []string{"go", "on"}, nil)
	for _, r := range p.Requests()[1:] {
		m := r.Messages[2]
		if len(m.Images) != 0 || strings.Count(m.Text, "1 image removed: this model has no image input") != 1 {
			t.Errorf("got %+v, want a note in place of the image", m)
		}
	}
}
