package layer

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Panel holds the lines below the transcript, with the areas of the layers in them.
type Panel struct {
	Lines  []string
	Cursor *tea.Cursor // relative to the panel; nil for none
	areas  []area
}

// area is the range of a panel's lines that a layer has drawn; to is exclusive.
type area struct {
	layer    Layer
	from, to int
}

// Add appends lines. The cursor, if any, is relative to them.
func (p *Panel) Add(lines []string, cursor *tea.Cursor) {
	if cursor != nil {
		c := *cursor
		c.Y += len(p.Lines)
		p.Cursor = &c
	}
	p.Lines = append(p.Lines, lines...)
}

// add draws a layer.
func (p *Panel) add(l Drawn, width, height int) {
	lines, cursor := l.View(width, max(height-len(p.Lines), 0))
	if len(lines) > 0 {
		p.areas = append(p.areas, area{l, len(p.Lines), len(p.Lines) + len(lines)})
	}
	p.Add(lines, cursor)
}

// Crop removes the first n lines.
func (p *Panel) Crop(n int) {
	p.Lines = p.Lines[n:]
	for i := range p.areas {
		p.areas[i].from -= n
		p.areas[i].to -= n
	}
	if p.Cursor != nil {
		p.Cursor.Y -= n
	}
}

// at returns the layer in line y of the panel, and its first line. It is nil for none.
func (p *Panel) at(y int) (l Layer, first int) {
	for _, a := range p.areas {
		if a.from <= y && y < a.to {
			return a.layer, a.from
		}
	}
	return nil, 0
}

// Foot draws the panel of the layer that has the last line.
func (s *Stack) Foot(width int) (p Panel) {
	p.add(s.In(LastLine), width, 1)
	return p
}

// Draw adds the layers above and at the prompt to a panel, in a window of that size.
func (s *Stack) Draw(p *Panel, width, height int) {
	for _, l := range slices.Backward(s.layers) {
		if d, ok := l.(Drawn); ok && d.Place() == AbovePrompt {
			p.add(d, width, height)
		}
	}
	if d := s.In(AtPrompt); d != nil {
		p.add(d, width, height)
	}
}

// In returns the top layer that is drawn in a place, otherwise nil.
func (s *Stack) In(place Place) Drawn {
	for _, l := range slices.Backward(s.layers) {
		if d, ok := l.(Drawn); ok && d.Place() == place {
			return d
		}
	}
	return nil
}
